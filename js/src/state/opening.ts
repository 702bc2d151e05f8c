/** Opens the items of a program one after another, within limits: the search that the first view
 * and *Expand all* share. */
import { graphAt, pairOf } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { appliesBody } from '../facts/text/detail';
import { __, thousands } from '../language';
import type { Graph, Group, Opening, Stage } from '../schema';

/** Groups whose contents were left out, as there was no room for them in what is drawn. */
const sealed = new WeakSet<Group>();

/** Marks a group as one that never opens at first, as its contents were left out. */
export function seal(group: Group): void {
  sealed.add(group);
}

/** The items that one group, body or graph shows, the graph that they are of, and the group itself. */
export interface Region {
  graph: Graph | null;
  group: Group | null;
  items: readonly Item[];
}

/** The region of an item: what it shows when it is open. */
export function regionOf(stage: Stage, id: Id): Region {
  const items = drawn(stage, id);
  const graph = graphAt(stage, items[0] ? parse(items[0].id).path : ROOT);
  return { graph, group: id === ROOT ? null : groupOf(graph, id), items };
}

/** Whether an item can be opened at first. Gathered inputs stay gathered. */
const holds = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** What opens with an item of a region, itself first: a forward group and its backward group open together,
 * where both are shown. None where it does not open at first. */
function openable(stage: Stage, { graph }: Region, item: Item, shown: ReadonlySet<Id>): Id[] {
  if (!holds(item)) return [];
  const together = [item.id, ...pairOf(stage, item.id).filter((id) => shown.has(id))];
  return together.some((id) => isSealed(graph, id)) ? [] : together;
}

function isSealed(graph: Graph | null, id: Id): boolean {
  const group = groupOf(graph, id);
  return group !== null && sealed.has(group);
}

export function groupOf(graph: Graph | null, id: Id): Group | null {
  const { step } = parse(id);
  return step.kind === 'group' ? (graph?.groups[step.index] ?? null) : null;
}

const isWork = ({ kind }: Item): boolean => kind === 'eqn' || kind === 'group';

/** Whether the contents of an eqn only show how the op works inside: for a reduction how two values become
 * one, for a fusion what it was made from. */
export function isInner({ graph }: Region, { kind, start }: Item): boolean {
  const op = kind === 'eqn' ? (graph?.eqns[start]?.op ?? '') : '';
  return appliesBody(op) || (op === 'fusion' && (graph?.groups.length ?? 0) > 0);
}

/** An item that can be opened, where it stands. */
export interface Candidate {
  readonly item: Item;
  readonly region: Region;
  /** How many open items it stands in. */
  readonly level: number;
  /** Whether it alone does work in its place. */
  readonly alone: boolean;
}

/** What is opened, and what before what. */
export interface Choice {
  /** The place of an item in the order, as `isLess` has it: the least opens first. */
  order(candidate: Candidate): readonly number[];
  /** Whether an item is worth being opened beside what is open by then. */
  worth(candidate: Candidate, open: ReadonlySet<Id>): boolean;
  /** Whether so much may be open, which shows so many boxes. A forward group and its backward group count
   * once, as they stand side by side. */
  admits(open: ReadonlySet<Id>, boxes: number, candidate: Candidate): boolean;
  /** Whether an item may open without its twin, where both are not admitted. */
  opensAlone?(candidate: Candidate): boolean;
}

/** What a choice opens of a stage. An item that is not admitted stays closed, whatever opens later. */
export function opened(stage: Stage, choice: Choice): Set<Id> {
  const shown = new Set<Id>();
  const waiting: Candidate[] = [];
  const show = (id: Id, level: number): number => {
    const region = regionOf(stage, id);
    const alone = region.items.filter(isWork).length === 1;
    for (const item of region.items) shown.add(item.id);
    for (const item of region.items) {
      if (holds(item)) insert(waiting, { item, region, level, alone }, choice);
    }
    return region.items.length;
  };
  const open = new Set<Id>();
  let boxes = show(ROOT, 0);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { item, region, level } = next;
    if (open.has(item.id) || !choice.worth(next, open)) continue;
    const together = openable(stage, region, item, shown).filter((id) => !open.has(id));
    const ways =
      together.length > 1 && choice.opensAlone?.(next) ? [together, [item.id]] : [together];
    for (const added of ways) {
      const more = Math.max(...added.map((id) => regionOf(stage, id).items.length));
      for (const id of added) open.add(id);
      if (added.length > 0 && choice.admits(open, boxes + more, next)) {
        for (const id of added) show(id, level + 1);
        boxes += more;
        break;
      }
      for (const id of added) open.delete(id);
    }
  }
  return open;
}

/** Adds a candidate to those that wait, of which the last is opened next, and the older of two alike. */
function insert(waiting: Candidate[], one: Candidate, { order }: Choice): void {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isLess(order(one), order(waiting[middle]!))) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, one);
}

/** Whether of two lists the first number that differs is less in the first list. */
export function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

/** The most boxes that "expand all" opens: a body that is shared 2^16 times must not fill the
 * memory. */
export const MOST_BOXES = 20_000;

/** All of a stage `depth` levels deep, as far as at most `budget` boxes show, counted as they are drawn: level by
 * level, what holds most first, every item that still fits. */
export const openWithin = (
  stage: Stage,
  budget: number,
  depth = Number.POSITIVE_INFINITY,
): Set<Id> =>
  opened(stage, {
    order: ({ level, item }) => [level, -item.count],
    worth: ({ level }) => level < depth,
    admits: (_, boxes) => boxes <= budget,
  });

/** Whether all is open down to the chosen depth. */
export function isOpenTo(stage: Stage, open: ReadonlySet<Id>, depth: Opening['depth']): boolean {
  let level: readonly Id[] = [ROOT];
  for (let at = 0; at < (depth ?? 0) && level.length > 0; at += 1) {
    level = level.flatMap((id) => drawn(stage, id).filter(holds)).map(({ id }) => id);
    if (level.some((id) => !open.has(id))) return false;
  }
  return true;
}

/** A sentence that says that not all could be opened down to the chosen depth; null where all is. */
export function whatIsCut(
  stage: Stage,
  open: ReadonlySet<Id>,
  { depth, boxes }: Opening,
): string | null {
  if (isOpenTo(stage, open, depth)) return null;
  const most = thousands(Math.min(boxes ?? MOST_BOXES, MOST_BOXES));
  return __(
    'Not everything down to depth %1 is open: at most %2 boxes are drawn.',
    String(depth),
    most,
  );
}

/** What "expand all" opens. */
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

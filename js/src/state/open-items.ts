/** Opens the items of a program one after another, within limits. The first view (`first-view.ts`)
 * and *Expand all* use this search. */
import { graphAt, pairOf } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { appliesBody } from '../facts/text/detail';
import { __, thousands } from '../language';
import type { Graph, Group, Opening, Stage } from '../schema';

/** Groups whose contents were not sent, because the drawing has no room for them. */
const sealed = new WeakSet<Group>();

/** Marks a group that never opens at first, because its contents were not sent. */
export function seal(group: Group): void {
  sealed.add(group);
}

/** The items of one open group, body or graph, with their graph and the group itself. */
export interface Region {
  graph: Graph | null;
  group: Group | null;
  items: readonly Item[];
}

/** The region of an item: its contents when it is open. */
export function regionOf(stage: Stage, id: Id): Region {
  const items = drawn(stage, id);
  const graph = graphAt(stage, items[0] ? parse(items[0].id).path : ROOT);
  return { graph, group: id === ROOT ? null : groupOf(graph, id), items };
}

/** True if an item can open at first. Gathered inputs stay gathered. */
const canOpen = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** The items that open together with an item, itself first: a visible forward group opens with its
 * backward group. Empty if the item does not open at first. */
function openable(stage: Stage, { graph }: Region, item: Item, shown: ReadonlySet<Id>): Id[] {
  if (!canOpen(item)) return [];
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

/** True if the body of an eqn only shows how the op works inside: how a reduction combines two
 * values, or the parts of a fusion. */
export function isInner({ graph }: Region, { kind, start }: Item): boolean {
  const op = kind === 'eqn' ? (graph?.eqns[start]?.op ?? '') : '';
  return appliesBody(op) || (op === 'fusion' && (graph?.groups.length ?? 0) > 0);
}

/** An item that can be opened, in its place. */
export interface Candidate {
  readonly item: Item;
  readonly region: Region;
  /** The number of open items around it. */
  readonly level: number;
  /** True if no other item in its place does work. */
  readonly alone: boolean;
}

/** The rules for opening: what opens, and in which order. */
export interface Choice {
  /** The item's place in the order (see `isLess`): the least opens first. */
  order(candidate: Candidate): readonly number[];
  /** True if an item is worth opening beside the items that are open so far. */
  worth(candidate: Candidate, open: ReadonlySet<Id>): boolean;
  /** True if these items may be open, with this many visible boxes. A forward group and its backward
   * group count once, because they are side by side. */
  admits(open: ReadonlySet<Id>, boxes: number, candidate: Candidate): boolean;
  /** True if an item may open without its counterpart when there is no room for both. */
  opensAlone?(candidate: Candidate): boolean;
}

/** The items that a choice opens in a stage. An item that is not admitted stays closed, whatever
 * opens later. */
export function opened(stage: Stage, choice: Choice): Set<Id> {
  const shown = new Set<Id>();
  const queue: Candidate[] = [];
  const show = (id: Id, level: number): number => {
    const region = regionOf(stage, id);
    const work = region.items.filter(({ kind }) => kind === 'eqn' || kind === 'group');
    const alone = work.length === 1;
    for (const item of region.items) shown.add(item.id);
    for (const item of region.items) {
      if (canOpen(item)) insert(queue, { item, region, level, alone }, choice);
    }
    return region.items.length;
  };
  const open = new Set<Id>();
  let boxes = show(ROOT, 0);
  for (let next = queue.pop(); next; next = queue.pop()) {
    const { item, region, level } = next;
    if (open.has(item.id) || !choice.worth(next, open)) continue;
    const together = openable(stage, region, item, shown).filter((id) => !open.has(id));
    const options =
      together.length > 1 && choice.opensAlone?.(next) ? [together, [item.id]] : [together];
    for (const added of options) {
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

/** Inserts a candidate into the queue, whose last item opens next. Of two equal ones, the older
 * opens first. */
function insert(queue: Candidate[], one: Candidate, { order }: Choice): void {
  let [low, high] = [0, queue.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isLess(order(one), order(queue[middle]!))) low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, one);
}

/** Compares two lists lexicographically. */
export function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

/** The most boxes that *Expand all* opens: a body that is shared 2^16 times must not fill the
 * memory. */
export const MOST_BOXES = 20_000;

/** Opens a stage to `depth`, as long as at most `budget` boxes are visible: level by level, the
 * largest item first, each item that still fits. */
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

/** True if all items are open down to the chosen depth. */
export function isOpenTo(stage: Stage, open: ReadonlySet<Id>, depth: Opening['depth']): boolean {
  let level: readonly Id[] = [ROOT];
  for (let at = 0; at < (depth ?? 0) && level.length > 0; at += 1) {
    level = level.flatMap((id) => drawn(stage, id).filter(canOpen)).map(({ id }) => id);
    if (level.some((id) => !open.has(id))) return false;
  }
  return true;
}

/** A sentence that says that not all items are open down to the chosen depth; null if they are. */
export function depthNote(
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

/** The items that *Expand all* opens. */
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

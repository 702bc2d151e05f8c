/** Opens the items of a program one after another, within limits. The first view (`first-view.ts`)
 * and *Expand all* (`expand-all.ts`) use this search. */
import { graphAt, pairOf } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { cached } from '../facts/maps';
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

/** The items of a region that do work: its eqns and groups. */
export const workIn = ({ items }: Region): Item[] =>
  items.filter(({ kind }) => kind === 'eqn' || kind === 'group');

/** True if an item can open at first. Gathered inputs stay gathered. */
export const canOpen = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** The items that open together with an item, itself first: a visible forward group opens with its
 * backward group. Empty if the item does not open at first. */
function openable(stage: Stage, { graph }: Region, item: Item, shown: ReadonlySet<Id>): Id[] {
  if (!canOpen(item)) return [];
  const together = [item.id, ...pairOf(stage, item.id).filter((id) => shown.has(id))];
  return together.some((id) => isSealed(graph, id)) ? [] : together;
}

/** True if the contents of a group were not sent. */
export function isSealed(graph: Graph | null, id: Id): boolean {
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
  readonly opensAlone?: boolean;
  /** The failures in a row after which no more of the items that were not admitted are tried again. */
  readonly retries?: number;
}

/** The items that a choice opens in a stage. At the end the items that were not admitted are tried
 * once more, the smallest first, if the choice has `retries`. */
export function opened(stage: Stage, choice: Choice): Set<Id> {
  const search = new Search(stage, choice);
  const rejected = search.openQueue().sort((a, b) => a.item.count - b.item.count);
  let failures = 0;
  for (const candidate of rejected) {
    if (failures >= (choice.retries ?? 0)) break;
    failures = search.opens(candidate) ? 0 : failures + 1;
    search.openQueue();
  }
  return search.open;
}

/** A candidate with its place in the order. */
interface Waiting {
  readonly candidate: Candidate;
  readonly order: readonly number[];
}

class Search {
  readonly open = new Set<Id>();
  private readonly shown = new Set<Id>();
  private readonly queue: Waiting[] = [];
  private boxes: number;

  constructor(
    private readonly stage: Stage,
    private readonly choice: Choice,
  ) {
    this.boxes = this.show(ROOT, 0);
  }

  /** Opens what is waiting, and what it contains. Returns the candidates that were not admitted. */
  openQueue(): Candidate[] {
    const rejected: Candidate[] = [];
    for (let next = this.queue.pop(); next; next = this.queue.pop()) {
      if (!this.opens(next.candidate)) rejected.push(next.candidate);
    }
    return rejected;
  }

  /** Opens an item with its counterpart, else alone if the choice allows that. Returns false if it
   * stays closed for lack of room. */
  opens(candidate: Candidate): boolean {
    const { item, region, level } = candidate;
    if (this.open.has(item.id) || !this.choice.worth(candidate, this.open)) return true;
    const closed = (id: Id): boolean => !this.open.has(id);
    const together = openable(this.stage, region, item, this.shown).filter(closed);
    if (together.length === 0) return true;
    const alone = together.length > 1 && this.choice.opensAlone;
    for (const ids of alone ? [together, [item.id]] : [together]) {
      const more = Math.max(...ids.map((id) => regionOf(this.stage, id).items.length));
      for (const id of ids) this.open.add(id);
      if (this.choice.admits(this.open, this.boxes + more, candidate)) {
        for (const id of ids) this.show(id, level + 1);
        this.boxes += more;
        return true;
      }
      for (const id of ids) this.open.delete(id);
    }
    return false;
  }

  /** Adds the items of a region to those that wait. Returns their number. */
  private show(id: Id, level: number): number {
    const region = regionOf(this.stage, id);
    const alone = workIn(region).length === 1;
    for (const item of region.items) this.shown.add(item.id);
    for (const item of region.items) {
      if (canOpen(item)) this.insert({ item, region, level, alone });
    }
    return region.items.length;
  }

  /** Inserts a candidate into the queue, whose last one opens next. Of two equal ones, the older
   * opens first. */
  private insert(candidate: Candidate): void {
    const order = this.choice.order(candidate);
    let [low, high] = [0, this.queue.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isLess(order, this.queue[middle]!.order)) low = middle + 1;
      else high = middle;
    }
    this.queue.splice(low, 0, { candidate, order });
  }
}

/** Compares two lists lexicographically. */
export function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

/** The most boxes that are open at once: a body that is shared 2^16 times must not fill the
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

/** All items, as far as there are not too many. */
export const everything = cached((stage: Stage): ReadonlySet<Id> => openWithin(stage, MOST_BOXES));

/** Decides what is open when a program is first shown, so that it fits the room there is, and what
 * "expand all" opens. */

import { appliesBody } from '../facts/detail';
import {
  ADDED,
  type Differences,
  holdsLoud,
  isAnyLoud,
  kindOfItem,
  kindsIn,
  REMOVED,
} from '../facts/differences';
import { graphAt, pairOf } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { __ } from '../language';
import type { Graph, Group, Opening, Stage } from '../schema';

/** The room for a picture, px at zoom 1. */
export interface View {
  readonly width: number;
  readonly height: number;
}

/** The room that a notebook's cell gives. */
export const CELL: View = { width: 900, height: 540 };
/** The area that a box takes with the space around it, px², at a zoom at which types can be read. */
const BOX_AREA = 15_000;
/** How many boxes open at first: at most as many as one takes in at a glance, at least as many as
 * say something, whatever the room. */
const FIRST_BOXES = { least: 24, most: 60 };
/** The most boxes that "expand all" opens: a body that is shared 2^16 times must not fill the
 * memory. */
const MOST_BOXES = 20_000;

const budgetOf = ({ width, height }: View): number =>
  Math.max(FIRST_BOXES.least, Math.min(FIRST_BOXES.most, Math.round((width * height) / BOX_AREA)));

/** Groups whose contents were left out, as there was no room for them in what is drawn. */
const sealed = new WeakSet<Group>();

/** Marks a group as one that never opens at first, as its contents were left out. */
export function seal(group: Group): void {
  sealed.add(group);
}

/** The items that one group, body or graph shows, and the graph that they are of. */
interface Region {
  graph: Graph | null;
  group: Group | null;
  items: Item[];
}

/** The limits to what is opened. */
interface Limits {
  /** The most boxes up to which wrappers are opened. */
  most?: number;
  /** The most levels that are opened, counted as they are drawn. */
  depth?: number;
}

/** Whether an item of a region is worth opening, given what is open so far. */
type WorthOpening = (item: Item, region: Region, open: ReadonlySet<Id>) => boolean;

/** Chooses what to open so that at most `budget` boxes show. It goes level by level and opens what
 * holds most first: every item that still fits and is `worth` it. A wrapper (the only eqn or group
 * of its region) is opened whatever it costs, up to `most` boxes. A forward group and its backward
 * group are opened together or not at all, and count once, as they stand side by side. What lies
 * deeper than `depth` levels stays closed. */
export function openWithin(
  stage: Stage,
  budget: number,
  worth: WorthOpening = () => true,
  { most = MOST_BOXES, depth = Number.POSITIVE_INFINITY }: Limits = {},
): Set<Id> {
  const open = new Set<Id>();
  const root = regionOf(stage, ROOT);
  let boxes = root.items.length;
  let level: Region[] = [root];
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    const next: Region[] = [];
    const shown = new Set(level.flatMap(({ items }) => items.map(({ id }) => id)));
    for (const region of level) {
      const single = region.items.filter(isWork).length === 1;
      for (const item of largestFirst(region)) {
        if (!holds(item) || open.has(item.id)) continue;
        if (!(single && !isInner(region, item)) && !worth(item, region, open)) continue;
        const together = [item.id, ...pairOf(stage, item.id).filter((id) => shown.has(id))];
        if (together.some((id) => isSealed(region.graph, id))) continue;
        const held = together.map((id) => regionOf(stage, id));
        const more = Math.max(...held.map(({ items }) => items.length));
        if (!(single && more <= most) && boxes + more > budget) continue;
        for (const id of together) open.add(id);
        boxes += more;
        next.push(...held);
      }
    }
    level = boxes > most ? [] : next;
  }
  return open;
}

/** Whether an item can be opened at first. Gathered inputs stay gathered. */
const holds = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** The items of a region, those that hold most first; the optimizer last, as it comes after the
 * passes. */
function largestFirst({ graph, items }: Region): Item[] {
  const late = (item: Item) => (groupOf(graph, item.id)?.role === 'optimizer' ? 1 : 0);
  return [...items].sort((a, b) => late(a) - late(b) || b.count - a.count);
}

/** Whether the contents of an eqn only show how the op works inside: for a reduction how two values
 * become one, for a fusion what it was made from. */
function isInner({ graph }: Region, { kind, start }: Item): boolean {
  const op = kind === 'eqn' ? (graph?.eqns[start]?.op ?? '') : '';
  return appliesBody(op) || (op === 'fusion' && (graph?.groups.length ?? 0) > 0);
}

const isWork = ({ kind }: Item): boolean => kind === 'eqn' || kind === 'group';

/** The test for the first view. Of groups that repeat one another only the first opens. Of a pass
 * of a training step only the largest part opens, as the names of the others say enough. The
 * optimizer stays closed where the passes do. */
function telling(): WorthOpening {
  const seen = new Set<string>();
  return (item, region, open) => {
    const { graph, group: outer, items } = region;
    if (isInner(region, item)) return false;
    const group = groupOf(graph, item.id);
    const key = `${graph?.name} ${group?.role} ${group?.alike}`;
    const repeats = group !== null && group.alike >= 0 && seen.has(key);
    seen.add(key);
    if (group?.role === 'optimizer' && passesClosed(graph, items, open)) return false;
    if (!outer || outer.role === '') return !repeats;
    const whole = items.filter(isWork).reduce((sum, { count }) => sum + Math.max(1, count), 0);
    return !repeats && group?.kind !== 'repeat' && 2 * item.count >= whole;
  };
}

/** Whether one of the step's passes is closed. */
const passesClosed = (
  graph: Graph | null,
  items: readonly Item[],
  open: ReadonlySet<Id>,
): boolean => items.some(({ id }) => groupOf(graph, id)?.role === 'forward' && !open.has(id));

/** The region of an item: what it shows when it is open. */
function regionOf(stage: Stage, id: Id): Region {
  const items = drawn(stage, id);
  const graph = graphAt(stage, items[0] ? parse(items[0].id).path : ROOT);
  return { graph, group: id === ROOT ? null : groupOf(graph, id), items };
}

function isSealed(graph: Graph | null, id: Id): boolean {
  const group = groupOf(graph, id);
  return group !== null && sealed.has(group);
}

function groupOf(graph: Graph | null, id: Id): Group | null {
  const { step } = parse(id);
  return step.kind === 'group' ? (graph?.groups[step.index] ?? null) : null;
}

/** The test for a comparison: what holds changes next to what is the same. */
function changing(stage: Stage, differences: Differences): WorthOpening {
  const tells = telling();
  return (item, region, open) => {
    const kind = kindOfItem(differences, stage, item);
    if (kind === ADDED || kind === REMOVED) return tells(item, region, open);
    return !isInner(region, item) && holdsLoud(kindsIn(differences, stage, item));
  };
}

/** What is open at first. If a depth was chosen, all down to it. Else what `telling` picks; in a
 * comparison what holds changes, unless only types differ. At most as many boxes show as were
 * chosen or as the view has room for; wrappers open until `most` show. */
export function firstView(
  stage: Stage,
  differences: Differences | null = null,
  view: View = CELL,
  { depth, boxes }: Opening = {},
  most = MOST_BOXES,
): Set<Id> {
  if (depth != null) {
    return openWithin(stage, Math.min(boxes ?? most, most), () => true, { most, depth });
  }
  const worth = differences && isAnyLoud(differences) ? changing(stage, differences) : telling();
  return openWithin(stage, Math.min(boxes ?? budgetOf(view), most), worth, { most });
}

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
  const most = Math.min(boxes ?? MOST_BOXES, MOST_BOXES).toLocaleString('en');
  return __('Not all down to depth %1 is open: at most %2 boxes are drawn.', String(depth), most);
}

/** What "expand all" opens. */
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

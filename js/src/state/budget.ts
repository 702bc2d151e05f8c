/** What of a program is open at first: as its author chose, else what tells most, as far as there is room. */
import { ADDED, REMOVED } from '../facts/compared/difference-kinds';
import {
  type Differences,
  holdsLoud,
  isAnyLoud,
  kindOfItem,
  kindsIn,
} from '../facts/compared/differences';
import { appliesBody } from '../facts/detail';
import { graphAt } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { pairOf } from '../facts/pairs';
import { __ } from '../language';
import type { Graph, Group, Opening, Stage } from '../schema';

/** A view, px at zoom 1. */
export interface View {
  readonly width: number;
  readonly height: number;
}

/** A cell of a notebook. */
export const CELL: View = { width: 900, height: 540 };
/** What a box takes of the view with the space around it, where types can still be read: px². */
const AREA = 15_000;
/** Boxes that one can take in at a glance, however large the view, and however small. */
const GLANCE = { least: 24, most: 60 };
/** Boxes that "expand all" stops at: a body shared 2^16 times must not fill the memory. */
const MOST_BOXES = 20_000;

const budgetOf = ({ width, height }: View): number =>
  Math.max(GLANCE.least, Math.min(GLANCE.most, Math.round((width * height) / AREA)));

/** Groups of which not all is there: those that have no room in what is to be drawn. */
const sealed = new WeakSet<Group>();

/** Keeps a group closed in what opens at first. */
export function seal(group: Group): void {
  sealed.add(group);
}

/** The items of one region that show, and the group that holds them. */
interface Region {
  graph: Graph | null;
  group: Group | null;
  items: Item[];
}

/** How far opening goes. */
interface Limits {
  /** Boxes that a wrapper may make show. */
  most?: number;
  /** Levels that open, as they are drawn. */
  depth?: number;
}

/** Whether to open an item of a region, of which that is open. */
type Worth = (item: Item, region: Region, open: ReadonlySet<Id>) => boolean;

/**
 * What to open so that at most `budget` boxes show: breadth first, what holds the most before others,
 * each item that still fits and is `worth` it. A wrapper (the only eqn or group of its region) is opened whatever it
 * costs, up to `most` boxes; a forward and its backward group are opened both or none, and count once, as they stand
 * side by side. What lies deeper than `depth` levels stays closed.
 */
export function openWithin(
  stage: Stage,
  budget: number,
  worth: Worth = () => true,
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

/** Whether an item is opened at first: inputs that are gathered stay so. */
const holds = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** An optimizer comes behind the passes, which it follows. */
function largestFirst({ graph, items }: Region): Item[] {
  const late = (item: Item) => (groupOf(graph, item.id)?.role === 'optimizer' ? 1 : 0);
  return [...items].sort((a, b) => late(a) - late(b) || b.count - a.count);
}

/** Whether it holds but how an operation works inside: of a reduction how two values become one, of
 * a fusion, where there is more to see, what it was made from. */
function isInner({ graph }: Region, { kind, start }: Item): boolean {
  const op = kind === 'eqn' ? (graph?.eqns[start]?.op ?? '') : '';
  return appliesBody(op) || (op === 'fusion' && (graph?.groups.length ?? 0) > 0);
}

const isWork = ({ kind }: Item): boolean => kind === 'eqn' || kind === 'group';

/** What the first view opens: of groups that repeat one another the first, and of a pass of a
 * training step only what is most of it: the names of its parts tell enough. The optimizer stays
 * closed where the passes do. */
function telling(): Worth {
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

/** Whether a pass of the step is closed. */
const passesClosed = (
  graph: Graph | null,
  items: readonly Item[],
  open: ReadonlySet<Id>,
): boolean => items.some(({ id }) => groupOf(graph, id)?.role === 'forward' && !open.has(id));

/** What an item holds. */
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

/** What a comparison opens: what holds changes beside what is the same. */
function changing(stage: Stage, differences: Differences): Worth {
  const tells = telling();
  return (item, region, open) => {
    const kind = kindOfItem(differences, stage, item);
    if (kind === ADDED || kind === REMOVED) return tells(item, region, open);
    return !isInner(region, item) && holdsLoud(kindsIn(differences, stage, item));
  };
}

/** All down to a depth that was chosen; else what tells most, of a comparison what holds changes,
 * unless all that differs are types. At most so many boxes show as were chosen, or as the view has
 * room for; of wrappers at most so that `most` show. */
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

/** Whether all down to the depth that was chosen is open. */
export function isOpenTo(stage: Stage, open: ReadonlySet<Id>, depth: Opening['depth']): boolean {
  let level: readonly Id[] = [ROOT];
  for (let at = 0; at < (depth ?? 0) && level.length > 0; at += 1) {
    level = level.flatMap((id) => drawn(stage, id).filter(holds)).map(({ id }) => id);
    if (level.some((id) => !open.has(id))) return false;
  }
  return true;
}

/** One sentence, where not all down to the depth that was chosen could be opened; else null. */
export function whatIsCut(
  stage: Stage,
  open: ReadonlySet<Id>,
  { depth, boxes }: Opening,
): string | null {
  if (isOpenTo(stage, open, depth)) return null;
  const most = Math.min(boxes ?? MOST_BOXES, MOST_BOXES).toLocaleString('en');
  return __('Not all down to depth %1 is open: at most %2 boxes are drawn.', String(depth), most);
}

export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

/** Chooses what is open when a program is first shown: what says most, as far as all of the program can
 * then be read in the room there is. It is measured: each choice is laid out. */
import {
  ADDED,
  type Differences,
  holdsLoud,
  isAnyLoud,
  kindOfItem,
  kindsIn,
  REMOVED,
} from '../facts/differences';
import { innermostFirst, nestingOf } from '../facts/graph';
import { type Id, ROOT } from '../facts/ids';
import { familyIn } from '../facts/kinds';
import { cached } from '../facts/maps';
import { drawn, type Item } from '../facts/outline';
import {
  FLOOR,
  LEAST_GAP,
  MARGIN,
  ROW_GAPS,
  type Shape,
  SQUEEZES,
  shapeOf,
  spaced,
  type View,
} from '../layout/measure';
import { sizeOfScene } from '../layout/scene';
import {
  type Eqn,
  FIRST_BOXES,
  type Graph,
  type Group,
  MOST_REPEATS,
  type Opening,
  type Stage,
} from '../schema';
import {
  type Candidate,
  groupOf,
  isInner,
  isLess,
  MOST_BOXES,
  opened,
  openWithin,
  type Region,
} from './opening';

/** The room that the graph has in a notebook's cell, CSS px, until it is measured. */
export const CELL: View = { width: 640, height: 780 };
/** So many boxes fit into no view, however they stand. */
const MANY_BOXES = 150;
/** How many openings are laid out at most. */
const MOST_TRIES = 40;
/** Rows that need not be wrapped are where what is drawn becomes so much larger, or its ground so much smaller. */
const WRAPPED = 1.15;

/** What a program shows at first. */
export interface FirstView {
  readonly open: ReadonlySet<Id>;
  readonly shape: Shape;
}

/** What is open at first, and the shape in which it is drawn. If a depth was chosen, all down to it, and if
 * a number of boxes, so many. Else what tells most, as long as all of it can be read at once: in a
 * comparison what holds changes, unless only types differ. */
export function firstView(
  stage: Stage,
  differences: Differences | null = null,
  room: View = CELL,
  { depth, boxes }: Opening = {},
  most = MOST_BOXES,
): FirstView {
  const trial = new Trial(bare(stage), room);
  const budget = Math.min(boxes ?? most, most);
  if (depth != null) return trial.shown(openWithin(stage, budget, depth));
  const worth =
    differences && isAnyLoud(differences) ? changing(stage, differences) : telling(stage);
  let tries = MOST_TRIES;
  const open = opened(stage, {
    order: (candidate) => [rankOf(candidate), -weightOf(stage, candidate.region, candidate.item)],
    worth,
    admits: (all, shown, { alone }) =>
      boxes == null
        ? (alone || shown <= FIRST_BOXES) && tries-- > 0 && trial.holds(all)
        : alone || shown <= budget,
    opensAlone: (candidate) => tellsMost(stage, candidate),
  });
  return trial.shown(open);
}

/** The stage without what a run told of its values: the same is to open with them as without. */
const bare = cached(
  (stage: Stage): Stage => (stage.values.length === 0 ? stage : { ...stage, values: [] }),
);

/** Lays out what is to be open, to see whether all of it can be read in a room. */
class Trial {
  private limit: View;
  /** Whether the limit is at least the program with nothing open. */
  private isWide = false;
  /** The shape in which all fitted last: it is tried first. */
  private last: Shape;
  /** The size of what is open in each shape: what is asked for again is not laid out again. */
  private readonly sizes = new Map<string, View>();

  constructor(
    private readonly stage: Stage,
    private readonly room: View,
  ) {
    this.limit = { width: room.width / FLOOR, height: room.height / FLOOR };
    this.last = shapeOf(room.width, room.height, true, LEAST_GAP);
  }

  /** Whether all of it can be read, or no less than of the program with nothing open. */
  holds(open: ReadonlySet<Id>): boolean {
    return this.suits(open) || (this.widens() && this.suits(open));
  }

  /** Whether all of it is within the limit, in some shape. */
  private suits(open: ReadonlySet<Id>): boolean {
    if (this.fits(this.sizeIn(open, this.last))) return true;
    for (const { shape, size } of this.laidOut(open)) {
      if (!this.fits(size)) continue;
      this.last = shape;
      return true;
    }
    return false;
  }

  /** Whether the limit is wider than it was, since with nothing open the program is larger. It is laid out with
   * nothing open only when something does not fit, and once. */
  private widens(): boolean {
    if (this.isWide) return false;
    this.isWide = true;
    if (this.suits(NOTHING)) return false;
    const { width, height } = this.best(NOTHING).size;
    this.limit = {
      width: Math.max(this.limit.width, width),
      height: Math.max(this.limit.height, height),
    };
    return true;
  }

  /** What is open, in the shape that suits it best, its rows as far apart as there is room. */
  shown(open: ReadonlySet<Id>): FirstView {
    const { width, height } = this.room;
    const boxes = [ROOT, ...open].reduce((sum, id) => sum + drawn(this.stage, id).length, 0);
    if (boxes > MANY_BOXES) return { open, shape: shapeOf(width, height) };
    if (!this.suits(open)) this.widens();
    const { shape, size } = this.best(open);
    return { open, shape: spaced(shape, this.gapOf(open, shape, size.height)) };
  }

  /** How far apart rows may be, whose height is `low` where they are as near as may be. Between that and the height
   * of those farthest apart it is foretold, since each gap is laid out whole. */
  private gapOf(open: ReadonlySet<Id>, shape: Shape, low: number): number {
    const sizeAt = (gap: number): View => this.sizeIn(open, spaced(shape, gap));
    const rise = (sizeAt(ROW_GAPS[0]).height - low) / (ROW_GAPS[0] - LEAST_GAP);
    const foretold = (gap: number): number => low + rise * (gap - LEAST_GAP);
    const hasRoom = (gap: number): boolean =>
      foretold(gap) <= this.limit.height && this.fits(sizeAt(gap));
    return ROW_GAPS.find(hasRoom) ?? LEAST_GAP;
  }

  private sizeIn(open: ReadonlySet<Id>, shape: Shape): View {
    const key = [shape.beside, shape.wide, shape.rowGap, ...open].join(' ');
    const size = this.sizes.get(key) ?? sizeOfScene(this.stage, open, shape);
    this.sizes.set(key, size);
    return size;
  }

  private fits(size: View): boolean {
    return excess(size, this.limit) <= 1;
  }

  /** What is open in one shape after another, with rows as near as they may be: lanes beside inputs and results or
   * below them, then narrower, as long as that wraps a row and can be drawn enough larger to be chosen. */
  private *laidOut(open: ReadonlySet<Id>): Generator<Laid> {
    const { width, height } = this.room;
    for (const beside of [true, false]) {
      let widest = Number.POSITIVE_INFINITY;
      for (const squeeze of SQUEEZES) {
        const shape = shapeOf(width, height, beside, LEAST_GAP, squeeze);
        if (widest <= shape.wide) continue;
        const size = this.sizeIn(open, shape);
        yield { shape, size, gain: squeeze < 1 ? WRAPPED : 1 };
        const isTall = size.height > this.limit.height && size.width <= this.limit.width;
        widest = isTall || WRAPPED * this.zoom(size) > 1 ? 0 : size.width - 2 * MARGIN;
      }
    }
  }

  /** At which zoom all of it is seen, at most 1. */
  private zoom({ width, height }: View): number {
    return Math.min(1, this.room.width / width, this.room.height / height);
  }

  /** The shape in which least is cut, then that with the largest zoom, then that with the least ground. */
  private best(open: ReadonlySet<Id>): Laid {
    return [...this.laidOut(open)]
      .map((laid) => {
        const { size, gain } = laid;
        const ground = size.width * size.height * gain;
        return { ...laid, order: [excess(size, this.limit), -this.zoom(size) / gain, ground] };
      })
      .reduce((a, b) => (isLess(b.order, a.order) ? b : a));
  }
}

/** A shape, and the size of the scene in it. */
interface Laid {
  readonly shape: Shape;
  readonly size: View;
  /** How many times better than others it has to be: above 1 where rows are wrapped sooner than they must be. */
  readonly gain: number;
}

/** How many times as large as the room a scene is; at most 1 where all of it fits. */
const excess = ({ width, height }: View, room: View): number =>
  Math.max(1, width / room.width) * Math.max(1, height / room.height);

const NOTHING: ReadonlySet<Id> = new Set();

/** Whether an item is worth opening, given what is open so far. */
export type WorthOpening = (candidate: Candidate, open: ReadonlySet<Id>) => boolean;

/** The weight of an eqn that multiplies matrices; other eqns have 1. */
const CONTRACTION = 32;
/** The least share of the program that is worth being opened. */
const LEAST_SHARE = 0.04;
/** An item stays closed beside a closed one that contains this many times as much. */
const OUTWEIGHED = 2;

/** Roles of what a step does beside its passes: it opens last. */
const LATE = ['optimizer', 'state', 'metrics'];

/** What is opened first, by rank: what stands alone in its place, the passes of a step, all else, and last what
 * the step does beside them. */
function rankOf({ item, region: { graph, group: outer }, alone }: Candidate): number {
  if (alone) return 0;
  const role = groupOf(graph, item.id)?.role ?? '';
  if (LATE.includes(role)) return 3;
  return role !== '' && !outer?.role ? 1 : 2;
}

/** How much of the program's work an item holds. */
export function weightOf(stage: Stage, { graph }: Region, { start, stop, kind }: Item): number {
  if (!graph) return 0;
  const before = weightBefore(stage, graph);
  const all = (before[stop] ?? 0) - (before[start] ?? 0);
  return kind === 'body' ? all / 2 : all;
}

const weightOfEqn = (stage: Stage, eqn: Eqn, total: readonly number[]): number =>
  (familyIn(stage, eqn) === 'contraction' ? CONTRACTION : 1) +
  eqn.bodies.reduce((sum, { graph }) => sum + (total[graph] ?? 0), 0);

/** The weight of each graph of a stage. */
const weights = cached((stage: Stage): number[] => {
  const total = stage.graphs.map(() => 0);
  for (const at of innermostFirst(stage)) {
    total[at] = (stage.graphs[at]?.eqns ?? []).reduce(
      (sum, eqn) => sum + weightOfEqn(stage, eqn, total),
      0,
    );
  }
  return total;
});

const sums = new WeakMap<Graph, Float64Array>();

/** For each n, the weight of the eqns `[0, n)` of a graph. */
function weightBefore(stage: Stage, graph: Graph): Float64Array {
  const known = sums.get(graph);
  if (known) return known;
  const total = weights(stage);
  const before = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, index) => {
    before[index + 1] = before[index]! + weightOfEqn(stage, eqn, total);
  });
  sums.set(graph, before);
  return before;
}

/** The test for a first view. Of groups that repeat one another only the first opens, and many of them are one
 * box. Of a pass of a training step only the part opens that holds most of it, as the names of the others say
 * enough, and of the backward pass only with its twin. The optimizer stays closed where the passes do, and what
 * it holds stays closed beside them. */
function telling(stage: Stage): WorthOpening {
  return ({ item, region, alone }, open) => {
    const { graph, group: outer, items } = region;
    if (isInner(region, item)) return false;
    if (outer?.role === 'backward') return false;
    const group = groupOf(graph, item.id);
    if (alone) return !isRowOfShortTurns(graph, group);
    if (group && !isFirst(graph, items, group)) return false;
    if (group?.kind === 'repeat' && membersOf(graph, group) > MOST_REPEATS) return false;
    if (group?.role && !outer?.role) {
      return group.role !== 'optimizer' || !passesClosed(graph, items, open);
    }
    if (LATE.includes(outer?.role ?? '') && hasPasses(graph)) return false;
    const weight = weightOf(stage, region, item);
    if (weight < LEAST_SHARE * (weights(stage)[0] ?? 0)) return false;
    if (!outer?.role) return !isOutweighed(stage, region, item, weight, open);
    return 2 * weight >= weightOfAll(stage, region);
  };
}

/** Whether a forward pass tells most of what stands in its place: it may open beside a closed backward pass. */
function tellsMost(stage: Stage, { item, region }: Candidate): boolean {
  if (groupOf(region.graph, item.id)?.role !== 'forward' || region.group?.role) return false;
  return 2 * weightOf(stage, region, item) >= weightOfAll(stage, region);
}

const weightOfAll = (stage: Stage, region: Region): number =>
  region.items.reduce((sum, item) => sum + weightOf(stage, region, item), 0);

/** Whether something that holds much more stays closed beside an item. */
const isOutweighed = (
  stage: Stage,
  region: Region,
  { id }: Item,
  weight: number,
  open: ReadonlySet<Id>,
): boolean =>
  region.items.some(
    (one) =>
      one.id !== id &&
      one.foldable &&
      !open.has(one.id) &&
      weightOf(stage, region, one) > OUTWEIGHED * weight,
  );

/** Whether a group is the first of those in its place that repeat one another. */
const isFirst = (graph: Graph | null, items: readonly Item[], group: Group): boolean =>
  group.alike < 0 ||
  items.map(({ id }) => groupOf(graph, id)).find((one) => one?.alike === group.alike) === group;

/** Whether a group is the many turns of a loop that made an eqn or two in each: their boxes tell no more than it. */
const isRowOfShortTurns = (graph: Graph | null, group: Group | null): boolean =>
  group?.kind === 'repeat' && group.stop - group.start <= 2 * membersOf(graph, group);

const membersOf = (graph: Graph | null, group: Group): number =>
  graph ? (nestingOf(graph).members[graph.groups.indexOf(group)] ?? 0) : 0;

const hasPasses = (graph: Graph | null): boolean =>
  graph?.groups.some(({ role }) => role === 'forward') ?? false;

/** Whether one of the step's passes is closed. */
const passesClosed = (
  graph: Graph | null,
  items: readonly Item[],
  open: ReadonlySet<Id>,
): boolean => items.some(({ id }) => groupOf(graph, id)?.role === 'forward' && !open.has(id));

/** The test for a comparison: what holds changes next to what is the same. */
function changing(stage: Stage, differences: Differences): WorthOpening {
  const tells = telling(stage);
  return (candidate, open) => {
    const { item, region } = candidate;
    const kind = kindOfItem(differences, stage, item);
    if (kind === ADDED || kind === REMOVED) return tells(candidate, open);
    return !isInner(region, item) && holdsLoud(kindsIn(differences, stage, item));
  };
}

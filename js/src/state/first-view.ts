/** Chooses what is open when a program is first shown: the most important items, as long as the
 * whole program is readable in the available room. Each choice is laid out and measured. */
import {
  ADDED,
  type Differences,
  hasLoud,
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
} from './open-items';

/** The default room of the graph in a notebook's cell, CSS px, until it is measured. */
export const CELL: View = { width: 640, height: 780 };
/** With more boxes, no layout fits into a view, so none is tried. */
const MANY_BOXES = 150;
/** The most openings that are laid out. */
const MOST_TRIES = 40;
/** Rows are wrapped without need only if that enlarges the drawing, or shrinks its area, by this
 * factor. */
const WRAPPED = 1.15;

/** The first view of a program: its open items, and the shape of its drawing. */
export interface FirstView {
  readonly open: ReadonlySet<Id>;
  readonly shape: Shape;
}

/** The items that are open at first, and the shape of the drawing. A chosen depth or number of boxes
 * is opened as far as allowed. Otherwise the most important items open, as long as the whole is
 * readable; in a comparison, the items with changes, unless only types differ. */
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
    differences && isAnyLoud(differences)
      ? worthInComparison(stage, differences)
      : worthInProgram(stage);
  let tries = MOST_TRIES;
  const open = opened(stage, {
    order: (candidate) => [rankOf(candidate), -weightOf(stage, candidate.region, candidate.item)],
    worth,
    admits: (all, shown, { alone }) =>
      boxes == null
        ? (alone || shown <= FIRST_BOXES) && tries-- > 0 && trial.holds(all)
        : alone || shown <= budget,
    opensAlone: (candidate) => isMainForward(stage, candidate),
  });
  return trial.shown(open);
}

/** The stage without measured values: they must not change what opens. */
const bare = cached(
  (stage: Stage): Stage => (stage.values.length === 0 ? stage : { ...stage, values: [] }),
);

/** Lays out candidates for the first view, to see if they are readable in a room. */
class Trial {
  private limit: View;
  /** True if the limit is at least the size of the program with nothing open. */
  private isWide = false;
  /** The last shape in which everything fitted. It is tried first. */
  private last: Shape;
  /** The size of each opening in each shape, so that none is laid out twice. */
  private readonly sizes = new Map<string, View>();

  constructor(
    private readonly stage: Stage,
    private readonly room: View,
  ) {
    this.limit = { width: room.width / FLOOR, height: room.height / FLOOR };
    this.last = shapeOf(room.width, room.height, true, LEAST_GAP);
  }

  /** True if everything is readable, or the drawing is no larger than with nothing open. */
  holds(open: ReadonlySet<Id>): boolean {
    return this.suits(open) || (this.widens() && this.suits(open));
  }

  /** True if some shape keeps the drawing within the limit. */
  private suits(open: ReadonlySet<Id>): boolean {
    if (this.fits(this.sizeIn(open, this.last))) return true;
    for (const { shape, size } of this.layouts(open)) {
      if (!this.fits(size)) continue;
      this.last = shape;
      return true;
    }
    return false;
  }

  /** Raises the limit to the program's size with nothing open, if that is larger. Returns true if it
   * did. Called only when something does not fit, because it needs a layout. */
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

  /** The first view with these open items, in the best shape, with the widest row gaps that fit. */
  shown(open: ReadonlySet<Id>): FirstView {
    const { width, height } = this.room;
    const boxes = [ROOT, ...open].reduce((sum, id) => sum + drawn(this.stage, id).length, 0);
    if (boxes > MANY_BOXES) return { open, shape: shapeOf(width, height) };
    if (!this.suits(open)) this.widens();
    const { shape, size } = this.best(open);
    return { open, shape: spaced(shape, this.gapOf(open, shape, size.height)) };
  }

  /** The widest row gap that fits; the drawing has the height `low` with the smallest gap. Heights
   * in between are estimated linearly, because each gap needs a whole layout. */
  private gapOf(open: ReadonlySet<Id>, shape: Shape, low: number): number {
    const sizeAt = (gap: number): View => this.sizeIn(open, spaced(shape, gap));
    const rise = (sizeAt(ROW_GAPS[0]).height - low) / (ROW_GAPS[0] - LEAST_GAP);
    const estimated = (gap: number): number => low + rise * (gap - LEAST_GAP);
    const hasRoom = (gap: number): boolean =>
      estimated(gap) <= this.limit.height && this.fits(sizeAt(gap));
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

  /** Lays out one shape after another with the smallest row gap: lanes beside inputs and results,
   * then below them. Each time it also tries narrower shapes, as long as they wrap a row and allow
   * a zoom that is large enough to win. */
  private *layouts(open: ReadonlySet<Id>): Generator<Layout> {
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

  /** The zoom at which everything is visible, at most 1. */
  private zoom({ width, height }: View): number {
    return Math.min(1, this.room.width / width, this.room.height / height);
  }

  /** The shape that cuts least; among those, with the largest zoom, then with the smallest area. */
  private best(open: ReadonlySet<Id>): Layout {
    return [...this.layouts(open)]
      .map((layout) => {
        const { size, gain } = layout;
        const ground = size.width * size.height * gain;
        return { ...layout, order: [excess(size, this.limit), -this.zoom(size) / gain, ground] };
      })
      .reduce((a, b) => (isLess(b.order, a.order) ? b : a));
  }
}

/** A shape, and the size of the scene in it. */
interface Layout {
  readonly shape: Shape;
  readonly size: View;
  /** This layout is chosen only if it is better than others by this factor. The factor is above 1 if the layout wraps
   * rows without need. */
  readonly gain: number;
}

/** The size of a scene as a multiple of the room, at least 1. */
const excess = ({ width, height }: View, room: View): number =>
  Math.max(1, width / room.width) * Math.max(1, height / room.height);

const NOTHING: ReadonlySet<Id> = new Set();

/** Decides if an item is worth opening, given the open items so far. */
export type WorthOpening = (candidate: Candidate, open: ReadonlySet<Id>) => boolean;

/** The weight of a contraction. Other eqns have weight 1. */
const CONTRACTION = 32;
/** An item below this share of the program is not worth opening. */
const LEAST_SHARE = 0.04;
/** An item stays closed beside a closed item that weighs this many times as much. */
const OUTWEIGHED = 2;

/** Roles in a training step outside its passes: they open last. */
const LATE = ['optimizer', 'state', 'metrics'];

/** The rank of a candidate: first what is alone in its place, then the passes of a step, then the
 * rest, and last the roles outside the passes. */
function rankOf({ item, region: { graph, group: outer }, alone }: Candidate): number {
  if (alone) return 0;
  const role = groupOf(graph, item.id)?.role ?? '';
  if (LATE.includes(role)) return 3;
  return role !== '' && !outer?.role ? 1 : 2;
}

/** The weight of an item: its share of the program's work. */
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
  const computed = sums.get(graph);
  if (computed) return computed;
  const total = weights(stage);
  const before = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, index) => {
    before[index + 1] = before[index]! + weightOfEqn(stage, eqn, total);
  });
  sums.set(graph, before);
  return before;
}

/** The rules of a first view. Of repeated groups only the first opens; a group around many of
 * them stays closed. In a pass of a training step only a part with most of the weight opens, because
 * the names of the others say enough. A backward part opens only with its forward counterpart. The
 * optimizer stays closed if the passes do, and its contents stay closed beside them. */
function worthInProgram(stage: Stage): WorthOpening {
  return ({ item, region, alone }, open) => {
    const { graph, group: outer, items } = region;
    if (isInner(region, item)) return false;
    if (outer?.role === 'backward') return false;
    const group = groupOf(graph, item.id);
    if (alone) return !isShortRepeat(graph, group);
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

/** True for a forward pass with most of the weight in its place: it may open beside a closed
 * backward pass. */
function isMainForward(stage: Stage, { item, region }: Candidate): boolean {
  if (groupOf(region.graph, item.id)?.role !== 'forward' || region.group?.role) return false;
  return 2 * weightOf(stage, region, item) >= weightOfAll(stage, region);
}

const weightOfAll = (stage: Stage, region: Region): number =>
  region.items.reduce((sum, item) => sum + weightOf(stage, region, item), 0);

/** True if a much heavier item stays closed beside this one. */
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

/** True for the first of the repeated groups in its place. */
const isFirst = (graph: Graph | null, items: readonly Item[], group: Group): boolean =>
  group.alike < 0 ||
  items.map(({ id }) => groupOf(graph, id)).find((one) => one?.alike === group.alike) === group;

/** True for many iterations of a loop with an eqn or two in each: their boxes say no more than the
 * group's. */
const isShortRepeat = (graph: Graph | null, group: Group | null): boolean =>
  group?.kind === 'repeat' && group.stop - group.start <= 2 * membersOf(graph, group);

const membersOf = (graph: Graph | null, group: Group): number =>
  graph ? (nestingOf(graph).members[graph.groups.indexOf(group)] ?? 0) : 0;

const hasPasses = (graph: Graph | null): boolean =>
  graph?.groups.some(({ role }) => role === 'forward') ?? false;

const passesClosed = (
  graph: Graph | null,
  items: readonly Item[],
  open: ReadonlySet<Id>,
): boolean => items.some(({ id }) => groupOf(graph, id)?.role === 'forward' && !open.has(id));

/** The rules for a comparison: items with changes open, besides unchanged ones. */
function worthInComparison(stage: Stage, differences: Differences): WorthOpening {
  const isWorth = worthInProgram(stage);
  return (candidate, open) => {
    const { item, region } = candidate;
    const kind = kindOfItem(differences, stage, item);
    if (kind === ADDED || kind === REMOVED) return isWorth(candidate, open);
    return !isInner(region, item) && hasLoud(kindsIn(differences, stage, item));
  };
}

/** Chooses what is open when a program is first shown: the most important items, as long as the
 * whole program is readable in the available room. Each choice is laid out and measured. */
import { type Differences, isAnyLoud } from '../facts/differences';
import { allEqns } from '../facts/graph';
import { type Id, ROOT } from '../facts/ids';
import { cached } from '../facts/maps';
import { drawn } from '../facts/outline';
import { captionOf, sizeOf } from '../layout/caption';
import {
  APART,
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
import { FIRST_BOXES, type Opening, type Stage } from '../schema';
import { isLess, MOST_BOXES, opened, openWithin, regionOf } from './open-items';
import { placeInComparison, placeOf, worthInComparison, worthInProgram } from './worth-opening';

/** The default room of the graph in a notebook's cell, CSS px, until it is measured. */
export const CELL: View = { width: 640, height: 780 };
/** The usual number of layouts that may be rejected. */
const MOST_REJECTED = 60;
/** The failures in a row after which smaller openings are taken not to fit either. */
const RETRIES = 3;
/** If a drawing is larger than the room by this factor, no other shape makes it fit. */
const HOPELESS = 1.25;
/** The most eqns of a small program. All of it should be visible, so boxes may stand closer there. */
const SMALL_PROGRAM = 60;
/** Rows are wrapped without need only if that enlarges the drawing, or shrinks its area, by this
 * factor. */
const WRAPPED = 1.15;

/** The limits of a first view, which keep the work of choosing it small. */
export interface Limits {
  /** The most boxes if a depth or a number of boxes is chosen. */
  readonly boxes: number;
  /** The most layouts that do not fit. After them nothing more opens. */
  readonly rejected: number;
}

/** The first view of a program: its open items, and the shape of its drawing. */
export interface FirstView {
  readonly open: ReadonlySet<Id>;
  readonly shape: Shape;
}

/** The items that are open at first, and the shape of the drawing. A chosen depth or number of boxes
 * is opened as far as allowed. Otherwise the most important items open, as long as the whole is
 * readable; in a comparison first the items with changes, unless only types differ. */
export function firstView(
  stage: Stage,
  differences: Differences | null = null,
  room: View = CELL,
  { depth, boxes }: Opening = {},
  most: Limits = { boxes: MOST_BOXES, rejected: MOST_REJECTED },
): FirstView {
  const trial = new Trial(bare(stage), room, most.rejected);
  const budget = Math.min(boxes ?? most.boxes, most.boxes);
  if (depth != null) return trial.shown(openWithin(stage, budget, depth));
  const changed = differences && isAnyLoud(differences) ? differences : null;
  const open = opened(stage, {
    order: (candidate) =>
      changed ? placeInComparison(stage, changed, candidate) : placeOf(stage, candidate),
    worth: changed ? worthInComparison(stage, changed) : worthInProgram(stage),
    admits: (all, shown, { alone }) =>
      boxes == null ? shown <= FIRST_BOXES && trial.holds(all) : alone || shown <= budget,
    opensAlone: true,
    retries: RETRIES,
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
  private readonly isSmall: boolean;
  /** The last shape in which everything fitted. It is tried first. */
  private last: Shape;
  /** The area of the last drawing that fitted, divided by that of its content. */
  private spread = 0;
  /** The size of each opening in each shape, so that none is laid out twice. */
  private readonly sizes = new Map<string, View>();

  constructor(
    private readonly stage: Stage,
    private readonly room: View,
    /** The number of layouts that may still be rejected. */
    private left: number,
  ) {
    this.limit = { width: room.width / FLOOR, height: room.height / FLOOR };
    this.last = shapeOf(room.width, room.height, false, LEAST_GAP);
    this.isSmall = allEqns(stage) <= SMALL_PROGRAM;
  }

  /** True if everything is readable, or the drawing is no larger than with nothing open. What would
   * not fit by an estimate of its area is not laid out. */
  holds(open: ReadonlySet<Id>): boolean {
    const content = this.contentOf(open);
    if (this.left === 0 || content * this.spread > areaOf(this.limit)) return false;
    if (!this.suits(open) && !(this.widens() && this.suits(open))) {
      this.left -= 1;
      return false;
    }
    this.spread = areaOf(this.sizeIn(open, this.last)) / content;
    return true;
  }

  /** The area of all visible boxes with the least space around them, px². */
  private contentOf(open: ReadonlySet<Id>): number {
    return [ROOT, ...open].reduce((sum, id) => {
      const { graph, items } = regionOf(this.stage, id);
      const closed = items.filter((item) => !open.has(item.id));
      const boxes = closed.map((item) => sizeOf(item, captionOf(this.stage, graph!, item)));
      return boxes.reduce(
        (all, { width, height }) => all + (width + APART) * (height + LEAST_GAP),
        sum,
      );
    }, 0);
  }

  /** True if some shape keeps the drawing within the limit. Shapes with the lanes between inputs and
   * results are not tried: they fit in 2 of 1,083 cases where no other does. A drawing that is only
   * too high is not tried in narrower shapes: this saves a fifth of all layouts. */
  private suits(open: ReadonlySet<Id>): boolean {
    if (this.fits(this.sizeIn(open, this.last))) return true;
    const { width, height } = this.room;
    for (const tight of this.isSmall ? [false, true] : [false]) {
      for (const squeeze of SQUEEZES) {
        const shape = shapeOf(width, height, false, LEAST_GAP, squeeze, tight);
        const size = this.sizeIn(open, shape);
        if (this.fits(size)) {
          this.last = shape;
          return true;
        }
        if (size.width <= this.limit.width || excess(size, this.limit) > HOPELESS) break;
      }
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
    if (boxes > FIRST_BOXES) return { open, shape: shapeOf(width, height) };
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
    const { beside, wide, rowGap, tight } = shape;
    const key = [beside, wide, rowGap, tight, ...open].join(' ');
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
  private *layouts(open: ReadonlySet<Id>, tight: boolean): Generator<Layout> {
    const { width, height } = this.room;
    for (const beside of [true, false]) {
      let widest = Number.POSITIVE_INFINITY;
      for (const squeeze of SQUEEZES) {
        const shape = shapeOf(width, height, beside, LEAST_GAP, squeeze, tight);
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

  /** The shape that cuts least; among those, with the largest zoom, then with the smallest area. A
   * tight shape only if no other fits. */
  private best(open: ReadonlySet<Id>): Layout {
    const usual = [...this.layouts(open, false)];
    const isTight = this.isSmall && !usual.some(({ size }) => this.fits(size));
    return [...usual, ...(isTight ? this.layouts(open, true) : [])]
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

const areaOf = ({ width, height }: View): number => width * height;

/** The size of a scene as a multiple of the room, at least 1. */
const excess = ({ width, height }: View, room: View): number =>
  Math.max(1, width / room.width) * Math.max(1, height / room.height);

const NOTHING: ReadonlySet<Id> = new Set();

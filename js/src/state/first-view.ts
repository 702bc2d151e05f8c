/** Chooses what is open when a program is first shown: what says most, as far as all of the program can
 * then be read in the room there is. It is measured: each choice is laid out. */

import { type Differences, isAnyLoud } from '../facts/differences';
import { type Id, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import {
  FLOOR,
  LEAST_GAP,
  ROW_GAPS,
  type Shape,
  SQUEEZES,
  shapeOf,
  type View,
} from '../layout/measure';
import { sizeOfScene } from '../layout/scene';
import type { Opening, Stage } from '../schema';
import { MOST_BOXES, openWithin } from './budget';
import { groupOf, isWork, openable, type Region, regionOf } from './regions';
import { changing, rankOf, telling, type WorthOpening, weightOf } from './worth';

/** The room that the graph has in a notebook's cell, CSS px, until it is measured. */
export const CELL: View = { width: 640, height: 780 };
/** The most boxes that show at first, as many as one takes in at a glance. */
const FIRST_BOXES = 60;
/** So many boxes fit into no view, however they stand. */
const MANY_BOXES = 150;
/** How many openings are laid out at most. */
const MOST_TRIES = 40;

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
  const worth =
    differences && isAnyLoud(differences) ? changing(stage, differences) : telling(stage);
  const limit = { width: room.width / FLOOR, height: room.height / FLOOR };
  if (depth == null && boxes == null) return best(stage, worth, room, limit);
  const budget = Math.min(boxes ?? most, most);
  const open =
    depth == null
      ? new Search(stage, worth, budget, () => true).result().open
      : openWithin(stage, budget, depth);
  return { open, shape: shapeIn(stage, open, room, limit) };
}

/** The best of what fits into either shape of the view. */
function best(stage: Stage, worth: WorthOpening, room: View, limit: View): FirstView {
  const found = [true, false].map((beside) => {
    const shapes = SQUEEZES.map((squeeze) =>
      shapeOf(room.width, room.height, beside, LEAST_GAP, squeeze),
    );
    const closed = fitting(stage, NOTHING, shapes, limit).size;
    const width = Math.max(limit.width, closed.width);
    const height = Math.max(limit.height, closed.height);
    const allowed = (open: ReadonlySet<Id>) =>
      shapes.some((shape) => excess(sizeOfScene(stage, open, shape), { width, height }) <= 1);
    return new Search(stage, worth, FIRST_BOXES, allowed).result(MOST_TRIES);
  });
  const [wide, stacked] = found as [Found, Found];
  const chosen = stacked.told > wide.told ? stacked : wide;
  return { open: chosen.open, shape: shapeIn(stage, chosen.open, room, limit) };
}

/** The shape in which what is open fits best: a step's lanes beside its inputs and results if there is room,
 * and its rows as far apart as they may be. */
function shapeIn(stage: Stage, open: ReadonlySet<Id>, room: View, limit: View): Shape {
  const boxes = [ROOT, ...open].reduce((sum, id) => sum + drawn(stage, id).length, 0);
  if (boxes > MANY_BOXES) return shapeOf(room.width, room.height);
  const shapes = SQUEEZES.flatMap((squeeze) =>
    ROW_GAPS.flatMap((gap) =>
      [true, false].map((beside) => shapeOf(room.width, room.height, beside, gap, squeeze)),
    ),
  );
  return fitting(stage, open, shapes, limit).shape;
}

/** The first shape in which all fits, else that in which least is cut, and the size of the scene in it. */
function fitting(
  stage: Stage,
  open: ReadonlySet<Id>,
  shapes: readonly Shape[],
  limit: View,
): { shape: Shape; size: View } {
  let best = { shape: shapes[0]!, size: limit, over: Number.POSITIVE_INFINITY };
  for (const shape of shapes) {
    const size = sizeOfScene(stage, open, shape);
    const over = excess(size, limit);
    if (over < best.over) best = { shape, size, over };
    if (over <= 1) break;
  }
  return best;
}

/** How many times as large as the room a scene is; at most 1 where all of it fits. */
const excess = ({ width, height }: View, room: View): number =>
  Math.max(1, width / room.width) * Math.max(1, height / room.height);

const NOTHING: ReadonlySet<Id> = new Set();

/** What a search has opened, and how much of the program that tells. */
interface Found {
  open: ReadonlySet<Id>;
  told: number;
}

/** Opens one item after another, what tells most first, as long as at most so many boxes show and all of them
 * fit. An item that stands alone opens whatever it holds; a part of the backward pass only with that of the
 * forward pass. */
class Search {
  private open = NOTHING;
  private readonly refused = new Set<Id>();
  private readonly regions = new Map<Id, Region>();
  private told = 0;

  constructor(
    private readonly stage: Stage,
    private readonly worth: WorthOpening,
    private readonly most: number,
    private readonly allowed: (open: ReadonlySet<Id>) => boolean,
  ) {}

  result(tries = Number.POSITIVE_INFINITY): Found {
    for (let at = 0; at < tries; at++) {
      const next = this.next();
      if (!next) break;
      const open = new Set([...this.open, ...next.together]);
      if (this.allowed(open)) {
        this.open = open;
        this.told += next.late ? 0 : next.weight;
      } else for (const id of next.together) this.refused.add(id);
    }
    return { open: this.open, told: this.told };
  }

  /** What is to be opened next. */
  private next() {
    const shown = [ROOT, ...this.open].map((id) => this.regionOf(id));
    const seen = new Set(shown.flatMap(({ items }) => items.map(({ id }) => id)));
    const all = shown.flatMap((region) => {
      const alone = region.items.filter(isWork).length === 1;
      return region.items.flatMap((item) => this.candidate(item, region, alone, seen));
    });
    return all
      .filter(({ alone, more }) => alone || seen.size + more <= this.most)
      .sort((a, b) => a.rank - b.rank || b.weight - a.weight)[0];
  }

  private candidate(item: Item, region: Region, alone: boolean, seen: ReadonlySet<Id>) {
    const { id } = item;
    if (this.open.has(id) || this.refused.has(id)) return [];
    const together = openable(this.stage, region, item, seen);
    if (together.length > 1 || (region.group?.role === 'backward' && !alone)) {
      if (groupOf(region.graph, id)?.role === 'backward') return [];
    }
    if (together.length === 0 || !this.worth(item, region, this.open, alone)) return [];
    const more = Math.max(...together.map((one) => this.regionOf(one).items.length));
    const rank = rankOf(item, region, alone);
    return [
      { together, alone, more, rank, late: rank > 2, weight: weightOf(this.stage, region, item) },
    ];
  }

  private regionOf(id: Id): Region {
    const known = this.regions.get(id) ?? regionOf(this.stage, id);
    this.regions.set(id, known);
    return known;
  }
}

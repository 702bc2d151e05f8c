/** Chooses what is open when a program is first shown: what says most, as far as all of the program can
 * then be read in the room there is. It is measured: each choice is laid out. */

import { type Differences, isAnyLoud } from '../facts/differences';
import { pairOf } from '../facts/graph';
import { type Id, ROOT } from '../facts/ids';
import type { Item } from '../facts/outline';
import { FLOOR, ROW_GAPS, type Shape, SQUEEZES, shapeOf, type View } from '../layout/measure';
import { type Scene, sceneOf } from '../layout/scene';
import type { Opening, Stage } from '../schema';
import { MOST_BOXES, openWithin } from './budget';
import { groupOf, isSealed, isWork, type Region, regionOf } from './regions';
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
  const limits = depth == null ? { most } : { most, depth };
  const tells = depth == null ? worth : () => true;
  const open = openWithin(stage, Math.min(boxes ?? most, most), tells, limits);
  return { open, shape: shapeIn(stage, open, room, limit) };
}

/** The best of what fits into either shape of the view. */
function best(stage: Stage, worth: WorthOpening, room: View, limit: View): FirstView {
  const found = [true, false].map((beside) => {
    const shapes = SQUEEZES.map((squeeze) =>
      shapeOf(room.width, room.height, beside, ROW_GAPS[2], squeeze),
    );
    return new Search(stage, worth, shapes, limit).result();
  });
  const [wide, stacked] = found as [Found, Found];
  const chosen = stacked.told > wide.told ? stacked : wide;
  return { open: chosen.open, shape: shapeIn(stage, chosen.open, room, limit) };
}

/** The shape in which what is open fits best: a step's lanes beside its inputs and results if there is room,
 * and its rows as far apart as they may be. */
function shapeIn(stage: Stage, open: ReadonlySet<Id>, room: View, limit: View): Shape {
  const usual = shapeOf(room.width, room.height);
  if (sceneOf(stage, open, usual).boxes.length > MANY_BOXES) return usual;
  const shapes = SQUEEZES.flatMap((squeeze) =>
    ROW_GAPS.flatMap((gap) =>
      [true, false].map((beside) => shapeOf(room.width, room.height, beside, gap, squeeze)),
    ),
  );
  const fitting = shapes.find((shape) => fits(sceneOf(stage, open, shape), limit));
  return fitting ?? usual;
}

const fits = (scene: Scene, { width, height }: View): boolean =>
  scene.width <= width && scene.height <= height;

/** What a search has opened, and how much of the program that tells. */
interface Found {
  open: ReadonlySet<Id>;
  told: number;
}

/** Opens one item after another, as long as all fits in one of these shapes of the view. */
class Search {
  private open: ReadonlySet<Id> = new Set();
  private readonly refused = new Set<Id>();
  private readonly regions = new Map<Id, Region>();
  private told = 0;
  /** The room, which is never less than what the closed program takes. */
  private readonly limit: View;

  constructor(
    private readonly stage: Stage,
    private readonly worth: WorthOpening,
    private readonly shapes: readonly Shape[],
    room: View,
  ) {
    const { width, height } = sceneOf(stage, this.open, shapes[0] as Shape);
    this.limit = { width: Math.max(room.width, width), height: Math.max(room.height, height) };
  }

  result(): Found {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const next = this.next();
      if (!next) break;
      const open = new Set([...this.open, ...next.together]);
      if (this.shapes.some((shape) => fits(sceneOf(this.stage, open, shape), this.limit))) {
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
    const boxes = seen.size;
    return all
      .filter(({ alone, more }) => alone || boxes + more <= FIRST_BOXES)
      .sort((a, b) => a.rank - b.rank || b.weight - a.weight)[0];
  }

  private candidate(item: Item, region: Region, alone: boolean, seen: ReadonlySet<Id>) {
    const { id } = item;
    if (!item.foldable || item.kind === 'gathered') return [];
    if (this.open.has(id) || this.refused.has(id)) return [];
    const together = [id, ...pairOf(this.stage, id).filter((one) => seen.has(one))];
    if (together.some((one) => isSealed(region.graph, one))) return [];
    if (together.length > 1 && groupOf(region.graph, id)?.role === 'backward') return [];
    if (!this.worth(item, region, this.open, alone)) return [];
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

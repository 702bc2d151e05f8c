/** Gives the rows, lanes and columns of a training step their sizes and places, px. */
import type { Item } from '../../facts/outline';
import type { Rect } from '../measure';
import { BESIDE_EDGE, FRAME, SMALL, textWidth } from '../measure';
import { layoutRegion, OPTIONS } from '../region';
import {
  ARC,
  type Atom,
  COLUMNS,
  type Column,
  type Geometry,
  type List,
  type Place,
  type StepPlan,
} from './atoms';
import {
  APART,
  type Bundle,
  carried,
  isBelow,
  type Label,
  labelOf,
  turnsBetween,
  widthOf,
} from './bundles';
import { isFramed, LANES, type LaneName } from './lanes';

/** The most px between rows: room for the type of what flows on, and for the names of distant values. */
const ROW_GAP = 30;

/** Px between the rows of a step in a view of this shape. */
const rowGapOf = ({ shape }: StepPlan): number => Math.min(ROW_GAP, shape.rowGap);
/** Px around an open box, half of them below it, where edges come in and go out. */
const CHANNEL = 16;
/** The same in a tight shape, where the text on these edges stands below them. */
const TIGHT_CHANNEL = 30;
/** Px around the rows within an open pair. */
const PAIR_PAD = 14;
/** Px between columns: `least` without texts, else the width of the texts and `around`. In `around`, `turns` edges have
 * room to turn. */
const GUTTER = { least: 40, around: 28, turns: 2 };

/** Sets the sizes of the rows and lanes of a list, those within open pairs first. The closed groups
 * of a lane get one width. */
export function measure(plan: StepPlan, list: List, types: ReadonlyMap<Atom, string>): void {
  const gap = rowGapOf(plan);
  const channel = plan.shape.tight ? TIGHT_CHANNEL : CHANNEL;
  for (const lane of LANES) {
    const own = list.places.flatMap(({ atoms }) => atoms.get(lane) ?? []);
    const closed = own.filter(({ item, frame }) => item.kind === 'group' && !frame);
    const wide = Math.max(0, ...closed.map(({ w }) => w));
    for (const one of closed) one.w = wide;
    const room = (one: Atom) => 2 * (BESIDE_EDGE + textWidth(types.get(one) ?? '', SMALL));
    list.width[lane] = Math.max(0, ...own.map((one) => Math.max(one.w, room(one))));
  }
  for (const place of list.places) {
    const { inner, atoms } = place;
    place.h = Math.max(0, ...[...atoms.values()].map(({ h, frame }) => h + (frame ? channel : 0)));
    if (!inner) continue;
    measure(plan, inner, types);
    place.h = Math.max(place.h, FRAME.title + inner.height + 2 * PAIR_PAD);
    for (const lane of LANES) {
      if (!isFramed(place.row, lane)) continue;
      list.width[lane] = Math.max(list.width[lane], widthWithin(inner, lane));
    }
  }
  list.height = list.places.reduce((sum, { h }) => sum + h + gap, -gap);
}

/** The width of the frame around an open pair, px. */
const widthWithin = (list: List, lane: LaneName): number =>
  list.width[lane] + 2 * (PAIR_PAD + ARC * list.arcs);

/** Gives all atoms their positions. */
export function place(
  plan: StepPlan,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
): Geometry {
  const after = arrange(atoms, bundles);
  const columns = columnsOf(plan, atoms, outer, bundles, types, after.width);
  const frames: Geometry['frames'] = new Map();
  const gap = rowGapOf(plan);
  const bottom = placeList(outer, columns, frames, 0, gap);
  for (const one of atoms) {
    const column = columns.get(one.column);
    if (one.column === 'after' && column) {
      one.x += column[0];
      one.y += frames.get('backward')?.y ?? 0;
    }
  }
  const low = Math.max(bottom, ...atoms.map(({ y, h }) => y + h));
  const inputs = atoms.filter(({ column }) => column === 'inputs');
  stack(inputs, columns.get('inputs')?.[0] ?? 0, frames.get('forward')?.y ?? 0, gap);
  placeOutputs(atoms, bundles, { columns, frames, bottom }, gap);
  const ends = atoms.map(({ y, h }) => y + h);
  return { columns, frames, bottom: Math.max(low, ...ends) };
}

/** Left and right side of each column, px. `after` is the width of what follows the lanes. */
function columnsOf(
  plan: StepPlan,
  atoms: readonly Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
  after: number,
): Geometry['columns'] {
  const columns: Geometry['columns'] = new Map();
  let right = 0;
  for (const column of COLUMNS) {
    const lane = LANES.find((one) => one === column);
    const own = atoms.filter((one) => one.column === column);
    const room = (one: Atom) =>
      Math.max(one.w, BESIDE_EDGE + textWidth(types.get(one) ?? '', SMALL));
    const wide = lane ? outer.width[lane] : Math.max(0, ...own.map(room));
    const width = column === 'after' ? after : wide;
    if (width <= 0) continue;
    const before = [...columns.keys()].at(-1);
    if (before) right += gutter(plan, bundles, before, column);
    const whole = width + (lane ? 2 * ARC * outer.arcs : 0);
    columns.set(column, [right, right + whole]);
    right += whole;
  }
  return columns;
}

/** Stacks the outputs, with the results of the forward pass at the bottom of the lanes. */
function placeOutputs(
  atoms: readonly Atom[],
  bundles: readonly Bundle[],
  { columns, frames, bottom }: Geometry,
  gap: number,
): void {
  const below = new Set(
    bundles.flatMap(({ source, target }) => (source.column === 'forward' ? [target] : [])),
  );
  const outputs = atoms.filter(({ column }) => column === 'outputs');
  const x = columns.get('outputs')?.[0] ?? 0;
  const high = outputs.filter((one) => !below.has(one));
  const end = stack(high, x, frames.get('backward')?.y ?? 0, gap);
  const deep = outputs.filter((one) => below.has(one));
  stack(deep, x, Math.max(end, bottom - (deep[0]?.h ?? 0)), gap);
}

/** Gives rows and their contents their positions. Returns the end of the last row. */
function placeList(
  list: List,
  columns: ReadonlyMap<Column, [number, number]>,
  frames: Map<LaneName, Rect & { item: Item }>,
  top: number,
  gap: number,
): number {
  let y = top;
  for (const place of list.places) {
    place.y = y;
    for (const [lane, atom] of place.atoms) {
      atom.x = centre(columns, lane) - atom.w / 2;
      atom.y = y + (place.h - atom.h) / 2;
    }
    if (place.inner) {
      placeList(place.inner, columns, new Map(), y + FRAME.title + PAIR_PAD, gap);
      for (const lane of LANES) {
        const item = place.row[lane];
        if (!item || !isFramed(place.row, lane)) continue;
        frames.set(lane, { item, ...rectOf(place, lane, columns) });
      }
    }
    y += place.h + gap;
  }
  return y - gap;
}

/** The x of the middle of a lane, px. */
const centre = (columns: ReadonlyMap<Column, [number, number]>, lane: LaneName): number => {
  const [left, right] = columns.get(lane) ?? [0, 0];
  return (left + right) / 2;
};

/** The frame of an open pair in one lane. */
export function rectOf(
  { inner, y, h }: Place,
  lane: LaneName,
  columns: ReadonlyMap<Column, [number, number]>,
): Rect {
  const w = inner ? widthWithin(inner, lane) : 0;
  return { x: centre(columns, lane) - w / 2, y, w, h };
}

/** Puts atoms below one another, from `top` on. Returns the y of the next. */
function stack(atoms: Atom[], x: number, top: number, gap: number): number {
  let y = top;
  for (const one of atoms) {
    one.x = x;
    one.y = y;
    y += one.h + gap;
  }
  return y;
}

/** A shape in which components stand below one another. */
const ONE_COLUMN = { aspect: 0, tall: Number.POSITIVE_INFINITY, wide: Number.POSITIVE_INFINITY };

/** Lays out what follows the lanes, as a small region of its own. Returns its width, px. */
function arrange(atoms: Atom[], bundles: Bundle[]): { width: number } {
  const own = atoms.filter(({ column }) => column === 'after');
  if (own.length === 0) return { width: 0 };
  const within = bundles.filter(
    ({ source, target }) => source.column === 'after' && target.column === 'after',
  );
  const region = {
    width: own.map(({ w }) => w),
    height: own.map(({ h }) => h),
    source: within.map(({ source }) => source.order),
    target: within.map(({ target }) => target.order),
  };
  const placement = layoutRegion(region, { ...OPTIONS, shape: ONE_COLUMN });
  own.forEach((one, index) => {
    one.x = placement.x[index]! - one.w / 2;
    one.y = placement.y[index]! - one.h / 2;
  });
  return { width: placement.width };
}

/** The space left of a column, with room for the texts on the edges to it. In a tight shape, those on edges below open
 * boxes stand below the edges. */
function gutter(plan: StepPlan, bundles: Bundle[], before: Column, column: Column): number {
  const labels = bundles
    .filter((one) => one.target.column === column && !(plan.shape.tight && isBelow(one)))
    .map((bundle) => labelOf(plan, bundle));
  if (column === 'after' || column === 'outputs')
    labels.push(...gradientsOf(plan, bundles, column));
  const wide = Math.max(0, ...labels.map(widthOf));
  const further = Math.max(0, turnsBetween(bundles, before, column) - GUTTER.turns);
  const beside = GUTTER.around + APART * further;
  return Math.max(GUTTER.least, wide === 0 ? 0 : wide + beside);
}

/** The labels of the edges from the whole backward lane to the atoms of a column. */
function gradientsOf(plan: StepPlan, bundles: Bundle[], column: Column): Label[] {
  const found = new Map<Atom, number[]>();
  for (const { source, target, vars } of bundles) {
    if (source.column !== 'backward' || target.column !== column) continue;
    found.set(target, [...(found.get(target) ?? []), ...vars]);
  }
  return [...found.values()].map((vars) => carried(plan, vars, 'gradients'));
}

/** Stacks the rows of a region, and packs its components beside and below one another. */
import type { Rows } from './layering';
import { type Extent, sidesOf, snap } from './placing';
import type { Layered, Options, Region } from './region';

/** The px that a gap between two rows grows for each px that its most slanting link goes sideways, so that no link is
 * flat. */
const GAP_GROWTH = 0.08;
/** The gap grows less if it is smaller than this, px. */
const NEAR_ROWS = 26;
/** The most px that a gap grows. */
const MOST_GAP_GROWTH = 48;

/** The band of each row: the top and bottom of its tallest box, px. */
export interface Bands {
  readonly top: Float64Array;
  readonly bottom: Float64Array;
  /** The px below the band in which all links run upright, beside the texts of the row. */
  readonly upright: Float64Array;
}

/** The least px in which links may bend below those. */
const LEAST_BEND = 8;

/** Stacks the rows of each component downwards from 0. If `shared`, the rows of one rank have one band across all
 * components. `gap` is in px; it is halved below a row without height, that of a border's ports. */
export function stackBands(
  region: Region,
  graph: Layered,
  rows: Rows,
  x: Float64Array,
  gap: number,
  shared: boolean,
  upright?: Float64Array,
): Bands {
  const count = rows.start.length - 1;
  const level = new Int32Array(count);
  for (let r = 0; r < count; r++) level[r] = shared ? graph.rank[rows.order[rows.start[r]!]!]! : r;
  const height = heightsOf(region, graph, rows, level);
  const straight = new Float64Array(count);
  for (let r = 0; upright && r < count; r++) {
    straight[level[r]!] = Math.max(straight[level[r]!]!, upright[r]!);
  }
  const begin = beginsOf(height, slantsOf(graph, rows, level, x), straight, gap);
  const top = new Float64Array(count);
  const bottom = new Float64Array(count);
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const origin = shared ? 0 : begin[rows.first[c]!]!;
    for (let r = rows.first[c]!; r < rows.first[c + 1]!; r++) {
      top[r] = begin[level[r]!]! - origin;
      bottom[r] = top[r]! + height[level[r]!]!;
    }
  }
  return {
    top,
    bottom,
    upright: upright ? straight.map((_, r) => straight[level[r]!]!) : straight,
  };
}

/** The height of a closed box, px. */
const CLOSED_HEIGHT = 26;

/** The y of the centre of a box in its row. A box higher than a closed one hangs from the top of the row; any other
 * is centred where a closed one would be. */
export const centreOf = (top: number, bottom: number, height: number): number =>
  height > CLOSED_HEIGHT ? top + height / 2 : top + Math.min(CLOSED_HEIGHT, bottom - top) / 2;

/** The height of the tallest box on each level, px. */
function heightsOf(region: Region, graph: Layered, rows: Rows, level: Int32Array): Float64Array {
  const height = new Float64Array(level.length + 1);
  for (let v = 0; v < graph.boxes; v++) {
    const at = level[rows.row[v]!]!;
    height[at] = Math.max(height[at]!, region.height[v]!);
  }
  return height;
}

/** The px that the most slanting link below each level goes sideways. */
function slantsOf(graph: Layered, rows: Rows, level: Int32Array, x: Float64Array): Float64Array {
  const slant = new Float64Array(level.length + 1);
  for (let l = 0; l < graph.source.length; l++) {
    const from = x[graph.source[l]!]! + graph.sourceX[l]!;
    const to = x[graph.target[l]!]! + graph.targetX[l]!;
    const at = level[rows.row[graph.source[l]!]!]!;
    slant[at] = Math.max(slant[at]!, Math.abs(to - from));
  }
  return slant;
}

/** The top of each level, px. */
function beginsOf(
  height: Float64Array,
  slant: Float64Array,
  straight: Float64Array,
  gap: number,
): Float64Array {
  const begin = new Float64Array(height.length);
  const share = GAP_GROWTH * Math.min(1, gap / NEAR_ROWS);
  for (let at = 0; at + 1 < height.length; at++) {
    const below =
      height[at] === 0 ? gap / 2 : Math.max(gap, straight[at]! && straight[at]! + LEAST_BEND);
    const growth = Math.min(MOST_GAP_GROWTH, Math.floor(slant[at]! * share));
    begin[at + 1] = begin[at]! + height[at]! + below + growth;
  }
  return begin;
}

/** The places at which columns begin, and at which links turn from one column to the next. */
export interface Columns {
  /** For each row that begins a column, the x at which the first of the links from the row above rises, px; NaN for
   * any other row. */
  readonly gutter: Float64Array;
  /** For such a row, the y at which these links turn below the column before, and above its own, px. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** For each link that turns, its number among those that turn with it, from right to left. */
  readonly track: Int32Array;
  /** The height of each component, px. */
  readonly height: Float64Array;
  /** The column of each row, from 1; 0 if it stands in none. */
  readonly number: Int32Array;
}

/** The columns of a region in which nothing is folded. */
export function unfolded(graph: Layered, rows: Rows, bands: Bands): Columns {
  const count = rows.start.length - 1;
  return {
    gutter: new Float64Array(count).fill(Number.NaN),
    low: new Float64Array(count),
    high: new Float64Array(count),
    track: new Int32Array(graph.source.length),
    height: Float64Array.from(rows.first.subarray(1), (stop) => bands.bottom[stop - 1]!),
    number: new Int32Array(count),
  };
}

/** The width of the whole divided by its height, if the options contain no shape. */
const USUAL_ASPECT = 1.6;

/** The gap between components side by side, as a multiple of that between boxes. */
const BESIDE = 1.5;

/** The positions of the components, and the size of the whole, px. */
interface Packing {
  /** The upper left corner of each component. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
}

/** Packs components on shelves no wider than `limit`, in order. A component that fits below the last one on its shelf
 * goes there, so that small ones form columns beside a tall one. */
function packComponents(
  width: Float64Array,
  height: Float64Array,
  gapX: number,
  gapY: number,
  limit: number,
): Packing {
  const x = new Float64Array(width.length);
  const y = new Float64Array(width.length);
  const shelf = { top: 0, height: 0 };
  const column = { left: 0, width: 0, bottom: 0 };
  const whole = { width: 0, height: 0 };
  for (let c = 0; c < width.length; c++) {
    const stacks = c > 0 && column.bottom + height[c]! <= shelf.top + shelf.height;
    if (c > 0 && !stacks) {
      column.left += column.width + gapX;
      column.width = 0;
      column.bottom = shelf.top;
      if (column.left + width[c]! > limit) {
        shelf.top += shelf.height + gapY;
        shelf.height = 0;
        column.left = 0;
        column.bottom = shelf.top;
      }
    }
    x[c] = column.left;
    y[c] = column.bottom;
    column.width = Math.max(column.width, width[c]!);
    column.bottom += height[c]!;
    shelf.height = Math.max(shelf.height, column.bottom - shelf.top);
    whole.width = Math.max(whole.width, x[c]! + width[c]!);
    whole.height = Math.max(whole.height, column.bottom);
    column.bottom += gapY;
  }
  return { x, y, ...whole };
}

/** Packs components side by side in this order, each as near to those before as their rows allow. */
function packAbreast(
  rows: Rows,
  { top, bottom }: Bands,
  { height, number }: Columns,
  sides: (from: number, to: number) => [number, number],
  left: Float64Array,
  order: Int32Array,
  gap: number,
): Packing {
  const tallest = height.reduce((most, one) => Math.max(most, one), 0);
  const x = new Float64Array(left.length);
  const placed: { from: number; to: number; end: number }[] = [];
  for (const c of order) {
    const [first, stop] = [rows.first[c]!, rows.first[c + 1]!];
    const block = number[first]! > 0;
    const reach = Array.from({ length: block ? 1 : stop - first }, (_, at) => {
      const r = first + at;
      const from = block ? 0 : Math.floor(at > 0 ? bottom[r - 1]! : top[r]!);
      const to = block ? height[c]! : r + 1 < stop ? top[r + 1]! : bottom[r]!;
      const [low, high] = sides(r, block ? stop : r + 1);
      const last = Math.ceil(Math.max(from + 1, to));
      return { from, to: last, low: low - left[c]!, high: high - left[c]! };
    });
    for (const { from, to, low } of reach) {
      for (const one of placed) {
        if (from < one.to && one.from < to) x[c] = Math.max(x[c]!, one.end + gap - low);
      }
    }
    for (const { from, to, high } of reach) placed.push({ from, to, end: x[c]! + high });
  }
  const width = placed.reduce((most, { end }) => Math.max(most, end), 0);
  return { x, y: new Float64Array(left.length), width, height: tallest };
}

/** The width of a shelf, px, with which the whole has about this aspect. */
function shelfWidth(
  width: Float64Array,
  height: Float64Array,
  gapX: number,
  gapY: number,
  aspect: number,
) {
  let area = 0;
  let widest = 0;
  for (let c = 0; c < width.length; c++) {
    area += (width[c]! + gapX) * (height[c]! + gapY);
    widest = Math.max(widest, width[c]!);
  }
  return Math.max(widest, Math.sqrt(area * aspect));
}

/** Moves all components to their packed positions: `x` of the nodes, bands and columns of the rows. They stand side
 * by side if `abreast`. Otherwise they do so only if all of that fits the width, and if it exceeds the height by less
 * than shelves do, or by as much on less area. */
export function assemble(
  rows: Rows,
  extent: Extent,
  bands: Bands,
  columns: Columns,
  x: Float64Array,
  options: Options,
  abreast: boolean,
): { width: number; height: number } {
  const count = rows.first.length - 1;
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  const sides = (from: number, to: number) => sidesOf(rows, extent, x, from, to);
  for (let c = 0; c < count; c++) {
    const [low, high] = sides(rows.first[c]!, rows.first[c + 1]!);
    left[c] = low;
    width[c] = high - low;
  }
  const { height } = columns;
  const gaps = [2 * options.gapX, 2 * options.gapY] as const;
  const limit = shelfWidth(width, height, ...gaps, options.shape?.aspect ?? USUAL_ASPECT);
  const shelves = packComponents(width, height, ...gaps, limit);
  const { wide, tall } = options.shape ?? { wide: 0, tall: 0 };
  const order = Int32Array.from(height, (_, c) => c);
  if (!abreast) order.sort((a, b) => height[b]! - height[a]! || a - b);
  const beside =
    count > 1
      ? packAbreast(rows, bands, columns, sides, left, order, BESIDE * options.gapX)
      : shelves;
  const over = ({ height }: Packing) => Math.max(0, height - tall);
  const area = ({ width, height }: Packing) => width * height;
  const isLess = (over(beside) - over(shelves) || area(beside) - area(shelves)) < 0;
  const packing = abreast || (beside.width <= wide && isLess) ? beside : shelves;
  for (let c = 0; c < count; c++) {
    moveRows(rows, c, bands, columns, x, left[c]!, packing.x[c]!, packing.y[c]!);
  }
  return { width: packing.width, height: packing.height };
}

/** Moves the rows of component `c`: down by `toY` px, and across so that its left side is at `toX`. */
function moveRows(
  rows: Rows,
  c: number,
  { top, bottom }: Bands,
  { gutter, low, high }: Columns,
  x: Float64Array,
  left: number,
  toX: number,
  toY: number,
): void {
  const [first, stop] = [rows.first[c]!, rows.first[c + 1]!];
  for (let i = rows.start[first]!; i < rows.start[stop]!; i++) {
    const v = rows.order[i]!;
    x[v] = snap(x[v]! - left + toX);
  }
  for (let r = first; r < stop; r++) {
    top[r]! += toY;
    bottom[r]! += toY;
    gutter[r] = snap(gutter[r]! - left + toX);
    low[r]! += toY;
    high[r]! += toY;
  }
}

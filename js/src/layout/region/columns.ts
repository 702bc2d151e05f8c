/** Folds the rows of a component that is too tall into columns side by side, as the text of a
 * newspaper. */
import type { Bands } from './bands';
import type { Layered } from './chain';
import type { Extent } from './place';
import type { Options } from './placement';
import type { Rows } from './rows';

/** Where columns begin, and where links turn from one column to the next. */
export interface Columns {
  /** Of each row that begins a column, the x at which the first of the links from the row above
   * rises, px; NaN of any other row. */
  readonly gutter: Float64Array;
  /** Of such a row, the y at which these links turn below the column before, and above its own,
   * px. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Of each link that turns, its number among those that turn with it, from right to left. */
  readonly track: Int32Array;
  /** The height of each component, px. */
  readonly height: Float64Array;
}

/** Px between links that turn side by side. */
export const TURN_APART = 5;
/** Px between such links and the rows. */
const TURN_CLEAR = 12;
/** The most links that may turn at one place. */
const MOST_TURNING = 6;
/** For each link that turns, the column before has at least this many rows. */
const ROWS_PER_TURN = 2;
/** The fewest rows that are worth a column. */
const FEWEST_ROWS = 4;
/** How low or high a column may be, as a share of the height that is wanted, so that fewer links
 * turn at its end. */
const LOWEST_COLUMN = 0.6;
const HIGHEST_COLUMN = 1.15;
/** One link that turns is as bad as a column that differs by this share from the wanted height. */
const TURN_COST = 0.12;

/** The columns of a region in which nothing is folded. */
export function unfolded(graph: Layered, rows: Rows, bands: Bands): Columns {
  const count = rows.start.length - 1;
  return {
    gutter: new Float64Array(count).fill(Number.NaN),
    low: new Float64Array(count),
    high: new Float64Array(count),
    track: new Int32Array(graph.source.length),
    height: Float64Array.from(rows.first.subarray(1), (stop) => bands.bottom[stop - 1]!),
  };
}

/** Folds the components that are too tall for the shape in `options`, by changing `x` and `bands`.
 * Null where none is. */
export function foldRows(
  graph: Layered,
  rows: Rows,
  extent: Extent,
  x: Float64Array,
  bands: Bands,
  options: Options,
): Columns | null {
  const { shape } = options;
  const columns = unfolded(graph, rows, bands);
  if (!shape || columns.height.every((height) => height <= shape.tall)) return null;
  const crossing = linksAbove(graph, rows);
  let folded = false;
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const first = rows.first[c]!;
    const stop = rows.first[c + 1]!;
    const [left, right] = sidesOf(rows, extent, x, first, stop);
    const breaks = breaksOf(graph, first, stop, right - left, bands, options, crossing);
    if (breaks.length === 0) continue;
    fold(graph, rows, extent, x, bands, options, columns, crossing, c, breaks);
    folded = true;
  }
  return folded ? columns : null;
}

/** Of each row, the links that come to it from the row above. */
function linksAbove(graph: Layered, rows: Rows): number[][] {
  const found: number[][] = Array.from({ length: rows.start.length - 1 }, () => []);
  for (let l = 0; l < graph.source.length; l++) found[rows.row[graph.target[l]!]!]!.push(l);
  return found;
}

/** The rows at which new columns of a component begin. `width` is that of the component, px. */
function breaksOf(
  graph: Layered,
  first: number,
  stop: number,
  width: number,
  bands: Bands,
  { shape, gapX }: Options,
  crossing: readonly number[][],
): number[] {
  const height = bands.bottom[stop - 1]! - bands.top[first]!;
  if (!shape || height <= shape.tall) return [];
  const fitting = Math.round(Math.sqrt((height * shape.aspect) / (width + 2 * gapX)));
  const count = Math.min(fitting, Math.floor((stop - first) / FEWEST_ROWS));
  if (count < 2) return [];
  const wanted = height / count;
  const breaks: number[] = [];
  let top = bands.top[first]!;
  while (bands.bottom[stop - 1]! - top > HIGHEST_COLUMN * wanted) {
    const next = bestBreak(
      graph,
      breaks[breaks.length - 1] ?? first,
      stop,
      top,
      wanted,
      bands,
      crossing,
    );
    if (next === -1) break;
    breaks.push(next);
    top = bands.top[next]!;
  }
  return breaks;
}

/** The row before which a column that begins at `top` ends best; -1 where too many links would turn
 * before any. */
function bestBreak(
  graph: Layered,
  first: number,
  stop: number,
  top: number,
  wanted: number,
  bands: Bands,
  crossing: readonly number[][],
): number {
  let best = -1;
  let least = Infinity;
  for (let r = first + 1; r < stop; r++) {
    const height = bands.bottom[r - 1]! - top;
    if (height < LOWEST_COLUMN * wanted) continue;
    if (height > HIGHEST_COLUMN * wanted && best !== -1) break;
    const turning = new Set(crossing[r]!.map((l) => graph.source[l])).size;
    if (turning > Math.min(MOST_TURNING, (r - first) / ROWS_PER_TURN)) continue;
    const cost = turning * TURN_COST + Math.abs(height / wanted - 1);
    if (cost >= least) continue;
    least = cost;
    best = r;
  }
  return best;
}

/** The x of the left and right side of some rows, px. */
function sidesOf(
  rows: Rows,
  extent: Extent,
  x: Float64Array,
  from: number,
  to: number,
): [number, number] {
  let left = Infinity;
  let right = -Infinity;
  for (let i = rows.start[from]!; i < rows.start[to]!; i++) {
    const v = rows.order[i]!;
    left = Math.min(left, x[v]! - extent.left[v]!);
    right = Math.max(right, x[v]! + extent.right[v]!);
  }
  return [left, right];
}

/** Moves the rows of component `c` into columns, which begin at its first row and at `breaks`. */
function fold(
  graph: Layered,
  rows: Rows,
  extent: Extent,
  x: Float64Array,
  bands: Bands,
  options: Options,
  columns: Columns,
  crossing: readonly number[][],
  c: number,
  breaks: readonly number[],
): void {
  const first = rows.first[c]!;
  const stop = rows.first[c + 1]!;
  const begins = [first, ...breaks];
  const turning = breaks.map((row) => turnAt(graph, x, columns.track, crossing[row]!));
  const head =
    TURN_CLEAR + TURN_APART * Math.max(...turning.map((count) => count - 1), 0) + TURN_CLEAR;
  const origin = bands.top[first]!;
  let right = 0;
  let lowest = 0;
  begins.forEach((begin, index) => {
    const end = begins[index + 1] ?? stop;
    const [from, to] = sidesOf(rows, extent, x, begin, end);
    const gutter = index === 0 ? 0 : 2 * options.gapX + TURN_APART * turning[index - 1]!;
    const left = index === 0 ? from : right + gutter;
    const up = index === 0 ? 0 : bands.top[begin]! - origin - head;
    if (index > 0) {
      columns.gutter[begin] = right + options.gapX;
      columns.high[begin] = origin + TURN_CLEAR;
    }
    for (let i = rows.start[begin]!; i < rows.start[end]!; i++) x[rows.order[i]!]! += left - from;
    for (let r = begin; r < end; r++) {
      bands.top[r]! -= up;
      bands.bottom[r]! -= up;
    }
    const bottom = bands.bottom[end - 1]!;
    lowest = Math.max(lowest, bottom + (index < breaks.length ? head : 0));
    if (index < breaks.length) columns.low[breaks[index]!] = bottom + TURN_CLEAR;
    right = left + to - from;
  });
  columns.height[c] = lowest;
}

/** Gives the links that turn before a row their tracks, from right to left, so that none crosses
 * another on the way; those that leave at one point share one. Returns how many there are. */
function turnAt(graph: Layered, x: Float64Array, track: Int32Array, links: number[]): number {
  const from = (l: number) => x[graph.source[l]!]! + graph.sourceX[l]!;
  let tracks = 0;
  let last = Number.NaN;
  for (const l of links.sort((a, b) => from(b) - from(a) || a - b)) {
    if (from(l) !== last) tracks++;
    last = from(l);
    track[l] = tracks - 1;
  }
  return tracks;
}

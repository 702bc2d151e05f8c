import type { Bands } from './bands';
import type { Layered } from './chain';
import type { Extent } from './place';
import type { Options } from './placement';
import type { Rows } from './rows';

/** The rows of a tall component stand in columns, side by side, as the text of a newspaper. */
export interface Columns {
  /** Of each row, where the links from the row above it rise: px, of the first one. NaN where that
   * row stands in the same column. */
  readonly gutter: Float64Array;
  /** Of such a row, the y below its predecessor's column and that above its own where they turn. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** Of each link, which of those that turn with it it is, counted from the outermost right. */
  readonly track: Int32Array;
  /** Of each component, px. */
  readonly height: Float64Array;
}

/** Between links that turn side by side, and between those and the rows. */
export const TRACK = 5;
const CLEAR = 12;
/** So many links may turn at one place, and one for so many rows of the column that they leave. */
const MOST_TURNING = 6;
const ROWS = 2;
/** Fewer rows to a column are better left below one another. */
const FEWEST = 4;
/** A column is this much lower or higher than wanted, where fewer links turn there. */
const LOWEST = 0.6;
const HIGHEST = 1.15;
/** How much higher or lower a column may be, as a share, for one link less. */
const WORTH = 0.12;

/** All rows of a component in one column. */
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

/** Moves `x` and `bands` of components that are too tall for the shape that `options` ask for. Null
 * where none is. */
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

/** Of each row the links that come to it from the row above, by where they come from. */
function linksAbove(graph: Layered, rows: Rows): number[][] {
  const found: number[][] = Array.from({ length: rows.start.length - 1 }, () => []);
  for (let l = 0; l < graph.source.length; l++) found[rows.row[graph.target[l]!]!]!.push(l);
  return found;
}

/** The rows at which new columns begin. */
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
  const count = Math.min(fitting, Math.floor((stop - first) / FEWEST));
  if (count < 2) return [];
  const wanted = height / count;
  const breaks: number[] = [];
  let top = bands.top[first]!;
  while (bands.bottom[stop - 1]! - top > HIGHEST * wanted) {
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

/** The row at which a column that begins at `top` ends best; -1 where too much turns everywhere. */
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
    if (height < LOWEST * wanted) continue;
    if (height > HIGHEST * wanted && best !== -1) break;
    const turning = new Set(crossing[r]!.map((l) => graph.source[l])).size;
    if (turning > Math.min(MOST_TURNING, (r - first) / ROWS)) continue;
    const cost = turning * WORTH + Math.abs(height / wanted - 1);
    if (cost >= least) continue;
    least = cost;
    best = r;
  }
  return best;
}

/** How far a component's rows reach to the left and to the right. */
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
  const head = CLEAR + TRACK * Math.max(...turning.map((count) => count - 1), 0) + CLEAR;
  const origin = bands.top[first]!;
  let right = 0;
  let lowest = 0;
  begins.forEach((begin, index) => {
    const end = begins[index + 1] ?? stop;
    const [from, to] = sidesOf(rows, extent, x, begin, end);
    const gutter = index === 0 ? 0 : 2 * options.gapX + TRACK * turning[index - 1]!;
    const left = index === 0 ? from : right + gutter;
    const up = index === 0 ? 0 : bands.top[begin]! - origin - head;
    if (index > 0) {
      columns.gutter[begin] = right + options.gapX;
      columns.high[begin] = origin + CLEAR;
    }
    for (let i = rows.start[begin]!; i < rows.start[end]!; i++) x[rows.order[i]!]! += left - from;
    for (let r = begin; r < end; r++) {
      bands.top[r]! -= up;
      bands.bottom[r]! -= up;
    }
    const bottom = bands.bottom[end - 1]!;
    lowest = Math.max(lowest, bottom + (index < breaks.length ? head : 0));
    if (index < breaks.length) columns.low[breaks[index]!] = bottom + CLEAR;
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

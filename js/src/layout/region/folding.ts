/** Folds the rows of a component that is too tall into columns side by side, as in a newspaper. */
import type { Rows } from './layering';
import { type Extent, sidesOf } from './placing';
import { isPinned, type Layered, type Options, type Region } from './region';
import type { Bands, Columns } from './stacking';

/** Px between links that turn side by side. */
export const TURN_APART = 5;
/** Px between such links and the row below them. */
const TURN_CLEAR = 12;
/** Px between such links and the row above them: more, because types are written below that row. */
const TURN_BELOW = 20;
/** The most links that may turn at one place. */
const MOST_TURNING = 6;
/** For each link that turns, the column before has at least this many rows. */
const ROWS_PER_TURN = 2;
/** A chain has at most this many boxes per row: some have an input of their own. */
const BOXES_PER_ROW = 1.25;
/** A body of at most this many boxes that is no chain is never folded. */
const SMALL_BODY = 60;
/** The fewest rows that are worth a column. */
const FEWEST_ROWS = 4;
/** The limits of a column's height, as a share of the wanted height. Within them, the column ends where few links
 * turn. */
const LOWEST_COLUMN = 0.6;
const HIGHEST_COLUMN = 1.15;
/** One link that turns is as bad as a column whose height differs by this share from the wanted height. */
const TURN_COST = 0.12;

/** Folds the components that are too tall for the shape, by changing `x`, `bands` and `columns`. Returns true if any
 * is folded. */
export function foldRows(
  graph: Layered,
  rows: Rows,
  extent: Extent,
  x: Float64Array,
  bands: Bands,
  shape: NonNullable<Options['shape']>,
  gapX: number,
  columns: Columns,
): boolean {
  const folder = new Folder(graph, rows, extent, x, bands, shape, gapX, columns);
  let folded = false;
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const breaks = folder.breaksOf(c);
    if (breaks.length > 0) folder.fold(c, breaks);
    folded ||= breaks.length > 0;
  }
  return folded;
}

class Folder {
  /** The links that come to each row from the row above. */
  private readonly crossing: number[][];
  /** The number of columns so far. */
  private count = 0;

  constructor(
    private readonly graph: Layered,
    private readonly rows: Rows,
    private readonly extent: Extent,
    private readonly x: Float64Array,
    private readonly bands: Bands,
    private readonly shape: NonNullable<Options['shape']>,
    private readonly gapX: number,
    private readonly columns: Columns,
  ) {
    this.crossing = Array.from({ length: rows.start.length - 1 }, () => []);
    for (let l = 0; l < graph.source.length; l++) {
      this.crossing[rows.row[graph.target[l]!]!]!.push(l);
    }
  }

  /** The rows at which new columns of component `c` begin. */
  breaksOf(c: number): number[] {
    const { bands, rows } = this;
    const { tall, aspect } = this.shape;
    const [first, stop] = [rows.first[c]!, rows.first[c + 1]!];
    const bottom = bands.bottom[stop - 1]!;
    const height = bottom - bands.top[first]!;
    if (height <= tall || !this.mayBreak(first, stop)) return [];
    const [left, right] = this.sidesOf(first, stop);
    const fitting = Math.round(Math.sqrt((height * aspect) / (right - left + 2 * this.gapX)));
    const count = Math.min(fitting, Math.floor((stop - first) / FEWEST_ROWS));
    if (count < 2) return [];
    const wanted = height / count;
    const breaks: number[] = [];
    for (let begin = first; bottom - bands.top[begin]! > HIGHEST_COLUMN * wanted; ) {
      begin = this.bestBreak(begin, stop, wanted);
      if (begin === -1) break;
      breaks.push(begin);
    }
    return breaks;
  }

  /** True if a component is a plain chain, or so large that any order is better than one long strip. */
  private mayBreak(first: number, stop: number): boolean {
    const { graph, rows } = this;
    const boxes = rows.order
      .subarray(rows.start[first]!, rows.start[stop]!)
      .reduce((count, v) => count + (v < graph.boxes ? 1 : 0), 0);
    return boxes <= BOXES_PER_ROW * (stop - first) || boxes > SMALL_BODY;
  }

  /** For a column that begins at row `first`: the best row to begin the next column with; -1 if too many links would
   * turn at every row. */
  private bestBreak(first: number, stop: number, wanted: number): number {
    let best = -1;
    let least = Infinity;
    for (let r = first + 1; r < stop; r++) {
      const height = this.bands.bottom[r - 1]! - this.bands.top[first]!;
      if (height < LOWEST_COLUMN * wanted) continue;
      if (height > HIGHEST_COLUMN * wanted && best !== -1) break;
      const turning = new Set(this.crossing[r]!.map((l) => this.graph.source[l])).size;
      if (turning > Math.min(MOST_TURNING, (r - first) / ROWS_PER_TURN)) continue;
      const cost = turning * TURN_COST + Math.abs(height / wanted - 1);
      if (cost >= least) continue;
      least = cost;
      best = r;
    }
    return best;
  }

  private sidesOf(from: number, to: number): [number, number] {
    return sidesOf(this.rows, this.extent, this.x, from, to);
  }

  /** Moves the rows of component `c` into columns, which begin at its first row and at `breaks`. */
  fold(c: number, breaks: readonly number[]): void {
    const { bands, columns, rows } = this;
    const turning = breaks.map((row) => this.turnAt(row));
    const tracks = TURN_APART * Math.max(...turning.map((count) => count - 1), 0);
    const head = TURN_CLEAR + tracks + TURN_CLEAR;
    const begins = [rows.first[c]!, ...breaks];
    const origin = bands.top[begins[0]!]!;
    let right = 0;
    let lowest = 0;
    begins.forEach((begin, index) => {
      const end = begins[index + 1] ?? rows.first[c + 1]!;
      columns.number.fill(++this.count, begin, end);
      const [from, to] = this.sidesOf(begin, end);
      const gutter = index === 0 ? 0 : 2 * this.gapX + TURN_APART * turning[index - 1]!;
      const left = index === 0 ? from : right + gutter;
      if (index > 0) {
        columns.gutter[begin] = right + this.gapX;
        columns.high[begin] = origin + TURN_CLEAR;
      }
      const up = index === 0 ? 0 : bands.top[begin]! - origin - head;
      this.move(begin, end, left - from, up);
      const bottom = bands.bottom[end - 1]!;
      lowest = Math.max(
        lowest,
        bottom + (index < breaks.length ? TURN_BELOW + tracks + TURN_CLEAR : 0),
      );
      if (index < breaks.length) columns.low[breaks[index]!] = bottom + TURN_BELOW;
      right = left + to - from;
    });
    columns.height[c] = lowest;
  }

  /** Moves rows to the right and up, px. */
  private move(begin: number, end: number, aside: number, up: number): void {
    const { bands, rows, x } = this;
    for (let i = rows.start[begin]!; i < rows.start[end]!; i++) x[rows.order[i]!]! += aside;
    for (let r = begin; r < end; r++) {
      bands.top[r]! -= up;
      bands.bottom[r]! -= up;
    }
  }

  /** Gives the links that turn before a row their tracks, from right to left, so that none crosses another. Links
   * that leave at one point share a track. Returns the number of tracks. */
  private turnAt(row: number): number {
    const { graph, x } = this;
    const from = (l: number) => x[graph.source[l]!]! + graph.sourceX[l]!;
    let tracks = 0;
    let last = Number.NaN;
    for (const l of this.crossing[row]!.sort((a, b) => from(b) - from(a) || a - b)) {
      if (from(l) !== last) tracks++;
      last = from(l);
      this.columns.track[l] = tracks - 1;
    }
    return tracks;
  }
}

// A row that is wider than the view is wrapped: the boxes of one rank are then on several rows.

/** Gives the boxes of too wide ranks new ranks, and moves the ranks below down. `gap` is the px between two boxes.
 * Parts that are not connected are wrapped separately, except in a body, whose borders span all of them. Returns the
 * least `wide` at which the same rows would be wrapped; infinity if any row is wrapped. */
export function wrapRanks(region: Region, rank: Int32Array, gap: number, wide: number): number {
  const part = isPinned(region) ? new Int32Array(rank.length) : partsOf(region);
  const rows = new Map<number, Map<number, number[]>>();
  for (let v = 0; v < rank.length; v++) {
    const own = rows.get(part[v]!) ?? new Map<number, number[]>();
    rows.set(part[v]!, own);
    const row = own.get(rank[v]!);
    if (row) row.push(v);
    else own.set(rank[v]!, [v]);
  }
  let widest = 0;
  for (const own of rows.values()) {
    let shift = 0;
    for (const [, row] of [...own].sort(([a], [b]) => a - b)) {
      const rooms = row.map((v) => roomOf(region, v) + gap);
      widest = Math.max(widest, sum(rooms));
      shift += wrapRow(rank, row, rooms, shift, wide);
    }
  }
  return widest <= wide ? widest : Number.POSITIVE_INFINITY;
}

/** The width of a box with the text below it. */
const roomOf = ({ width, reach }: Region, v: number): number =>
  Math.max(width[v]!, width[v]! / 2 + (reach?.[v] ?? 0));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Moves a row of boxes down by `shift` ranks and wraps it. `rooms` are the widths that the boxes need. Returns the
 * number of ranks added. */
function wrapRow(
  rank: Int32Array,
  row: readonly number[],
  rooms: readonly number[],
  shift: number,
  wide: number,
): number {
  const whole = sum(rooms);
  const lines = Math.min(row.length, Math.ceil(whole / wide));
  let line = 0;
  let filled = 0;
  for (const [at, v] of row.entries()) {
    const room = rooms[at]!;
    if (filled + room / 2 > ((line + 1) * whole) / lines && line + 1 < lines) line++;
    filled += room;
    rank[v]! += shift + line;
  }
  return line;
}

/** For each box, the first of the boxes that are connected with it. */
function partsOf({ width, source, target }: Region): Int32Array {
  const part = Int32Array.from({ length: width.length }, (_, v) => v);
  const find = (v: number): number => {
    let at = v;
    while (part[at] !== at) {
      part[at] = part[part[at]!]!;
      at = part[at]!;
    }
    return at;
  };
  for (let e = 0; e < source.length; e++) {
    const [one, other] = [find(source[e]!), find(target[e]!)];
    part[Math.max(one, other)] = Math.min(one, other);
  }
  return part.map((_, v) => find(v));
}

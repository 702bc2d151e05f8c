/** Finds the edges that run through a place of a picture. */
import type { Rect, View } from '../measure';

/** The sides of a square of a grid, px, and the most squares in each direction. */
const SQUARE = { width: 128, height: 192 };
const MOST = { columns: 256, rows: 8192 };

/** Tests a diagonal: its number, and the x and y of both ends. */
type Test = (number: number, x0: number, y0: number, x1: number, y1: number) => boolean;

/** Diagonals of rectangles, by the squares of a grid that the rectangles meet. Each square has a list: its first
 * entry, and for each entry the next one, or 0. */
export class Grid {
  private readonly columns: number;
  private readonly rows: number;
  private readonly width: number;
  private readonly height: number;
  private readonly first: Int32Array;
  private readonly next = [0];
  private readonly diagonal = [0];
  /** x and y of both ends of each diagonal. */
  private readonly ends: number[] = [];

  constructor({ width, height }: View) {
    this.width = Math.max(SQUARE.width, width / MOST.columns);
    this.height = Math.max(SQUARE.height, height / MOST.rows);
    this.columns = Math.floor(width / this.width) + 1;
    this.rows = Math.floor(height / this.height) + 1;
    this.first = new Int32Array(this.columns * this.rows);
  }

  add(x0: number, y0: number, x1: number, y1: number): void {
    const { first, next, diagonal } = this;
    const number = this.ends.push(x0, y0, x1, y1) / 4 - 1;
    const [left, right] = [this.column(Math.min(x0, x1)), this.column(Math.max(x0, x1))];
    const lowest = this.row(Math.max(y0, y1));
    for (let row = this.row(Math.min(y0, y1)); row <= lowest; row++) {
      for (let column = left; column <= right; column++) {
        const square = row * this.columns + column;
        next.push(first[square]!);
        first[square] = diagonal.push(number) - 1;
      }
    }
  }

  /** True if the test is true of any diagonal in the squares that a rectangle meets. */
  some({ x, y, w, h }: Rect, test: Test): boolean {
    const { ends, first, next, diagonal } = this;
    const [left, right] = [this.column(x), this.column(x + w)];
    const lowest = this.row(y + h);
    for (let row = this.row(y); row <= lowest; row++) {
      for (let column = left; column <= right; column++) {
        for (let at = first[row * this.columns + column]!; at !== 0; at = next[at]!) {
          const k = 4 * diagonal[at]!;
          if (test(diagonal[at]!, ends[k]!, ends[k + 1]!, ends[k + 2]!, ends[k + 3]!)) return true;
        }
      }
    }
    return false;
  }

  private column(x: number): number {
    return Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.width)));
  }

  private row(y: number): number {
    return Math.max(0, Math.min(this.rows - 1, Math.floor(y / this.height)));
  }
}

/** The drawn edges of a picture. */
interface Drawn extends View {
  edges: readonly { readonly points: readonly number[]; cut: boolean }[];
}

/** The parts of all drawn edges, each between two of their points. */
export class Strokes {
  private readonly grid: Grid;

  constructor(picture: Drawn) {
    this.grid = new Grid(picture);
    for (const { points, cut } of picture.edges) {
      for (let at = 0; !cut && at + 3 < points.length; at += 2) {
        this.grid.add(points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!);
      }
    }
  }

  /** True if any stroke runs through a rectangle. */
  cross(rect: Rect): boolean {
    return this.grid.some(rect, (_, x0, y0, x1, y1) => runsThrough(rect, x0, y0, x1, y1));
  }
}

/** True if a stroke runs through a rectangle. A stroke is straight if it is level or upright, else a cubic with
 * upright tangents at both ends, which goes one way across and one way down. */
export function runsThrough(
  { x, y, w, h }: Rect,
  x0: number,
  y0: number,
  x1: number,
  y1: number,
): boolean {
  if (Math.max(x0, x1) <= x || Math.min(x0, x1) >= x + w) return false;
  if (Math.max(y0, y1) <= y || Math.min(y0, y1) >= y + h) return false;
  if (x0 === x1 || y0 === y1) return true;
  const share = (level: number) => Math.max(0, Math.min(1, (level - y0) / (y1 - y0)));
  const one = x0 + (x1 - x0) * shareAcross(share(y));
  const other = x0 + (x1 - x0) * shareAcross(share(y + h));
  return Math.max(one, other) > x && Math.min(one, other) < x + w;
}

/** The share of its way across that such a cubic has gone after a share of its way down. At `t = 1/2 + s` it has gone
 * `1/2 + 3/4 s + s^3` down, from which `s` follows, and `t^2 (3 - 2t)` across. */
function shareAcross(down: number): number {
  const t = 0.5 + Math.sinh(Math.asinh(4 * (down - 0.5)) / 3);
  return t * t * (3 - 2 * t);
}

/** Moves the types of values that edges run through to a place at their box where none does. */

import { BESIDE_EDGE } from '../item-boxes';
import { FRAME, type Rect, SMALL, textWidth, type View } from '../measure';

/** Px between a box and the text beside it. */
const BESIDE_BOX = 5;
/** Px between a text that is moved and what it does not belong to: edges, and other boxes and texts; if it stands
 * beside its box, more, as it would else seem to belong to the next one. */
const CLEAR = { edges: 3, below: 5, beside: 12 };

/** The parts of a box and of a picture that this file reads and writes; `scene.ts` describes them. */
interface Box extends Rect {
  type: string;
  typeX: number;
  typeY: number;
  open: boolean;
  parent: number;
}

interface Picture extends View {
  boxes: Box[];
  edges: readonly Edge[];
  mentions: readonly Rect[];
}

interface Edge {
  points: readonly number[];
  cut: boolean;
  label: string;
  note: string;
  labelX: number;
  labelY: number;
}

export function besideEdges(scene: Picture): void {
  const strokes = new Strokes(scene);
  let solids: Solids | null = null;
  scene.boxes.forEach((box, index) => {
    const text = textOf(box);
    if (box.type === '' || !strokes.cross(text)) return;
    solids ??= solidsOf(scene);
    const inside = insideOf(scene, box);
    const isFree = (place: Rect): boolean =>
      holds(inside, place) &&
      !strokes.cross(widened(place, CLEAR.edges)) &&
      !solids!.meet(widened(place, place.y === text.y ? CLEAR.below : CLEAR.beside), index);
    const free = placesOf(box, text).find(isFree);
    if (!free) return;
    [box.typeX, box.typeY] = [free.x, free.y];
    solids.add(free, index);
  });
}

const widened = ({ x, y, w, h }: Rect, by: number): Rect => ({ x: x - by, y, w: w + 2 * by, h });

const textOf = ({ type, typeX, typeY }: Box): Rect => ({
  x: typeX,
  y: typeY,
  w: textWidth(type, SMALL),
  h: SMALL,
});

/** The places of a type besides its first one, right of the point where edges leave its box: left of that point,
 * at the ends of that side of the box, and beside the box. */
function placesOf({ x, y, w, h }: Box, text: Rect): Rect[] {
  const stem = text.x - BESIDE_EDGE;
  const middle = y + (h - text.h) / 2;
  return [
    { ...text, x: stem - BESIDE_EDGE - text.w },
    ...(w / 2 > text.w + BESIDE_EDGE
      ? [
          { ...text, x: x + w - text.w },
          { ...text, x },
        ]
      : []),
    { ...text, x: x + w + BESIDE_BOX, y: middle },
    { ...text, x: x - BESIDE_BOX - text.w, y: middle },
  ];
}

/** The part of the picture in which the texts of a box are written: the inside of the box around it. */
function insideOf({ boxes, width, height }: Picture, { parent }: Box): Rect {
  const around = boxes[parent];
  if (!around) return { x: 0, y: 0, w: width, h: height };
  const { x, y, w, h } = around;
  return { x, y: y + FRAME.title, w, h: h - FRAME.title };
}

const holds = (outer: Rect, { x, y, w, h }: Rect): boolean =>
  outer.x <= x && outer.y <= y && x + w <= outer.x + outer.w && y + h <= outer.y + outer.h;

/** All that nothing may be written on: closed boxes, the titles of open ones, and texts. */
function solidsOf(scene: Picture): Solids {
  const solids = new Solids(scene);
  scene.boxes.forEach((box, index) => {
    solids.add(box.open ? { ...box, h: FRAME.title } : box, index);
    if (box.type !== '') solids.add(textOf(box), index);
  });
  for (const mention of scene.mentions) solids.add(mention, -1);
  for (const { cut, label, note, labelX, labelY } of scene.edges) {
    if (cut || label === '') continue;
    const w = Math.max(textWidth(label, SMALL), textWidth(note, SMALL));
    const h = 2 * (SMALL + BESIDE_LINE);
    solids.add({ x: labelX - w / 2, y: labelY - h / 2, w, h }, -1);
  }
  return solids;
}

/** Px between an edge and what is written on it. */
const BESIDE_LINE = 3;

/** Rectangles that nothing may be written on, and the boxes (by index) that they belong to. */
class Solids {
  private readonly grid: Grid;
  private readonly of: number[] = [];

  constructor(picture: View) {
    this.grid = new Grid(picture);
  }

  add({ x, y, w, h }: Rect, of: number): void {
    this.grid.add(x, y, x + w, y + h);
    this.of.push(of);
  }

  /** True if a rectangle meets any of them, except for those of `own`. */
  meet(rect: Rect, own: number): boolean {
    const { x, y, w, h } = rect;
    return this.grid.some(
      rect,
      (number, x0, y0, x1, y1) =>
        this.of[number] !== own && x0 < x + w && x < x1 && y0 < y + h && y < y1,
    );
  }
}

// What is at a place of a picture: the edges that run through it, and the rectangles that it meets.

/** The sides of a square of a grid, px, and the most squares in each direction. */
const SQUARE = { width: 128, height: 192 };
const MOST = { columns: 256, rows: 8192 };

/** Tests a diagonal: its number, and the x and y of both ends. */
type Test = (number: number, x0: number, y0: number, x1: number, y1: number) => boolean;

/** Diagonals of rectangles, by the squares of a grid that the rectangles meet. Each square has a list: its first
 * entry, and for each entry the next one, or 0. */
class Grid {
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
function runsThrough(
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

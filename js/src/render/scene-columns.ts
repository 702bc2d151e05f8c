/** Finds what is in view and what is at the pointer, also in scenes of many thousands of boxes and
 * edges. */
import { FRAME, type Rect } from '../layout/measure';
import type { Edge, Scene } from '../layout/scene';
import { titleStart } from '../picture/looks';

/** Where the boxes and edges of a scene are, as flat arrays that are quickly gone through. A box
 * that is not to be seen has no width (NaN). */
export interface Columns {
  x: Float64Array;
  y: Float64Array;
  w: Float64Array;
  h: Float64Array;
  open: Uint8Array;
  /** The bounds of edges. */
  left: Float64Array;
  top: Float64Array;
  right: Float64Array;
  bottom: Float64Array;
  /** The edges on which something is written. */
  labelled: readonly Edge[];
}

/** A part of the scene, px. */
export interface Bounds {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const known = new WeakMap<Scene, Columns>();

/** The columns of a scene, made once. */
export function columnsOf(scene: Scene): Columns {
  const found = known.get(scene);
  if (found) return found;
  const made = read(scene);
  known.set(scene, made);
  return made;
}

/** Shows a scene's boxes elsewhere than where its layout has them. */
export const place = (scene: Scene, columns: Columns): void => void known.set(scene, columns);

function read({ boxes, edges }: Scene): Columns {
  const column = (length: number) => new Float64Array(length);
  const { length } = boxes;
  const [x, y, w, h] = [column(length), column(length), column(length), column(length)] as const;
  const open = new Uint8Array(length);
  boxes.forEach((box, index) => {
    x[index] = box.x;
    y[index] = box.y;
    w[index] = box.w;
    h[index] = box.h;
    open[index] = Number(box.open);
  });
  const left = column(edges.length).fill(Infinity);
  const top = column(edges.length).fill(Infinity);
  const right = column(edges.length).fill(-Infinity);
  const bottom = column(edges.length).fill(-Infinity);
  edges.forEach(({ points }, index) => {
    for (let at = 0; at < points.length; at += 2) {
      const atX = points[at]!;
      const atY = points[at + 1]!;
      if (atX < left[index]!) left[index] = atX;
      if (atX > right[index]!) right[index] = atX;
      if (atY < top[index]!) top[index] = atY;
      if (atY > bottom[index]!) bottom[index] = atY;
    }
  });
  const labelled = edges.filter(({ label }) => label !== '');
  return { x, y, w, h, open, left, top, right, bottom, labelled };
}

/** A list of indices whose memory is used again for the next frame. */
export class Indices {
  private held = new Int32Array(256);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  add(index: number): void {
    if (this.length === this.held.length) {
      const larger = new Int32Array(2 * this.held.length);
      larger.set(this.held);
      this.held = larger;
    }
    this.held[this.length++] = index;
  }

  at(position: number): number {
    return this.held[position]!;
  }
}

/** Calls `run` with each index. */
export function each(indices: Indices, run: (index: number) => void): void {
  for (let at = 0; at < indices.length; at++) run(indices.at(at));
}

/** Finds the boxes that are in view with what is written around them, in order. */
export function boxesIn(columns: Columns, bounds: Bounds, found: Indices): void {
  const { x, y, w, h } = columns;
  const { left, top, right, bottom } = bounds;
  const above = top - FRAME.title;
  found.clear();
  for (let index = 0; index < x.length; index++) {
    const atX = x[index]!;
    const atY = y[index]!;
    if (atX > right || atY > bottom) continue;
    if (atX + w[index]! >= left && atY + h[index]! >= above) found.add(index);
  }
}

/** Finds the edges that are in view, in order. */
export function edgesIn(columns: Columns, bounds: Bounds, found: Indices): void {
  const { left, top, right, bottom } = columns;
  found.clear();
  for (let index = 0; index < left.length; index++) {
    if (left[index]! > bounds.right || top[index]! > bounds.bottom) continue;
    if (right[index]! >= bounds.left && bottom[index]! >= bounds.top) found.add(index);
  }
}

/** The last box that holds a point, which is the innermost; -1 where none does. */
export function boxAt({ x, y, w, h }: Columns, atX: number, atY: number): number {
  for (let index = x.length - 1; index >= 0; index--) {
    const fromX = atX - x[index]!;
    const fromY = atY - y[index]!;
    if (fromX >= 0 && fromY >= 0 && fromX <= w[index]! && fromY <= h[index]!) return index;
  }
  return -1;
}

/** Where a title of an overview stands in the scene, and the open box that it names. */
export interface Title extends Rect {
  box: number;
}

/** What is at a point: a box, by its index. */
export interface Hit {
  box: number;
  /** Whether on the triangle that opens and closes it. */
  fold: boolean;
}

/** The width of the part of a box that counts as its triangle, px of the scene. */
const TRIANGLE_WIDTH = 24;

/** The box at a point of the scene: the one whose title stands there in an overview, else the
 * innermost; null where there is none. `left` is the x at which the view begins. */
export function hit(
  scene: Scene,
  x: number,
  y: number,
  left: number,
  titles: readonly Title[] = [],
): Hit | null {
  const title = titles.find(
    (one) => x >= one.x && x <= one.x + one.w && y >= one.y && y <= one.y + one.h,
  );
  if (title) return { box: title.box, fold: false };
  const index = boxAt(columnsOf(scene), x, y);
  const box = scene.boxes[index];
  if (!box) return null;
  const begin = titleStart(box.open, box.x, box.w, left);
  const fold =
    box.item.foldable && x >= begin && x - begin < TRIANGLE_WIDTH && y - box.y < FRAME.title;
  return { box: index, fold };
}

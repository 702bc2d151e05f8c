/** The boxes and edges of a scene as flat arrays, also while boxes move: finds quickly what is in view and at the
 * pointer. */
import { FRAME, type Rect } from '../layout/measure';
import type { Edge, Scene } from '../layout/scene';
import { titleStart } from '../picture/appearance';

/** The positions of boxes and edges, as flat arrays that are fast to scan. A hidden box has no width (NaN). */
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

const cache = new WeakMap<Scene, Columns>();

/** The columns of a scene, computed once. */
export function columnsOf(scene: Scene): Columns {
  const found = cache.get(scene);
  if (found) return found;
  const made = read(scene);
  cache.set(scene, made);
  return made;
}

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

/** A list of indices that reuses its memory for the next frame. */
export class Indices {
  private memory = new Int32Array(256);
  length = 0;

  clear(): void {
    this.length = 0;
  }

  add(index: number): void {
    if (this.length === this.memory.length) {
      const larger = new Int32Array(2 * this.memory.length);
      larger.set(this.memory);
      this.memory = larger;
    }
    this.memory[this.length++] = index;
  }

  at(position: number): number {
    return this.memory[position]!;
  }
}

export function each(indices: Indices, run: (index: number) => void): void {
  for (let at = 0; at < indices.length; at++) run(indices.at(at));
}

/** Finds the boxes in view, with the texts around them, in order. */
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
  found.clear();
  for (let index = 0; index < columns.left.length; index++) {
    if (isEdgeIn(columns, bounds, index)) found.add(index);
  }
}

/** True if a part of an edge is in view. */
export function isEdgeIn(columns: Columns, bounds: Bounds, index: number): boolean {
  const { left, top, right, bottom } = columns;
  if (left[index]! > bounds.right || top[index]! > bounds.bottom) return false;
  return right[index]! >= bounds.left && bottom[index]! >= bounds.top;
}

/** The innermost box at a point, which is the last one; -1 if there is none. */
export function boxAt({ x, y, w, h }: Columns, atX: number, atY: number): number {
  for (let index = x.length - 1; index >= 0; index--) {
    const fromX = atX - x[index]!;
    const fromY = atY - y[index]!;
    if (fromX >= 0 && fromY >= 0 && fromX <= w[index]! && fromY <= h[index]!) return index;
  }
  return -1;
}

/** The rectangle of an overview's title in the scene, and the open box that it names. */
export interface Title extends Rect {
  box: number;
}

/** A box at a point. */
export interface Hit {
  box: number;
  /** True if the point is on the triangle that opens and closes the box. */
  fold: boolean;
}

/** The width of the part of a box that counts as its triangle, px of the scene. */
const TRIANGLE_WIDTH = 24;

/** The box at a point of the scene: in an overview the one whose title is there, else the innermost; null if there is
 * none. `left` is the x at which the view begins. */
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

/** The time in which boxes move when one is opened, ms. */
const MOTION_TIME = 150;

/** A scene whose boxes move from their places in another. */
export interface Motion {
  /** The scene shown meanwhile, without edges and without new boxes. */
  scene: Scene;
  from: Columns;
  to: Columns;
  since: number | null;
}

/** The motion of boxes from their old places, moved by (x, y), to the new ones. */
export function motion(before: Scene, after: Scene, by: { x: number; y: number }): Motion {
  const scene: Scene = { ...after, edges: [], mentions: [] };
  const to = columnsOf(after);
  const from = columnsOf({ ...scene });
  const old = columnsOf(before);
  after.boxes.forEach(({ item }, index) => {
    const at = before.index.get(item.id);
    from.x[index] = at === undefined ? Number.NaN : old.x[at]! + by.x;
    from.y[index] = at === undefined ? Number.NaN : old.y[at]! + by.y;
    from.w[index] = at === undefined ? Number.NaN : old.w[at]!;
    from.h[index] = at === undefined ? Number.NaN : old.h[at]!;
  });
  cache.set(scene, columnsOf({ ...scene })); // `sceneAt` writes the positions into them
  return { scene, from, to, since: null };
}

/** The scene at a time; null once all boxes have arrived. */
export function sceneAt(moving: Motion, now: number): Scene | null {
  moving.since ??= now;
  const part = Math.min(1, (now - moving.since) / MOTION_TIME);
  if (part === 1) return null;
  const eased = part * (2 - part);
  const shown = columnsOf(moving.scene);
  for (const side of ['x', 'y', 'w', 'h'] as const) {
    const [from, to, into] = [moving.from[side], moving.to[side], shown[side]];
    for (let index = 0; index < into.length; index++) {
      into[index] = from[index]! + (to[index]! - from[index]!) * eased;
    }
  }
  return moving.scene;
}

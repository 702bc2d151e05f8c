import { FRAME } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';

export interface Hit {
  box: number;
  /** On its fold triangle. */
  fold: boolean;
}

/** Where the title of an open box begins: at its left side, or where that is out of view, at the
 * view's. */
export function titleStart(box: Box, left: number): number {
  if (!box.open) return box.x;
  const room = box.x + box.w - TITLE_LEAST;
  return Math.max(box.x, Math.min(left, room));
}

const TITLE_LEAST = 200;
/** Width of the part of a box that folds it, px of the scene. */
const TRIANGLE = 24;

/** The innermost box at a point of the scene whose part right of `left` is seen; null where there
 * is none. */
export function hit(scene: Scene, x: number, y: number, left: number): Hit | null {
  for (let index = scene.boxes.length - 1; index >= 0; index--) {
    const box = scene.boxes[index]!;
    if (x < box.x || x > box.x + box.w || y < box.y || y > box.y + box.h) continue;
    const begin = titleStart(box, left);
    const fold = box.item.foldable && x >= begin && x - begin < TRIANGLE && y - box.y < FRAME.title;
    return { box: index, fold };
  }
  return null;
}

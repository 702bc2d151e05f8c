import { FRAME } from '../layout/measure';
import type { Scene } from '../layout/scene';

export interface Hit {
  box: number;
  /** On its fold triangle. */
  fold: boolean;
}

/** Width of the part of a box that folds it, px of the scene. */
const TRIANGLE = 24;

/** The innermost box at a point of the scene; null where there is none. */
export function hit(scene: Scene, x: number, y: number): Hit | null {
  for (let index = scene.boxes.length - 1; index >= 0; index--) {
    const box = scene.boxes[index]!;
    if (x < box.x || x > box.x + box.w || y < box.y || y > box.y + box.h) continue;
    const fold = box.item.foldable && x - box.x < TRIANGLE && y - box.y < FRAME.title;
    return { box: index, fold };
  }
  return null;
}

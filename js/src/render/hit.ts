import { FRAME } from '../layout/measure';
import type { Scene } from '../layout/scene';
import { titleStart } from '../picture/looks';
import { boxAt, columnsOf } from './scene-columns';
import type { Title } from './titles';

export interface Hit {
  box: number;
  /** On its fold triangle. */
  fold: boolean;
}

/** Width of the part of a box that folds it, px of the scene. */
const TRIANGLE = 24;

/** The box whose title in an overview, or else the innermost that is at a point of the scene whose
 * part right of `left` is seen; null where there is none. */
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
  const fold = box.item.foldable && x >= begin && x - begin < TRIANGLE && y - box.y < FRAME.title;
  return { box: index, fold };
}

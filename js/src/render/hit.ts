/** Finds the box at the pointer. */
import { FRAME } from '../layout/measure';
import type { Scene } from '../layout/scene';
import { titleStart } from '../picture/looks';
import { boxAt, columnsOf } from './scene-columns';
import type { Title } from './titles';

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

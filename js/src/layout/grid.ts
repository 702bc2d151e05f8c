/** Lays out an open pytree: what it holds stands in rows, without edges. */
import type { Item } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import type { Cell, Frame } from './frame';
import { FRAME } from './measure';

/** Px between two boxes. */
const BOX_GAP = 8;
/** The most px of a row. */
const ROW_WIDTH = 640;

/** The frame of an open pytree. `inner` holds the frames of what is open in it; `title` is the
 * width of its title, px. */
export function layoutGrid(
  stage: Stage,
  graph: Graph,
  items: readonly Item[],
  inner: readonly (Frame | null)[],
  title: number,
): Frame {
  const cells: Cell[] = [];
  let x = FRAME.side;
  let y = FRAME.title + BOX_GAP;
  let low = y;
  let right = title - FRAME.side;
  items.forEach((item, at) => {
    const frame = inner[at] ?? null;
    const caption = captionOf(stage, graph, item);
    const size = frame ? { width: frame.w, height: frame.h } : sizeOf(item, caption);
    if (x > FRAME.side && x + size.width > ROW_WIDTH) {
      x = FRAME.side;
      y = low + BOX_GAP;
    }
    cells.push({
      item,
      caption,
      inner: frame,
      x,
      y,
      w: size.width,
      h: size.height,
      type: '',
      typeX: 0,
      typeY: 0,
    });
    right = Math.max(right, x + size.width);
    low = Math.max(low, y + size.height);
    x += size.width + BOX_GAP;
  });
  const h = low + FRAME.end;
  const none = { routes: [], mentions: [], links: [], entries: [], exits: [] };
  return { w: right + FRAME.side, h, title: FRAME.title, up: false, cells, ...none };
}

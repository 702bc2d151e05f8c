/** Places the arguments that are no inputs: no edge leads from them, so they stand in the row of the
 * inputs, to the right of these. */
import type { Item } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import { type Cell, type Frame, lowered, movedCell } from './frame';
import { SMALL, textWidth } from './measure';

/** Px between two boxes of the row, and between a box and the text under it. */
const APART = 28;
const UNDER = 4;

/** Whether an item is an argument whose value is fixed in the program. */
export const isFixed = ({ kind }: Item): boolean => kind === 'fixed';

/** The frame of the whole program with its fixed arguments; where the row would be wider than `wide` px,
 * they stand above it. */
export function withFixed(
  frame: Frame,
  stage: Stage,
  graph: Graph,
  fixed: readonly Item[],
  wide: number,
): Frame {
  if (fixed.length === 0) return frame;
  const pills = fixed.map((item) => pillOf(stage, graph, item));
  const low = Math.max(...pills.map(({ h }) => h)) + UNDER + SMALL;
  const beside = frame.cells.filter(({ y }) => y < low);
  let x = Math.max(-APART, ...beside.map(rightOf)) + APART;
  const placed = pills.map((pill) => {
    const at = movedCell(pill, x, 0);
    x = rightOf(at) + APART;
    return at;
  });
  if (x - APART > Math.max(frame.w, wide)) return above(frame, pills, wide);
  const w = Math.max(frame.w, x - APART);
  const h = Math.max(frame.h, low);
  return { ...frame, w, h, cells: [...frame.cells, ...placed] };
}

/** The frame below rows of such arguments. */
function above(frame: Frame, pills: readonly Cell[], wide: number): Frame {
  let [x, y, w] = [0, 0, frame.w];
  const step = Math.max(...pills.map(({ h }) => h)) + UNDER + SMALL + UNDER;
  const placed = pills.map((pill) => {
    if (x > 0 && x + rightOf(pill) > wide) [x, y] = [0, y + step];
    const at = movedCell(pill, x, y);
    x = rightOf(at) + APART;
    w = Math.max(w, x - APART);
    return at;
  });
  const below = lowered(frame, y + step + UNDER);
  return { ...below, w, cells: [...below.cells, ...placed] };
}

/** The cell of a fixed argument, at the corner of its frame. */
function pillOf(stage: Stage, graph: Graph, item: Item): Cell {
  const caption = captionOf(stage, graph, item);
  const { width: w, height: h } = sizeOf(item, caption);
  const typeX = (w - textWidth(item.type, SMALL)) / 2;
  const type = { type: item.type, typeX, typeY: h + UNDER };
  return { item, caption, inner: null, x: 0, y: 0, w, h, ...type };
}

/** Where a cell ends, with the text under it. */
const rightOf = ({ x, w, type, typeX }: Cell): number =>
  Math.max(x + w, type === '' ? 0 : typeX + textWidth(type, SMALL));

/** Places the arguments that are no inputs: no edge leads from them, so they stand in the row of the
 * inputs, to the right of these. */
import type { Item } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import { type Cell, type Frame, movedCell } from './frame';
import { SMALL, textWidth } from './measure';

/** Px between two boxes of the row, and between a box and the text under it. */
const APART = 28;
const UNDER = 4;

/** Whether an item is an argument whose value is fixed in the program. */
export const isFixed = ({ kind }: Item): boolean => kind === 'fixed';

/** The frame of the whole program with its fixed arguments. */
export function withFixed(frame: Frame, stage: Stage, graph: Graph, fixed: readonly Item[]): Frame {
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
  const w = Math.max(frame.w, x - APART);
  const h = Math.max(frame.h, low);
  return { ...frame, w, h, cells: [...frame.cells, ...placed] };
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

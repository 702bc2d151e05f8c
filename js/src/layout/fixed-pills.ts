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

/** The frame of the whole program with its fixed arguments: beside its inputs, or in rows above them where that
 * takes less ground, or would else be wider than `wide` px. */
export function withFixed(
  frame: Frame,
  stage: Stage,
  graph: Graph,
  fixed: readonly Item[],
  wide: number,
): Frame {
  if (fixed.length === 0) return frame;
  const pills = fixed.map((item) => pillOf(stage, graph, item));
  const most = Math.max(frame.w, wide);
  const wider = [beside(frame, pills), above(frame, pills, frame.w)].filter(({ w }) => w <= most);
  const area = ({ w, h }: Frame) => w * h;
  const best = wider.reduce(
    (least, one) => (area(one) < area(least) ? one : least),
    above(frame, pills, wide),
  );
  return { ...best, leastWide: Number.POSITIVE_INFINITY };
}

/** The frame with such arguments on the right of its inputs. */
function beside(frame: Frame, pills: readonly Cell[]): Frame {
  const low = Math.max(...pills.map(({ h }) => h)) + UNDER + SMALL;
  const ends = [
    ...frame.cells.filter(({ y }) => y < low).map(rightOf),
    ...namesIn(frame).flatMap(({ x, y, w }) => (y < low ? [x + w] : [])),
  ];
  let x = Math.max(-APART, ...ends) + APART;
  const placed = pills.map((pill) => {
    const at = movedCell(pill, x, 0);
    x = rightOf(at) + APART;
    return at;
  });
  const w = Math.max(frame.w, x - APART);
  return { ...frame, w, h: Math.max(frame.h, low), cells: [...frame.cells, ...placed] };
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

/** The names of values at the ends of cut links. */
const namesIn = ({ mentions, links }: Frame) => [
  ...mentions,
  ...links.flatMap(({ mention }) => mention ?? []),
];

/** Where a cell ends, with the text under it. */
const rightOf = ({ x, w, type, typeX }: Cell): number =>
  Math.max(x + w, type === '' ? 0 : typeX + textWidth(type, SMALL));

/** How much room a program has in a notebook's cell when it is first shown, and how high its view then is. */
import { useMemo, useRef } from 'preact/hooks';
import { FLOOR, type View } from '../layout/measure';
import { sizeOfScene } from '../layout/scene';
import { cssZoom } from '../render/css-zoom';
import type { ViewState } from '../state/view-state';
import { NARROW_VIEW, TEXT_BELOW } from './panes';

/** The least and the most height of a view in a cell, px. Where the page enlarges views there is less room for
 * the graph, so that it still fits into the most px of the window. */
const HEIGHT = { least: 280, most: 900 };
/** The px that bar, tabs and foot take of it; in a comparison the line that sums it up, and how results differ. */
const aroundOf = ({ differences }: ViewState): number => (differences ? 150 : 92);

/** The room for the graph that stands in this element: in a cell, whose view grows with its program, what it
 * may grow to; elsewhere what there is. */
export function roomOf(element: HTMLElement, { width, height }: View, state: ViewState): View {
  if (getComputedStyle(element).getPropertyValue('--jxv-grows').trim() !== '1') {
    return { width, height };
  }
  const frame = element.closest('.jxv-frame')?.clientWidth ?? width;
  const below = frame < NARROW_VIEW ? TEXT_BELOW : 0;
  return { width, height: HEIGHT.most / cssZoom(element) - aroundOf(state) - below };
}

/** The height of a view whose graph stands beside the text, and of one where it stands above it, px: as high as
 * the program is at first, however much of it is opened later. */
export function useFirstHeights(state: ViewState): { beside: number; stacked: number } {
  const heights = useRef({ beside: HEIGHT.least, stacked: HEIGHT.least });
  const isNew = useRef(true);
  const { room, first, open, shape } = state;
  const asked = first || isNew.current ? room : null;
  const graph = useMemo(() => asked && graphHeight(state, asked), [asked, open, shape]);
  if (graph !== null) {
    isNew.current = false;
    const of = (text: number) =>
      Math.ceil(Math.max(HEIGHT.least, Math.min(HEIGHT.most, aroundOf(state) + graph + text)));
    heights.current = { beside: of(0), stacked: of(TEXT_BELOW) };
  }
  return heights.current;
}

/** The px that the graph takes where it is as large as its room allows. */
function graphHeight({ stage, open, shape, only }: ViewState, room: View): number {
  const { width, height } = sizeOfScene(stage, open, shape, only);
  return height * Math.max(FLOOR, Math.min(1, room.width / width));
}

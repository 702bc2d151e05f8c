import type { RefObject } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { keyOf, type Lane, lanesOf } from '../../facts/log/log-lanes';
import { laneHeight } from '../../picture/lane-shapes';
import type { Event } from '../../schema';
import type { LogState } from '../../state/log-state';
import { useWindow } from '../window';

/** The height of a name that stands over its events, as in log.css, px. */
const NAME = 36;

export interface Rows {
  /** A row each. */
  lanes: readonly Lane[];
  /** The rows that are in view. */
  shown: readonly number[];
  /** The heights of the rows before these, and after them, px. */
  before: number;
  after: number;
}

/** Which rows of the timeline are in view; that of what is selected is scrolled there. */
export function useRows(
  scroller: RefObject<HTMLElement>,
  { log, selected }: LogState,
  isStacked: boolean,
): Rows {
  const lanes = lanesOf(log);
  const tops = useMemo(
    () => topsOf(lanes.map((lane) => laneHeight(lane) + (isStacked ? NAME : 0))),
    [lanes, isStacked],
  );
  const total = tops.at(-1) ?? 0;
  const seen = useWindow(scroller, total, 1);
  useLayoutEffect(() => {
    const row = selected ? rowOf(lanes, selected) : -1;
    if (scroller.current && row >= 0) show(scroller.current, tops[row]!, tops[row + 1]!);
  }, [selected?.number]);
  const shown = [...lanes.keys()].filter(
    (row) => tops[row + 1]! >= seen.from && tops[row]! <= seen.to,
  );
  const end = tops[(shown.at(-1) ?? -1) + 1] ?? 0;
  return { lanes, shown, before: tops[shown[0] ?? 0] ?? 0, after: total - end };
}

/** The row of an event's function; -1 where it has none. */
export const rowOf = (lanes: readonly Lane[], event: Event): number =>
  lanes.findIndex(({ function: one }) => keyOf(one) === keyOf(event));

/** Where each row begins, and where the last one ends. */
function topsOf(heights: readonly number[]): number[] {
  const tops = [0];
  for (const height of heights) tops.push(tops.at(-1)! + height);
  return tops;
}

/** Scrolls a row into view where it is not, below the axis. */
function show(scroller: HTMLElement, top: number, bottom: number): void {
  const axis = scroller.querySelector('thead')?.offsetHeight ?? 0;
  const seen = scroller.clientHeight - axis;
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (bottom > scroller.scrollTop + seen) scroller.scrollTop = bottom - seen;
}

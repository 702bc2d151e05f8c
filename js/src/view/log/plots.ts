import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Block } from '../../facts/log/event-blocks';
import { endOf, type Lane } from '../../facts/log/log-lanes';
import { type Scale, type Span, toTime } from '../../facts/log/time-scale';
import { blockAt, type LaneView } from '../../picture/lane-shapes';
import type { Event } from '../../schema';
import type { Action, LogState } from '../../state/log-state';
import { listenToPlots, type Plots, type Point } from './gestures';

interface Plotted {
  state: LogState;
  scale: Scale;
  viewOf: (row: number) => LaneView | null;
  dispatch: (action: Action) => void;
  choose: (event: Event | null, isOther: boolean) => void;
  hover: (at: Point | null) => void;
  setBrush: (brush: { from: number; to: number } | null) => void;
}

/** What a pointer does with the plots. */
export function usePlots(grid: RefObject<HTMLElement>, plotted: Plotted): void {
  const now = useRef(plotted);
  now.current = plotted;
  useEffect(
    () => (grid.current ? listenToPlots(grid.current, () => plotsOf(now.current)) : undefined),
    [],
  );
}

function plotsOf({ state, scale, viewOf, dispatch, choose, hover, setBrush }: Plotted): Plots {
  const blockOf = ({ row, x, y }: Point) => {
    const view = viewOf(row);
    return view && blockAt(view, x, y);
  };
  return {
    click(at, isOther) {
      const block = blockOf(at);
      const moment = state.log.start + toTime(scale, at.x);
      choose(block && nearest(block.events, moment), isOther);
    },
    doubleClick(at) {
      const block = blockOf(at);
      dispatch({ type: 'show', span: block && around(viewOf(at.row)?.lane, block) });
    },
    hover,
    brush: (from, to) => setBrush({ from, to }),
    brushed(from, to) {
      setBrush(null);
      const [left, right] = [Math.min(from, to), Math.max(from, to)];
      const span = { from: toTime(scale, left), to: toTime(scale, right) };
      dispatch({ type: 'show', span });
    },
    stop: () => setBrush(null),
    zoom: (factor, x) => dispatch({ type: 'zoom', factor, at: toTime(scale, x) }),
    pan(px) {
      dispatch({ type: 'pan', seconds: (px / scale.width) * (scale.to - scale.from) });
      return state.span !== null;
    },
  };
}

/** The stretch of the calls that a block shows, with some room. */
function around(lane: Lane | undefined, { events }: Block): Span | null {
  const shown = new Set(events);
  const calls = (lane?.tracks.flat() ?? []).filter((call) => call.events.some((e) => shown.has(e)));
  const from = Math.min(...calls.map((call) => call.from));
  const to = Math.max(...calls.map((call) => call.to));
  const room = Math.max(1e-5, 0.1 * (to - from));
  return calls.length > 0 ? { from: from - room, to: to + room } : null;
}

/** The event that a moment lies in or near to. */
function nearest(events: readonly Event[], moment: number): Event {
  const apart = (event: Event) => Math.max(event.start - moment, moment - endOf(event), 0);
  return events.reduce((best, event) => (apart(event) < apart(best) ? event : best));
}

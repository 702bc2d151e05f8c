/** The pointer and the keys in the timeline of a log. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import {
  type Block,
  endOf,
  type Lane,
  type Scale,
  type Span,
  toTime,
} from '../facts/events/log-lanes';
import { blockAt, type LaneView } from '../picture/lane-shapes';
import { pointIn } from '../render/css-zoom';
import type { Event } from '../schema';
import { type Action, type LogState, spanSeen } from '../state/log-state';

/** The effects of a pointer's gestures. Places in time are px from the left edge of a plot. */
interface Plots {
  click(at: Point, isOther: boolean): void;
  doubleClick(at: Point): void;
  hover(at: Point | null): void;
  /** The reader is marking a stretch. */
  brush(from: number, to: number): void;
  /** The reader has marked a stretch. */
  brushed(from: number, to: number): void;
  /** Nothing is marked any more. */
  stop(): void;
  zoom(factor: number, x: number): void;
  /** Returns true if only a part of the time is visible, so that it can move. */
  pan(px: number): boolean;
}

/** A place in a plot. */
export interface Point {
  /** The index of the row; -1 in the axis. */
  row: number;
  /** px from the upper left corner of the plot. */
  x: number;
  y: number;
}

/** A pointer that moves less than this between down and up clicks, px. */
const CLICK_TOLERANCE = 4;

/** The height of a line, px: some mice report the movement of their wheel in lines. */
const WHEEL_LINE = 16;

/** The least distance of two fingers, px: below it the zoom would jump. */
const CLOSEST_FINGERS = 8;

/**
 * Turns the events of a pointer into gestures.
 *
 * Dragging marks a stretch to zoom into; with Shift, or with a finger, it moves the view. Two
 * fingers zoom, and so does the wheel with Ctrl. A wheel to the side moves the view.
 */
class PlotGestures {
  readonly #plots: () => Plots;
  /** The place of each pressed pointer, px from the left edge of the plot. */
  readonly #down = new Map<number, number>();
  #begin = 0;
  #travelled = 0;

  constructor(plots: () => Plots) {
    this.#plots = plots;
  }

  pointerdown(event: PointerEvent): void {
    const at = pointOf(event);
    if (event.button !== 0 || !at) return;
    this.#down.set(event.pointerId, at.x);
    if (this.#down.size > 1) return;
    this.#begin = at.x;
    this.#travelled = 0;
    (event.target as Element).setPointerCapture(event.pointerId);
  }

  pointermove(event: PointerEvent): void {
    const at = pointOf(event);
    const from = this.#down.get(event.pointerId);
    if (from === undefined || !at) {
      this.#plots().hover(at && at.row >= 0 ? at : null);
      return;
    }
    this.#travelled = Math.max(this.#travelled, Math.abs(at.x - this.#begin));
    const other = [...this.#down].find(([id]) => id !== event.pointerId)?.[1];
    this.#down.set(event.pointerId, at.x);
    if (other !== undefined) this.#pinch(from, at.x, other);
    else if (this.#travelled < CLICK_TOLERANCE) return;
    else if (isPanning(event)) this.#plots().pan(from - at.x);
    else this.#plots().brush(this.#begin, at.x);
  }

  /** One of two fingers has moved. */
  #pinch(from: number, to: number, other: number): void {
    const distance = (x: number) => Math.max(CLOSEST_FINGERS, Math.abs(x - other));
    this.#travelled = CLICK_TOLERANCE;
    this.#plots().zoom(distance(from) / distance(to), (to + other) / 2);
  }

  pointerup(event: PointerEvent): void {
    if (!this.#down.delete(event.pointerId) || this.#down.size > 0) return;
    const at = pointOf(event);
    if (at && this.#travelled < CLICK_TOLERANCE) {
      this.#plots().stop();
      this.#plots().click(at, event.shiftKey || event.ctrlKey || event.metaKey);
    } else if (at && !isPanning(event)) this.#plots().brushed(this.#begin, at.x);
    else this.#plots().stop();
  }

  pointercancel(event: PointerEvent): void {
    this.#down.delete(event.pointerId);
    this.#plots().stop();
  }

  pointerleave(): void {
    this.#plots().hover(null);
  }

  dblclick(event: MouseEvent): void {
    const at = pointOf(event);
    if (at) this.#plots().doubleClick(at);
  }

  wheel(event: WheelEvent): void {
    const at = pointOf(event);
    if (!at) return;
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? WHEEL_LINE : 1;
    const isAside = Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if (event.ctrlKey) {
      const amount = Math.max(-60, Math.min(60, event.deltaY * unit));
      this.#plots().zoom(Math.exp(amount * 0.01), at.x);
    } else if (!isAside || !this.#plots().pan(event.deltaX * unit)) return;
    event.preventDefault();
  }
}

/** The place of an event in a plot; null outside of plots. */
function pointOf(event: MouseEvent): Point | null {
  const plot = (event.target as Element).closest?.('.jxv-log-plot');
  const row = (event.target as Element).closest?.('[data-row]');
  if (!plot) return null;
  const index = row instanceof HTMLElement ? Number(row.dataset.row) : -1;
  return { row: index, ...pointIn(plot, event) };
}

const isPanning = ({ pointerType, shiftKey }: PointerEvent): boolean =>
  pointerType === 'touch' || shiftKey;

const GESTURE_EVENTS = [
  'pointerdown',
  'pointermove',
  'pointerup',
  'pointercancel',
  'pointerleave',
  'dblclick',
  'wheel',
] as const;

/** Follows the gestures in a table of plots. Returns a function that ends that. */
function listenToPlots(grid: HTMLElement, plots: () => Plots): () => void {
  const gestures = new PlotGestures(plots);
  const ending = new AbortController();
  for (const name of GESTURE_EVENTS) {
    const run = gestures[name].bind(gestures) as EventListener;
    grid.addEventListener(name, run, { passive: false, signal: ending.signal });
  }
  return () => ending.abort();
}

interface PlottedTimeline {
  state: LogState;
  scale: Scale;
  viewOf: (row: number) => LaneView | null;
  dispatch: (action: Action) => void;
  choose: (event: Event | null, isOther: boolean) => void;
  hover: (at: Point | null) => void;
  setBrush: (brush: { from: number; to: number } | null) => void;
}

/** Zooms, moves and selects by the reader's pointer. */
export function usePlots(grid: RefObject<HTMLElement>, plotted: PlottedTimeline): void {
  const now = useRef(plotted);
  now.current = plotted;
  useEffect(
    () => (grid.current ? listenToPlots(grid.current, () => plotsOf(now.current)) : undefined),
    [],
  );
}

function plotsOf({
  state,
  scale,
  viewOf,
  dispatch,
  choose,
  hover,
  setBrush,
}: PlottedTimeline): Plots {
  const blockUnder = ({ row, x, y }: Point) => {
    const view = viewOf(row);
    return view && blockAt(view, x, y);
  };
  return {
    click(at, isOther) {
      const block = blockUnder(at);
      const moment = state.log.start + toTime(scale, at.x);
      choose(block && nearest(block.events, moment), isOther);
    },
    doubleClick(at) {
      const block = blockUnder(at);
      dispatch({ type: 'show', span: block && stretchOf(viewOf(at.row)?.lane, block) });
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

/** The stretch of the calls in a block, with some room around it. */
function stretchOf(lane: Lane | undefined, { events }: Block): Span | null {
  const shown = new Set(events);
  const calls = (lane?.tracks.flat() ?? []).filter((call) => call.events.some((e) => shown.has(e)));
  const from = Math.min(...calls.map((call) => call.from));
  const to = Math.max(...calls.map((call) => call.to));
  const room = Math.max(1e-5, 0.1 * (to - from));
  return calls.length > 0 ? { from: from - room, to: to + room } : null;
}

/** The event at a moment, or the nearest one. */
function nearest(events: readonly Event[], moment: number): Event {
  const distance = (event: Event) => Math.max(event.start - moment, moment - endOf(event), 0);
  return events.reduce((best, event) => (distance(event) < distance(best) ? event : best));
}

interface KeyActions {
  state: LogState;
  dispatch: (action: Action) => void;
  /** Shows the program of the selected event, or compares it with the picked one. */
  enter: () => void;
  compareBefore: () => void;
  pick: () => void;
  escape: () => void;
}

/** A key moves the view by this part of the visible stretch. */
const PAN_PART = 0.2;

/** The zoom factor of a key. */
const ZOOM_STEP = 1.5;

/** The key handler of the timeline. */
export function timelineKeys(keys: KeyActions): (event: KeyboardEvent) => void {
  const { state, dispatch } = keys;
  const { from, to } = spanSeen(state);
  const walk = (by: (Action & { type: 'walk' })['by']) => () => dispatch({ type: 'walk', by });
  const pan = (part: number) => () => dispatch({ type: 'pan', seconds: part * (to - from) });
  const zoom = (factor: number) => () => dispatch({ type: 'zoom', factor, at: middleOf(state) });
  const runs = new Map<string, () => void>([
    ['ArrowLeft', walk('left')],
    ['ArrowRight', walk('right')],
    ['ArrowUp', walk('up')],
    ['ArrowDown', walk('down')],
    ['Home', walk('first')],
    ['End', walk('last')],
    ['Shift+ArrowLeft', pan(-PAN_PART)],
    ['Shift+ArrowRight', pan(PAN_PART)],
    ['+', zoom(1 / ZOOM_STEP)],
    ['=', zoom(1 / ZOOM_STEP)],
    ['-', zoom(ZOOM_STEP)],
    ['0', () => dispatch({ type: 'show', span: null })],
    ['Enter', keys.enter],
    ['p', keys.compareBefore],
    ['c', keys.pick],
    ['Escape', keys.escape],
  ]);
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target !== event.currentTarget) return;
    const isArrow = event.key.startsWith('Arrow');
    const run = runs.get(event.shiftKey && isArrow ? `Shift+${event.key}` : event.key);
    if (!run) return;
    event.preventDefault();
    event.stopPropagation();
    run();
  };
}

/** The moment at which keys zoom: the beginning of the selected event if it is visible, else the
 * middle of the view. */
function middleOf(state: LogState): number {
  const { log, selected } = state;
  const { from, to } = spanSeen(state);
  const at = (selected?.start ?? 0) - log.start;
  return selected && at >= from && at <= to ? at : (from + to) / 2;
}

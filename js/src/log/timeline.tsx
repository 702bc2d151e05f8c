/** The timeline of a log: all functions over one axis of time, to zoom, walk and click. */
import type { ComponentChildren, Ref, RefObject } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { wholeOf } from '../facts/events/log-events';
import { type Scale, type Span, type Tick, ticksOf } from '../facts/events/log-lanes';
import { __ } from '../language';
import { blockAt, type LaneView } from '../picture/lane-shapes';
import { pointIn } from '../render/css-zoom';
import type { Event, Log } from '../schema';
import { Gap, useUniqueId, useWidth } from '../shell/parts/controls';
import { type Action, type LogState, markedWith, spanSeen } from '../state/log-state';
import { blockText, eventText, legendOf } from '../words/events/log-words';
import { type Point, usePlots } from './timeline-input';
import {
  LaneRow,
  OpsRow,
  RunsRow,
  rowOf,
  type TimelineRows,
  useTheme,
  useTimelineRows,
} from './timeline-rows';

interface TimelineProps {
  state: LogState;
  dispatch: (action: Action) => void;
  keys: (event: KeyboardEvent) => void;
  /** Called for a click on an event, or on none; `isOther` is true with Shift or Ctrl, to compare it
   * with the selected one. */
  choose: (event: Event | null, isOther: boolean) => void;
}

/** The assumed width of the plots before the layout, px. */
const FIRST_WIDTH = 400;

/** In a narrower view than this, names are above their events, px. */
const STACKED_BELOW = 560;

export function Timeline({ state, dispatch, keys, choose }: TimelineProps) {
  const grid = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLTableCellElement>(null);
  const isStacked = (useWidth(grid) ?? STACKED_BELOW) < STACKED_BELOW;
  const time = useTimeAxis(state, plot);
  const rows = useTimelineRows(grid, state, isStacked);
  const viewOf = useLaneViews(state, time, rows);
  return (
    <PointedTimeline {...{ state, dispatch, choose, grid, time, viewOf, isStacked }}>
      <TimelineTable {...{ state, dispatch, keys, grid, plot, time, rows, viewOf }} />
    </PointedTimeline>
  );
}

interface PointedProps extends Pick<TimelineProps, 'state' | 'dispatch' | 'choose'> {
  grid: RefObject<HTMLDivElement>;
  time: TimeAxis;
  viewOf: (row: number) => LaneView | null;
  isStacked: boolean;
  /** The table, which is not rendered again while the pointer moves over it. */
  children: ComponentChildren;
}

/** The timeline with the parts that follow the pointer. */
function PointedTimeline(props: PointedProps) {
  const { state, dispatch, choose, grid, time, viewOf, isStacked, children } = props;
  const { log } = state;
  const [hovered, hover] = useState<Point | null>(null);
  const [brush, setBrush] = useState<BrushStretch | null>(null);
  usePlots(grid, { state, scale: time.scale, viewOf, dispatch, choose, hover, setBrush });
  const pointed = hovered && viewOf(hovered.row);
  const block = pointed && blockAt(pointed, hovered.x, hovered.y);
  return (
    <div class={`jxv-log-time${isStacked ? ' jxv-log-stacked' : ''}`}>
      <div class={`jxv-log-grid${block ? ' jxv-log-pointed' : ''}`} ref={grid}>
        {children}
        {brush && <Brush {...brush} />}
      </div>
      {block && !brush && <Tip at={hovered} text={blockText(log, block.events)} grid={grid} />}
      <Legend log={log} />
    </div>
  );
}

interface TimeAxis {
  scale: Scale;
  ticks: readonly Tick[];
}

/** The visible stretch of time, over the width of the plots. */
function useTimeAxis(state: LogState, plot: RefObject<HTMLElement>): TimeAxis {
  const width = useWidth(plot) ?? FIRST_WIDTH;
  const { from, to } = spanSeen(state);
  const scale = useMemo((): Scale => ({ from, to, width }), [from, to, width]);
  const ticks = useMemo(() => ticksOf(scale), [scale]);
  return { scale, ticks };
}

/** Returns the view of a row's plot; null for an index that is no row. */
function useLaneViews(state: LogState, { scale, ticks }: TimeAxis, { lanes }: TimelineRows) {
  const { log, selected } = state;
  const marked = useMemo(
    () => new Set(markedWith(state).map((one) => one.number)),
    [log, state.cause],
  );
  return (row: number): LaneView | null => {
    const lane = lanes[row];
    return lane ? { log, lane, scale, ticks, selected: selected?.number ?? null, marked } : null;
  };
}

interface TableProps extends Pick<TimelineProps, 'state' | 'dispatch' | 'keys'> {
  grid: RefObject<HTMLElement>;
  plot: Ref<HTMLTableCellElement>;
  time: TimeAxis;
  rows: TimelineRows;
  viewOf: (row: number) => LaneView | null;
}

/** The table of all rows. Only the visible ones are in the page; empty rows replace the others. */
function TimelineTable({ state, dispatch, keys, grid, plot, time, rows, viewOf }: TableProps) {
  const { log, selected, span } = state;
  const { lanes, shown, before, after } = rows;
  const theme = useTheme(grid);
  const id = useUniqueId();
  const isSelected = (row: number) => selected !== null && row === rowOf(lanes, selected);
  return (
    <table
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its events are walked
      role="grid"
      aria-label={__('Traces and compilations of each function over time')}
      aria-rowcount={lanes.length + 1 + Number(log.ops.length > 0) + Number(log.profile !== null)}
      {...(shown.some(isSelected) ? { 'aria-activedescendant': id } : {})}
      tabIndex={0}
      onKeyDown={keys}
    >
      <thead>
        <Axis {...time} {...{ plot, span, dispatch }} whole={wholeOf(log)} />
      </thead>
      <tbody>
        <Gap height={before} />
        {shown.map((row) => (
          <LaneRow
            key={lanes[row]!.index}
            {...{ theme, row }}
            view={viewOf(row)!}
            selectedEvent={
              selected && isSelected(row) ? { id, text: eventText(log, selected) } : null
            }
          />
        ))}
        <Gap height={after} />
        {log.profile && <RunsRow profile={log.profile} log={log} scale={time.scale} />}
        {log.ops.length + (log.profile?.loops?.length ?? 0) > 0 && (
          <OpsRow log={log} scale={time.scale} />
        )}
      </tbody>
    </table>
  );
}

interface BrushStretch {
  from: number;
  to: number;
}

/** The stretch that is marked by dragging, px in the plots. */
function Brush({ from, to }: BrushStretch) {
  const [left, wide] = [Math.min(from, to), Math.abs(to - from)];
  return <div class="jxv-log-brush" style={`--from:${left}px;--wide:${wide}px`} />;
}

interface AxisProps {
  ticks: readonly Tick[];
  plot: Ref<HTMLTableCellElement>;
  /** The visible stretch; null if it is the whole. */
  span: Span | null;
  whole: Span;
  scale: Scale;
  dispatch: (action: Action) => void;
}

const ZOOM_FACTOR = 2;

/** A little more than the width of a letter in a tick's text, px. */
const LETTER_WIDTH = 8;

/** The head of the table: the time since the start, and buttons to zoom. */
function Axis({ ticks, plot, span, whole, scale, dispatch }: AxisProps) {
  const middle = (scale.from + scale.to) / 2;
  const zoom = (factor: number) => dispatch({ type: 'zoom', factor, at: middle });
  return (
    <tr class="jxv-log-axis" aria-rowindex={1}>
      <th class="jxv-log-name" scope="col">
        <span>{__('function')}</span>
        <span class="jxv-log-zoom">
          <ZoomButton label={__('Zoom out')} text="−" off={!span} press={() => zoom(ZOOM_FACTOR)} />
          <ZoomButton
            label={__('Zoom in')}
            text="+"
            off={false}
            press={() => zoom(1 / ZOOM_FACTOR)}
          />
          <ZoomButton
            label={__('All of the time')}
            text="⤢"
            off={!span}
            press={() => dispatch({ type: 'show', span: null })}
          />
        </span>
      </th>
      <th class="jxv-log-plot" scope="col" ref={plot}>
        <b class="jxv-hidden">{__('time')}</b>
        {span && <i class="jxv-log-where" style={stretchStyle(span, whole)} />}
        {ticks.map(({ px, text }) => (
          <span key={text} aria-hidden="true" style={`left:${px.toFixed(1)}px`}>
            {px + LETTER_WIDTH * text.length < scale.width && text}
          </span>
        ))}
      </th>
    </tr>
  );
}

function stretchStyle({ from, to }: Span, whole: Span): string {
  const part = 100 / (whole.to - whole.from);
  return `left:${(from - whole.from) * part}%;width:${(to - from) * part}%`;
}

interface ButtonProps {
  label: string;
  text: string;
  off: boolean;
  press: () => void;
}

const ZoomButton = ({ label, text, off, press }: ButtonProps) => (
  <button
    type="button"
    class="jxv-bare"
    aria-label={label}
    title={label}
    disabled={off}
    onClick={press}
  >
    {text}
  </button>
);

/** The marks in this timeline, and its keys and gestures. */
function Legend({ log }: { log: Log }) {
  return (
    <ul class="jxv-log-legend" aria-label={__('Legend')}>
      {legendOf(log).map(({ mark, text }) => (
        <li key={mark}>
          <span class={`jxv-log-key jxv-log-key-${mark}`} aria-hidden="true" />
          {text}
        </li>
      ))}
      <li class="jxv-log-keys" title={keysText()}>
        {__('drag to zoom, arrow keys to move')}
      </li>
    </ul>
  );
}

const keysText = () =>
  [
    __('Drag: zoom to a range; Shift+drag, or a horizontal wheel: move'),
    __('Ctrl+wheel, + − 0: zoom in, out, to fit'),
    __('Double-click marks: zoom to them; elsewhere: show all'),
    __('← → ↑ ↓ Home End: from event to event'),
    __('Shift+← Shift+→: move'),
    __(
      'Enter: open the program; p: compare with an earlier trace; c, or Shift+click: compare with another',
    ),
    __('Escape: select nothing'),
  ].join('\n');

interface TipProps {
  at: Point;
  text: string;
  grid: RefObject<HTMLElement>;
}

/** The words for the mark under the pointer, beside the pointer. */
function Tip({ at, text, grid }: TipProps) {
  const tip = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [element, row] = [tip.current, grid.current?.querySelector(`[data-row="${at.row}"]`)];
    const plot = row?.querySelector('.jxv-log-plot')?.getBoundingClientRect();
    const parent = element?.offsetParent;
    if (!element || !plot || !parent) return;
    const { x, y } = pointIn(parent, { clientX: plot.left, clientY: plot.top });
    const most = parent.clientWidth - element.offsetWidth - 6;
    element.style.left = `${Math.max(6, Math.min(x + at.x + 10, most))}px`;
    element.style.top = `${y + at.y + 16}px`;
  });
  return (
    <div class="jxv-log-tip" ref={tip} aria-hidden="true">
      {text}
    </div>
  );
}

/** The rows of a timeline: one for each function, which of them are visible, and one for single ops. */
import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import {
  keyOf,
  type Lane,
  lanesOf,
  loopStretches,
  runStretches,
  type Scale,
  stretchesOf,
} from '../facts/events/log-lanes';
import { placeOf, timeText } from '../facts/text/describe';
import { __, _n } from '../language';
import { type LaneView, laneHeight, laneShapes } from '../picture/lane-shapes';
import { fitCanvas } from '../render/css-zoom';
import { paintShapes } from '../render/paint';
import { onThemeChange, type Theme, themeOf } from '../render/theme';
import type { CellTimes, Event, Frame, Log } from '../schema';
import { showRow, useWindow } from '../shell/parts/controls';
import type { LogState } from '../state/log-state';
import {
  compiledText,
  countsText,
  firstRunsText,
  loopText,
  opText,
  ranText,
  totalOf,
} from '../words/events/log-words';
import { LogPlace, ShortenedName } from './change-text';

interface LaneProps {
  view: LaneView;
  theme: Theme | null;
  row: number;
  /** The selected event in words, and the id of its element; null if the event is of another
   * function. */
  selectedEvent: { id: string; text: string } | null;
}

/** A function: its name and counts, and its events to scale. */
export function LaneRow({ view, theme, row, selectedEvent }: LaneProps) {
  const { function: one } = view.lane;
  return (
    <tr class="jxv-log-lane" aria-rowindex={row + 2} data-row={row}>
      <th class="jxv-log-name" scope="row">
        <span class="jxv-log-first">
          <ShortenedName text={one.name} />
          <span class="jxv-log-took">{timeText(one.seconds)}</span>
        </span>
        <span class="jxv-log-second">
          {one.definition && <DefinitionLink frame={one.definition} />}
          <span class="jxv-log-counts" title={countsText(one)}>
            {countsText(one)}
          </span>
        </span>
      </th>
      <td
        class="jxv-log-plot"
        {...(selectedEvent ? { id: selectedEvent.id, 'aria-selected': true } : {})}
      >
        {selectedEvent && <span class="jxv-hidden">{selectedEvent.text}</span>}
        <LaneCanvas view={view} theme={theme} />
      </td>
    </tr>
  );
}

/** The place of a function's definition. It is shortened in its middle if the counts need the room. */
function DefinitionLink({ frame }: { frame: Frame }) {
  const place = placeOf(frame);
  const about = __('defined here');
  const text = <ShortenedName text={place} title={`${about}: ${place} ${frame.code}`} />;
  return <LogPlace {...{ frame, text, about }} />;
}

/** The events of a function, painted on a canvas. */
function LaneCanvas({ view, theme }: { view: LaneView; theme: Theme | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { log, lane, scale, ticks, selected, marked } = view;
  const height = laneHeight(lane);
  const { width } = scale;
  useLayoutEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext('2d');
    if (!element || !ctx || !theme) return;
    const ratio = fitCanvas(element, width, height);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    ctx.clearRect(0, 0, width, height);
    paintShapes(ctx, laneShapes(view), theme);
  }, [log, lane, scale, ticks, selected, marked, theme]);
  const label = countsText(lane.function);
  return <canvas ref={canvas} role="img" aria-label={label} style={`height:${height}px`} />;
}

/** All ops that were compiled one by one, outside jit, and the loops that ran them, in one row. */
export function OpsRow({ log, scale }: { log: Log; scale: Scale }) {
  const { compiles, seconds } = totalOf(log);
  const loops = log.profile?.loops ?? [];
  const runs = loops.reduce((sum, { programs }) => sum + programs, 0);
  const took = loops.reduce((sum, loop) => sum + loop.seconds, seconds);
  return (
    <tr class="jxv-log-lane jxv-log-ops">
      <th class="jxv-log-name" scope="row" title={firstRunsText()}>
        <span class="jxv-log-first">
          <ShortenedName text={__('op by op')} />
          <span class="jxv-log-took">{timeText(took)}</span>
        </span>
        <span class="jxv-log-second">
          <span>{__('outside jit')}</span>
          <span class="jxv-log-counts">
            {runs > 0 ? _n('%1 run', '%1 runs', runs) : compiledText(compiles)}
          </span>
        </span>
      </th>
      <td class="jxv-log-plot">
        {loopStretches(log, scale).map(({ loop, left, width }, index) => (
          <i
            key={`loop ${index}`}
            class="jxv-log-loop"
            title={`${placeOf(loop.site)}: ${loopText(loop)}`}
            style={`left:${left.toFixed(1)}px;width:${width.toFixed(1)}px`}
          />
        ))}
        {stretchesOf(log, scale).map(({ op, left, width }, index) => (
          <i
            key={index}
            title={opText(op)}
            style={`left:${left.toFixed(1)}px;width:${width.toFixed(1)}px`}
          />
        ))}
      </td>
    </tr>
  );
}

interface RunsProps {
  profile: CellTimes;
  log: Log;
  scale: Scale;
}

/** The runs of compiled programs, while the profiler was on. */
export function RunsRow({ profile, log, scale }: RunsProps) {
  const { running, programs } = profile;
  const runs = programs.reduce((sum, { calls }) => sum + calls, 0);
  return (
    <tr class="jxv-log-lane jxv-log-ops jxv-log-runs">
      <th class="jxv-log-name" scope="row">
        <span class="jxv-log-first">
          <ShortenedName text={__('programs ran')} />
          <span class="jxv-log-took">{timeText(running)}</span>
        </span>
        <span class="jxv-log-second">
          <span>{__('measured')}</span>
          <span class="jxv-log-counts">{_n('%1 run', '%1 runs', runs)}</span>
        </span>
      </th>
      <td class="jxv-log-plot">
        {runStretches(profile, log.start, scale).map(({ program, left, width }, index) => (
          <i
            key={index}
            title={ranText(program)}
            style={`left:${left.toFixed(1)}px;width:${width.toFixed(1)}px`}
          />
        ))}
      </td>
    </tr>
  );
}

/** The height of a name above its events, px: the same as in log-time.css. */
const STACKED_NAME_HEIGHT = 40;

export interface TimelineRows {
  /** One for each row. */
  lanes: readonly Lane[];
  /** The indices of the visible rows. */
  shown: readonly number[];
  /** The heights of all rows before them, and of all after them, px. */
  before: number;
  after: number;
}

/** The visible rows. Scrolls to the row of an event when it is selected. */
export function useTimelineRows(
  scroller: RefObject<HTMLElement>,
  { log, selected }: LogState,
  isStacked: boolean,
): TimelineRows {
  const lanes = lanesOf(log);
  const tops = useMemo(
    () => topsOf(lanes.map((lane) => laneHeight(lane) + (isStacked ? STACKED_NAME_HEIGHT : 0))),
    [lanes, isStacked],
  );
  const total = tops.at(-1) ?? 0;
  const seen = useWindow(scroller, total, 1);
  useLayoutEffect(() => {
    const { current } = scroller;
    const row = selected ? rowOf(lanes, selected) : -1;
    if (!current || row < 0) return;
    const axis = current.querySelector('thead')?.offsetHeight ?? 0;
    showRow(current, tops[row]!, tops[row + 1]! - tops[row]!, axis);
  }, [selected?.number]);
  const shown = [...lanes.keys()].filter(
    (row) => tops[row + 1]! >= seen.from && tops[row]! <= seen.to,
  );
  const end = tops[(shown.at(-1) ?? -1) + 1] ?? 0;
  return { lanes, shown, before: tops[shown[0] ?? 0] ?? 0, after: total - end };
}

/** The index of the row of an event; -1 if it has none. */
export const rowOf = (lanes: readonly Lane[], event: Event): number =>
  lanes.findIndex(({ function: one }) => keyOf(one) === keyOf(event));

/** The top of each row, and the bottom of the last one, px. */
function topsOf(heights: readonly number[]): number[] {
  const tops = [0];
  for (const height of heights) tops.push(tops.at(-1)! + height);
  return tops;
}

/** The colours for an element, which follow those of the page. Null until the element is in the
 * page, because only then the page's colours are known. */
export function useTheme(element: RefObject<HTMLElement>): Theme | null {
  const [theme, setTheme] = useState<Theme | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const shown = element.current as HTMLElement;
    const update = () => setTheme(themeOf(shown));
    update();
    onThemeChange(shown, update, ending.signal);
    return () => ending.abort();
  }, [element]);
  return theme;
}

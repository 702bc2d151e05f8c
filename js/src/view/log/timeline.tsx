import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { wholeOf } from '../../model/log/events';
import { keyOf, lanesOf } from '../../model/log/lanes';
import { type Scale, ticksOf } from '../../model/log/scale';
import { type Action, type LogState, markedWith, spanSeen } from '../../model/log/state';
import { blockText, eventText } from '../../model/log/words';
import { blockAt, type LaneView, laneHeight } from '../../render/lane';
import type { Event } from '../../schema';
import { useWidth } from '../width';
import { useWindow } from '../window';
import { Axis } from './axis';
import type { Point } from './gestures';
import { LaneRow } from './lane';
import { Legend } from './legend';
import { usePlots, useRowInView } from './plots';
import { useTheme } from './theme';
import { Tip } from './tip';

interface Props {
  state: LogState;
  dispatch: (action: Action) => void;
  keys: (event: KeyboardEvent) => void;
  /** An event was clicked; with Shift or Ctrl, to compare it with the selected one. */
  choose: (event: Event | null, isOther: boolean) => void;
}

/** As in log.css, px. */
export const AXIS = 22;
const WIDTH = 400;
const NAME = 36;
/** Narrower than this, names stand over the events, px. */
const STACKED = 560;

/** All functions over one axis of time. */
export function Timeline({ state, dispatch, keys, choose }: Props) {
  const { log, selected, span } = state;
  const grid = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLTableCellElement>(null);
  const width = useWidth(plot) ?? WIDTH;
  const isStacked = (useWidth(grid) ?? STACKED) < STACKED;
  const theme = useTheme(grid);
  const id = useId();
  const lanes = lanesOf(log);
  const { from, to } = spanSeen(state);
  const scale = useMemo((): Scale => ({ from, to, width }), [from, to, width]);
  const ticks = useMemo(() => ticksOf(scale), [scale]);
  const marked = useMemo(
    () => new Set(markedWith(state).map((one) => one.number)),
    [log, state.cause],
  );
  const tops = useMemo(
    () => topsOf(lanes.map((lane) => laneHeight(lane) + (isStacked ? NAME : 0))),
    [lanes, isStacked],
  );
  const total = tops.at(-1) ?? 0;
  const seen = useWindow(grid, total, 1);
  const [hovered, hover] = useState<Point | null>(null);
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const viewOf = (row: number): LaneView | null => {
    const lane = lanes[row];
    return lane ? { log, lane, scale, ticks, selected: selected?.number ?? null, marked } : null;
  };
  usePlots(grid, { state, scale, viewOf, dispatch, choose, hover, setBrush });
  const pointed = hovered && viewOf(hovered.row);
  const block = pointed && blockAt(pointed, hovered.x, hovered.y);
  const shown = lanes.flatMap((lane, row) =>
    tops[row + 1]! >= seen.from && tops[row]! <= seen.to ? [{ lane, row }] : [],
  );
  const own = selected && lanes.findIndex(({ function: one }) => keyOf(one) === keyOf(selected));
  useRowInView(
    grid,
    own === null ? null : { top: tops[own] ?? 0, bottom: tops[own + 1] ?? 0 },
    selected,
  );
  const isShown = shown.some(({ row }) => row === own);
  return (
    <div class={`jxv-log-time${isStacked ? ' jxv-log-stacked' : ''}`}>
      <div class={`jxv-log-grid${block ? ' jxv-log-pointed' : ''}`} ref={grid}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its events are walked
          role="grid"
          aria-label="What was made of each function, over time"
          aria-rowcount={lanes.length + 1}
          {...(isShown ? { 'aria-activedescendant': `${id}e` } : {})}
          tabIndex={0}
          onKeyDown={keys}
        >
          <thead>
            <Axis {...{ ticks, plot, span, scale, dispatch }} whole={wholeOf(log)} />
          </thead>
          <tbody>
            <Gap height={tops[shown[0]?.row ?? 0] ?? 0} />
            {shown.map(({ lane, row }) => (
              <LaneRow
                key={lane.index}
                view={viewOf(row)!}
                theme={theme}
                row={row}
                said={
                  selected && own === row ? { id: `${id}e`, text: eventText(log, selected) } : null
                }
              />
            ))}
            <Gap height={total - (tops[(shown.at(-1)?.row ?? -1) + 1] ?? 0)} />
          </tbody>
        </table>
        {brush && (
          <div
            class="jxv-log-brush"
            style={`--from:${Math.min(brush.from, brush.to)}px;--wide:${Math.abs(brush.to - brush.from)}px`}
          />
        )}
      </div>
      {block && !brush && <Tip at={hovered} text={blockText(log, block.events)} grid={grid} />}
      <Legend log={log} />
    </div>
  );
}

/** Where each row begins, and where the last one ends. */
function topsOf(heights: readonly number[]): number[] {
  const tops = [0];
  for (const height of heights) tops.push(tops.at(-1)! + height);
  return tops;
}

/** What stands for rows that are out of view. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
  return <tr aria-hidden="true" style={`height:${height}px`} />;
}

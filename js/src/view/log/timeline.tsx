import { useId, useMemo, useRef, useState } from 'preact/hooks';
import { wholeOf } from '../../facts/log/log-events';
import { type Scale, ticksOf } from '../../facts/log/time-scale';
import { __ } from '../../language';
import { blockAt, type LaneView } from '../../picture/lane-shapes';
import type { Event } from '../../schema';
import { type Action, type LogState, markedWith, spanSeen } from '../../state/log-state';
import { blockText, eventText } from '../../words/log/log-words';
import { useWidth } from '../width';
import { Axis } from './axis';
import type { Point } from './gestures';
import { LaneRow } from './lane';
import { Legend } from './legend';
import { OpsRow } from './ops';
import { usePlots } from './plots';
import { rowOf, useRows } from './rows';
import { useTheme } from './theme';
import { Tip } from './tip';

interface Props {
  state: LogState;
  dispatch: (action: Action) => void;
  keys: (event: KeyboardEvent) => void;
  /** An event was clicked; with Shift or Ctrl, to compare it with the selected one. */
  choose: (event: Event | null, isOther: boolean) => void;
}

/** Until it is laid out, px. */
const WIDTH = 400;
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
  const id = `${useId()}e`;
  const { from, to } = spanSeen(state);
  const scale = useMemo((): Scale => ({ from, to, width }), [from, to, width]);
  const ticks = useMemo(() => ticksOf(scale), [scale]);
  const marked = useMemo(
    () => new Set(markedWith(state).map((one) => one.number)),
    [log, state.cause],
  );
  const { lanes, shown, before, after } = useRows(grid, state, isStacked);
  const [hovered, hover] = useState<Point | null>(null);
  const [brush, setBrush] = useState<Brushed | null>(null);
  const viewOf = (row: number): LaneView | null => {
    const lane = lanes[row];
    return lane ? { log, lane, scale, ticks, selected: selected?.number ?? null, marked } : null;
  };
  usePlots(grid, { state, scale, viewOf, dispatch, choose, hover, setBrush });
  const pointed = hovered && viewOf(hovered.row);
  const block = pointed && blockAt(pointed, hovered.x, hovered.y);
  const isOwn = (row: number) => selected !== null && row === rowOf(lanes, selected);
  return (
    <div class={`jxv-log-time${isStacked ? ' jxv-log-stacked' : ''}`}>
      <div class={`jxv-log-grid${block ? ' jxv-log-pointed' : ''}`} ref={grid}>
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: its events are walked
          role="grid"
          aria-label={__('What was made of each function, over time')}
          aria-rowcount={lanes.length + (log.ops.length > 0 ? 2 : 1)}
          {...(shown.some(isOwn) ? { 'aria-activedescendant': id } : {})}
          tabIndex={0}
          onKeyDown={keys}
        >
          <thead>
            <Axis {...{ ticks, plot, span, scale, dispatch }} whole={wholeOf(log)} />
          </thead>
          <tbody>
            <Gap height={before} />
            {shown.map((row) => (
              <LaneRow
                key={lanes[row]!.index}
                view={viewOf(row)!}
                theme={theme}
                row={row}
                said={selected && isOwn(row) ? { id, text: eventText(log, selected) } : null}
              />
            ))}
            <Gap height={after} />
            {log.ops.length > 0 && <OpsRow log={log} scale={scale} />}
          </tbody>
        </table>
        {brush && <Brush {...brush} />}
      </div>
      {block && !brush && <Tip at={hovered} text={blockText(log, block.events)} grid={grid} />}
      <Legend log={log} />
    </div>
  );
}

interface Brushed {
  from: number;
  to: number;
}

/** The stretch that a drag marks, px in the plots. */
function Brush({ from, to }: Brushed) {
  const [left, wide] = [Math.min(from, to), Math.abs(to - from)];
  return <div class="jxv-log-brush" style={`--from:${left}px;--wide:${wide}px`} />;
}

/** What stands for rows that are out of view. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
  return <tr aria-hidden="true" style={`height:${height}px`} />;
}

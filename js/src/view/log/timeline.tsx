import { useId, useMemo, useRef } from 'preact/hooks';
import { keyOf, lanesOf } from '../../model/log/lanes';
import { type Scale, ticksOf } from '../../model/log/scale';
import { type Action, type LogState, markedOf, spanSeen } from '../../model/log/state';
import { eventText } from '../../model/log/words';
import { type LaneView, laneHeight } from '../../render/lane';
import { useWidth } from '../width';
import { useWindow } from '../window';
import { Axis } from './axis';
import { LaneRow } from './lane';
import { useTheme } from './theme';

interface Props {
  state: LogState;
  dispatch: (action: Action) => void;
}

/** All functions over one axis of time. */
export function Timeline({ state, dispatch }: Props) {
  const { log, selected } = state;
  const grid = useRef<HTMLDivElement>(null);
  const plot = useRef<HTMLDivElement>(null);
  const width = useWidth(plot) ?? 400;
  const theme = useTheme(grid);
  const id = useId();
  const lanes = lanesOf(log);
  const { from, to } = spanSeen(state);
  const scale = useMemo((): Scale => ({ from, to, width }), [from, to, width]);
  const ticks = useMemo(() => ticksOf(scale), [scale]);
  const marked = useMemo(() => new Set(markedOf(state).map((one) => one.number)), [state]);
  const tops = useMemo(() => topsOf(lanes.map(laneHeight)), [lanes]);
  const total = tops.at(-1) ?? 0;
  const view = useWindow(grid, total, 1);
  const shown = lanes.flatMap((lane, row) => {
    const [top, bottom] = [tops[row]!, tops[row + 1]!];
    return bottom >= view.from && top <= view.to ? [{ lane, row }] : [];
  });
  const own = selected && keyOf(selected);
  void dispatch;
  return (
    <div
      class="jxv-log-grid"
      role="grid"
      aria-label="Traces, lowerings and compilations of each function over time"
      aria-rowcount={lanes.length + 1}
      tabIndex={0}
      ref={grid}
    >
      <Axis ticks={ticks} plot={plot} />
      <Gap height={tops[shown[0]?.row ?? 0] ?? 0} />
      {shown.map(({ lane, row }) => {
        const one: LaneView = {
          log,
          lane,
          scale,
          ticks,
          selected: selected?.number ?? null,
          marked,
        };
        const isOwn = selected !== null && keyOf(lane.function) === own;
        return (
          <LaneRow
            key={lane.index}
            view={one}
            theme={theme}
            row={row}
            said={isOwn ? { id: `${id}e`, text: eventText(log, selected) } : null}
          />
        );
      })}
      <Gap height={total - (tops[(shown.at(-1)?.row ?? -1) + 1] ?? 0)} />
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
  return height > 0 ? <div aria-hidden="true" style={`height:${height}px`} /> : null;
}

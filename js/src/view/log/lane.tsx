import { useLayoutEffect, useRef } from 'preact/hooks';
import { placeOf } from '../../facts/describe';
import { timeText } from '../../facts/log/times';
import { __ } from '../../language';
import { type LaneView, laneHeight, laneShapes } from '../../picture/lane-shapes';
import { paintShapes } from '../../render/paint-shapes';
import type { Theme } from '../../render/theme';
import { countsText } from '../../words/log/log-words';
import { Middle } from './middle';
import { Place } from './place';

interface Props {
  view: LaneView;
  theme: Theme | null;
  row: number;
  /** What is said of the selected event, and under which id, where it is of this function. */
  said: { id: string; text: string } | null;
}

/** A function's line: its name and counts, and its events to scale. */
export function LaneRow({ view, theme, row, said }: Props) {
  const { function: one } = view.lane;
  return (
    <tr class="jxv-log-lane" aria-rowindex={row + 2} data-row={row}>
      <th class="jxv-log-name" scope="row">
        <span class="jxv-log-first">
          <Middle text={one.name} />
          <span class="jxv-log-took">{timeText(one.seconds)}</span>
        </span>
        <span class="jxv-log-second">
          {one.definition && (
            <Place
              frame={one.definition}
              text={placeOf(one.definition)}
              about={__('defined here')}
            />
          )}
          <span class="jxv-log-counts" title={countsText(one)}>
            {countsText(one)}
          </span>
        </span>
      </th>
      <td class="jxv-log-plot" {...(said ? { id: said.id, 'aria-selected': true } : {})}>
        {said && <span class="jxv-hidden">{said.text}</span>}
        <Marks view={view} theme={theme} />
      </td>
    </tr>
  );
}

function Marks({ view, theme }: { view: LaneView; theme: Theme | null }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const { log, lane, scale, ticks, selected, marked } = view;
  const height = laneHeight(lane);
  const { width } = scale;
  useLayoutEffect(() => {
    const element = canvas.current;
    const ctx = element?.getContext('2d');
    if (!element || !ctx || !theme) return;
    const pixels = devicePixelRatio;
    element.width = Math.round(width * pixels);
    element.height = Math.round(height * pixels);
    ctx.scale(pixels, pixels);
    paintShapes(ctx, laneShapes(view), theme);
  }, [log, lane, scale, ticks, selected, marked, theme]);
  const label = countsText(lane.function);
  return <canvas ref={canvas} role="img" aria-label={label} style={`height:${height}px`} />;
}

import type { Ref } from 'preact';
import type { Tick } from '../../model/log/scale';

interface Props {
  ticks: readonly Tick[];
  plot: Ref<HTMLDivElement>;
}

/** The head of the timeline: moments since the start. */
export function Axis({ ticks, plot }: Props) {
  return (
    <div class="jxv-log-axis" role="row" aria-rowindex={1}>
      <div class="jxv-log-name" role="columnheader">
        function
      </div>
      <div class="jxv-log-plot" role="columnheader" aria-label="time" ref={plot}>
        {ticks.map(({ px, text }) => (
          <span key={text} aria-hidden="true" style={`left:${px.toFixed(1)}px`}>
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}

import type { Ref } from 'preact';
import type { Scale, Span, Tick } from '../../facts/log/time-scale';
import { __ } from '../../language';
import type { Action } from '../../state/log-state';

interface Props {
  ticks: readonly Tick[];
  plot: Ref<HTMLTableCellElement>;
  /** Null where all is seen. */
  span: Span | null;
  whole: Span;
  scale: Scale;
  dispatch: (action: Action) => void;
}

/** How much a button zooms. */
const BY = 2;
/** The width of a letter of a tick's text, and a bit, px. */
const LETTER = 8;

/** The head of the timeline: moments since the start. */
export function Axis({ ticks, plot, span, whole, scale, dispatch }: Props) {
  const middle = (scale.from + scale.to) / 2;
  const zoom = (factor: number) => dispatch({ type: 'zoom', factor, at: middle });
  return (
    <tr class="jxv-log-axis" aria-rowindex={1}>
      <th class="jxv-log-name" scope="col">
        <span>{__('function')}</span>
        <span class="jxv-log-zoom">
          <ZoomButton label={__('Zoom out')} text="−" off={!span} press={() => zoom(BY)} />
          <ZoomButton label={__('Zoom in')} text="+" off={false} press={() => zoom(1 / BY)} />
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
        {span && <i class="jxv-log-where" style={placeOf(span, whole)} />}
        {ticks.map(({ px, text }) => (
          <span key={text} aria-hidden="true" style={`left:${px.toFixed(1)}px`}>
            {px + LETTER * text.length < scale.width && text}
          </span>
        ))}
      </th>
    </tr>
  );
}

/** Where a stretch lies in the whole. */
function placeOf({ from, to }: Span, whole: Span): string {
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
  <button type="button" aria-label={label} title={label} disabled={off} onClick={press}>
    {text}
  </button>
);

import type { Log } from '../../schema';
import { lineOf } from '../../words/log/retrace-strip';
import { Middle } from './middle';

interface Props {
  log: Log;
  isOpen: boolean;
  toggle: () => void;
}

/** A log as the one line under a cell, which opens. */
export function Strip({ log, isOpen, toggle }: Props) {
  const { who, what, often, why, time, hint } = lineOf(log);
  return (
    <button
      type="button"
      class="jxv-strip-line"
      aria-expanded={isOpen}
      title={[who + what + often, why, hint].filter((part) => part !== '').join('\n')}
      onClick={toggle}
    >
      <span class="jxv-strip-mark" aria-hidden="true">
        ⟳
      </span>
      <b class="jxv-strip-who">
        <Middle text={who} />
      </b>
      <span class="jxv-strip-what">{what}</span>
      <span class="jxv-strip-often">{often}</span>
      {why !== '' && (
        <code class="jxv-strip-why">
          <span class="jxv-strip-colon">: </span>
          {why}
        </code>
      )}
      {time !== '' && <span class="jxv-strip-time"> · {time}</span>}
      <span class="jxv-strip-hint">{hint !== '' && <span> — {hint}</span>}</span>
      <span class="jxv-strip-arrow" aria-hidden="true">
        {isOpen ? '▾' : '▸'}
      </span>
    </button>
  );
}

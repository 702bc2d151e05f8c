import { timeText } from '../../facts/log/times';
import { __ } from '../../language';
import type { Log } from '../../schema';
import { apartText, totalsText } from '../../words/log/log-words';
import { phrase } from '../phrase';

interface Props {
  log: Log;
  /** Whether a kernel stands behind it. */
  kernel: boolean;
}

/** What it comes to, in one line. */
export function Head({ log, kernel }: Props) {
  const { seconds, making, running, error, functions } = log;
  const part = Math.min(1, making / Math.max(seconds, 1e-9));
  const apart = apartText(log);
  return (
    <div class="jxv-log-head">
      <p class="jxv-log-totals">
        {functions.length > 0 && <b>{totalsText(log)}</b>}
        <span>
          {phrase(
            (made) => __('compiling %1 of %2', made, timeText(seconds)),
            <b>{timeText(making)}</b>,
          )}
        </span>
        {running && (
          <span class={`jxv-log-running${kernel ? '' : ' jxv-log-stopped'}`}>
            {kernel ? __('running') : __('was running when this was saved')}
          </span>
        )}
        {error !== null && <span class="jxv-log-error">{__('ended by %1', error)}</span>}
        {apart !== '' && <span class="jxv-words">{apart}</span>}
      </p>
      <div class="jxv-log-share" aria-hidden="true">
        <span style={`width:${100 * part}%`} />
      </div>
    </div>
  );
}

/** The head of the panel: whose kernel it shows, whether it is watched, and buttons for both. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { retracesIn } from '../../facts/log/log-events';
import { __, _n } from '../../language';
import type { Log, Panel } from '../../schema';
import type { Followed } from '../../state/panel/panel-state';
import { retracesText } from '../../words/log/log-words';
import { ShortenedName } from '../log/change-text';

interface HeadProps {
  followed: Followed;
  /** Null until the kernel has answered. */
  panel: Panel | null;
}

export function PanelHead({ followed: { title, watch, clear }, panel }: HeadProps) {
  const [failure, setFailure] = useState('');
  const showFailure = (work: Promise<void>) => {
    setFailure('');
    work.catch((error: Error) => setFailure(error.message));
  };
  return (
    <header class="jxv-panel-head">
      <div class="jxv-panel-line">
        <b class="jxv-panel-title">
          <ShortenedName text={title} />
        </b>
        {panel && (
          <HeadButtons
            isWatching={panel.watching}
            toggleWatching={() => showFailure(watch(!panel.watching))}
            clear={() => showFailure(clear())}
          />
        )}
      </div>
      {failure !== '' && (
        <p class="jxv-failure" role="alert">
          {failure}
        </p>
      )}
    </header>
  );
}

interface ButtonProps {
  isWatching: boolean;
  toggleWatching: () => void;
  clear: () => void;
}

const HeadButtons = ({ isWatching, toggleWatching, clear }: ButtonProps) => (
  <>
    <button
      type="button"
      class="jxv-button jxv-panel-watch"
      aria-pressed={isWatching}
      title={
        isWatching
          ? __('Stop watching: %1', '%jaxviz off')
          : __('Watch all cells: %1', '%jaxviz on')
      }
      onClick={toggleWatching}
    >
      {isWatching ? __('Watching') : __('Watch')}
    </button>
    <button
      type="button"
      class="jxv-button"
      title={__('Forget what happened so far')}
      onClick={clear}
    >
      {__('Clear')}
    </button>
  </>
);

/** How long no event must have come before the number of new ones is announced, ms. */
const QUIET_TIME = 1500;

/** Tells a screen reader how many events came, once no more are coming. */
export function EventCountAnnouncement({ log }: { log: Log }) {
  const [all, again] = [log.events.length + log.omitted, retracesIn(log)];
  const before = useRef({ start: log.start, all, again });
  const [text, setText] = useState('');
  useEffect(() => {
    const { start, ...had } = before.current;
    if (start === log.start && had.all === all) return;
    const announce = () => {
      const isSameLog = before.current.start === log.start;
      const [allBefore, againBefore] = isSameLog ? [had.all, had.again] : [0, 0];
      setText(newEventsText(all - allBefore, again - againBefore));
      before.current = { start: log.start, all, again };
    };
    const timer = setTimeout(announce, QUIET_TIME);
    return () => clearTimeout(timer);
  }, [log.start, all]);
  return (
    <p class="jxv-hidden" role="status">
      {text}
    </p>
  );
}

function newEventsText(all: number, again: number): string {
  if (all <= 0) return '';
  const events = _n('%1 new event', '%1 new events', all);
  return again > 0 ? __('%1, %2', events, retracesText(again)) : events;
}

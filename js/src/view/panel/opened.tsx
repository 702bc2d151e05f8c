import { useEffect, useMemo } from 'preact/hooks';
import { earlierTrace, traceOf, whyNoProgram } from '../../model/log/events';
import { earlierText, eventText } from '../../model/log/words';
import type { Followed } from '../../model/panel/kernel';
import { type Action, compared, type Opened, type PanelState } from '../../model/panel/state';
import type { Event, Log, Panel } from '../../schema';
import { EventDetails } from '../log/event';
import { Opened as OpenedOfLog } from '../log/opened';
import { Mounted } from '../mounted';

interface Props {
  followed: Followed;
  panel: Panel;
  state: PanelState;
  opened: Opened;
  dispatch: (action: Action) => void;
}

/** A program in place of the lists. */
export function OpenedView({ followed, panel: { log }, state, opened, dispatch }: Props) {
  const open = (next: Opened | null) => dispatch({ type: 'open', opened: next });
  const close = () => open(null);
  const compare = (one: Event, other: Event) => open(compared(one, other));
  const event = eventOf(log, opened);
  return (
    <div class="jxv-panel-opened">
      <div class="jxv-panel-line">
        <button type="button" class="jxv-button jxv-panel-back" onClick={close}>
          ← {state.list === 'functions' ? 'Functions' : 'Events'}
        </button>
        {event && 'event' in opened && <CompareBefore {...{ log, event, compare }} />}
        {event && 'before' in opened && (
          <button type="button" class="jxv-button" onClick={() => open({ event: opened.after })}>
            The later one alone
          </button>
        )}
      </div>
      {event && (
        <details class="jxv-panel-about">
          <summary>{eventText(log, event)}</summary>
          <EventDetails
            {...{ log, event, compare, kernel: true, picked: null }}
            open={(number) => open({ event: number })}
            pick={(picked) => dispatch({ type: 'pick', picked })}
            go={(next) => open(next && { event: next.number })}
          />
        </details>
      )}
      {'capture' in opened ? (
        <Captured key={opened.capture} keyOf={opened.capture} capture={followed.capture} />
      ) : (
        <OpenedOfLog {...{ log, wanted: opened, kernel: followed.log, close }} />
      )}
    </div>
  );
}

interface CompareProps {
  log: Log;
  event: Event;
  compare: (one: Event, other: Event) => void;
}

function CompareBefore({ log, event, compare }: CompareProps) {
  const before = earlierTrace(log, event);
  const trace = traceOf(log, event);
  const why = whyNoProgram(event, true) || (before ? '' : 'No earlier trace of it is listed');
  return (
    <button
      type="button"
      class="jxv-button"
      aria-disabled={why !== ''}
      title={why}
      onClick={() => before && trace && why === '' && compare(before, trace)}
    >
      Compare with {earlierText(log, event)}
    </button>
  );
}

/** Of two that are compared the later one; null of a capture, and of what is listed no more. */
function eventOf({ events }: Log, opened: Opened): Event | null {
  if ('capture' in opened) return null;
  const wanted = 'event' in opened ? opened.event : opened.after;
  return events.find(({ number }) => number === wanted) ?? null;
}

interface CapturedProps {
  keyOf: string;
  capture: Followed['capture'];
}

/** A program that a cell shows, with its later stages. */
function Captured({ keyOf, capture }: CapturedProps) {
  const ending = useMemo(() => new AbortController(), []);
  useEffect(() => () => ending.abort(), []);
  const source = useMemo(() => {
    const kernel = capture(keyOf, ending.signal);
    const program =
      kernel?.stage('jaxpr', () => {}, ending.signal) ??
      Promise.reject(new Error('Its notebook has no kernel.'));
    return { program, partial: null, stage: 'jaxpr', kernel };
  }, []);
  return (
    <div class="jxv-panel-captured">
      <Mounted source={source} />
    </div>
  );
}

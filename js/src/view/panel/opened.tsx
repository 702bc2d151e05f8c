import { useEffect, useMemo } from 'preact/hooks';
import type { Followed } from '../../model/panel/kernel';
import type { Action, Opened, PanelState } from '../../model/panel/state';
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
  const close = () => dispatch({ type: 'open', opened: null });
  const back = (
    <button type="button" class="jxv-button jxv-panel-back" onClick={close}>
      ← {state.tab === 'functions' ? 'Functions' : 'Events'}
    </button>
  );
  if ('capture' in opened) {
    return (
      <div class="jxv-panel-opened">
        <div class="jxv-panel-line">{back}</div>
        <Captured key={opened.capture} keyOf={opened.capture} capture={followed.capture} />
      </div>
    );
  }
  const event = eventOf(log, opened);
  return (
    <div class="jxv-panel-opened">
      <div class="jxv-panel-line">{back}</div>
      {event && (
        <EventDetails
          {...{ log, event, kernel: true, picked: null }}
          open={(number) => dispatch({ type: 'open', opened: { event: number } })}
          compare={(one, other) => {
            const [before, after] = one.start <= other.start ? [one, other] : [other, one];
            dispatch({ type: 'open', opened: { before: before.number, after: after.number } });
          }}
          pick={(picked) => dispatch({ type: 'pick', picked })}
          go={(next) => dispatch({ type: 'open', opened: next && { event: next.number } })}
        />
      )}
      <OpenedOfLog {...{ log, wanted: opened, kernel: followed.log, close }} />
    </div>
  );
}

/** Of two that are compared the later one. */
function eventOf({ events }: Log, opened: { event: number } | { after: number }): Event | null {
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
    const none = Promise.reject(new Error('Its notebook has no kernel.'));
    const program = kernel?.stage('jaxpr', () => {}, ending.signal) ?? none;
    none.catch(() => {});
    return { program, partial: null, stage: 'jaxpr', kernel };
  }, []);
  return <Mounted source={source} />;
}

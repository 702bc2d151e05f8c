import { useEffect, useMemo } from 'preact/hooks';
import { __ } from '../../model/language';
import { whyNoProgram } from '../../model/log/events';
import type { Followed } from '../../model/panel/followed-kernel';
import type { Opened } from '../../model/panel/function-list';
import type { Action, PanelState } from '../../model/panel/panel-state';
import type { Event, Log, Panel } from '../../schema';
import { Opened as OpenedOfLog } from '../log/opened';
import { Mounted } from '../mounted';
import { Empty } from './empty';
import { OpenedCapture, OpenedTrace } from './opened-head';

interface Props {
  followed: Followed;
  panel: Panel;
  state: PanelState;
  opened: Opened;
  hidden: boolean;
  /** It stands in place of the list, not beside it. */
  isAlone: boolean;
  dispatch: (action: Action) => void;
  close: () => void;
}

/** A program in place of the lists, or beside them. */
export function OpenedView(props: Props) {
  const { followed, panel, state, opened, hidden, isAlone, dispatch, close } = props;
  const { log } = panel;
  const event = eventOf(log, opened);
  const back = !isAlone ? '' : state.list === 'functions' ? __('Functions') : __('Events');
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    <section
      class="jxv-panel-opened"
      aria-label={__('What is opened')}
      {...{ tabIndex: -1, hidden, onKeyDown }}
    >
      {'capture' in opened ? (
        <>
          <OpenedCapture {...{ panel, opened, back, close }} />
          <Captured key={opened.capture} keyOf={opened.capture} capture={followed.capture} />
        </>
      ) : (
        <>
          <OpenedTrace {...{ log, event, opened, back, dispatch, close }} />
          {event && whyNoProgram(event, true) !== '' ? (
            <Empty>
              <p>{whyNoProgram(event, true)}</p>
            </Empty>
          ) : (
            <OpenedOfLog {...{ log, wanted: opened, kernel: followed.log, close }} comes={false} />
          )}
        </>
      )}
    </section>
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
      Promise.reject(new Error(__('Its notebook has no kernel.')));
    return { program, partial: null, stage: '', kernel };
  }, []);
  return (
    <div class="jxv-panel-captured">
      <Mounted source={source} />
    </div>
  );
}

/** The program that the panel has opened, in place of its lists or beside them. */
import { useEffect, useMemo } from 'preact/hooks';
import { placeOf } from '../../facts/describe';
import { whyNoProgram } from '../../facts/log/log-events';
import { __ } from '../../language';
import type { Event, Log, Panel } from '../../schema';
import type { Opened } from '../../state/panel/panel-lists';
import type { Action, Followed, PanelState } from '../../state/panel/panel-state';
import { LogPlace } from '../log/change-text';
import { LogProgram } from '../log/log-program';
import { Mounted } from '../mounted-program';
import { EmptyState } from './first-steps';
import { OpenedBar, TraceHead } from './opened-trace';

interface OpenedProps {
  followed: Followed;
  panel: Panel;
  state: PanelState;
  opened: Opened;
  hidden: boolean;
  /** Whether it stands in place of the list, not beside it. */
  isAlone: boolean;
  dispatch: (action: Action) => void;
  close: () => void;
}

export function OpenedProgram(props: OpenedProps) {
  const { opened, hidden, close } = props;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return (
    <section
      class="jxv-panel-opened"
      aria-label={__('Open items')}
      {...{ tabIndex: -1, hidden, onKeyDown }}
    >
      {'capture' in opened ? (
        <OpenedCapture {...props} opened={opened} />
      ) : (
        <OpenedTrace {...props} opened={opened} />
      )}
    </section>
  );
}

/** The name of the list that the button at the top goes back to; empty beside the list, where the
 * button closes instead. */
function backText({ isAlone, state }: OpenedProps): string {
  if (!isAlone) return '';
  return state.list === 'functions' ? __('Functions') : __('Events');
}

type CaptureProps = OpenedProps & { opened: { capture: string; name: string } };

/** A program that a cell captured. */
function OpenedCapture(props: CaptureProps) {
  const { followed, panel, opened, close } = props;
  const capture = panel.captures.find(({ key }) => key === opened.capture);
  return (
    <>
      <OpenedBar name={opened.name} back={backText(props)} close={close} />
      {capture && (
        <p class="jxv-panel-line jxv-panel-about jxv-panel-told">
          <span>
            {capture.count === null ? __('captured') : __('captured in cell %1', capture.count)}
          </span>
          {capture.definition && (
            <LogPlace
              frame={capture.definition}
              text={placeOf(capture.definition)}
              about={__('defined here')}
            />
          )}
        </p>
      )}
      <CapturedProgram
        key={opened.capture}
        captureKey={opened.capture}
        capture={followed.capture}
      />
    </>
  );
}

type TraceProps = OpenedProps & { opened: Exclude<Opened, { capture: string }> };

/** The program of a trace in the log, or the comparison of two. */
function OpenedTrace(props: TraceProps) {
  const { followed, panel, opened, dispatch, close } = props;
  const { log } = panel;
  const event = eventOf(log, opened);
  const why = event ? whyNoProgram(event, true) : '';
  return (
    <>
      <TraceHead {...{ log, event, opened, dispatch, close }} back={backText(props)} />
      {why !== '' ? (
        <EmptyState>
          <p>{why}</p>
        </EmptyState>
      ) : (
        <LogProgram {...{ log, wanted: opened, kernel: followed.log, close }} comes={false} />
      )}
    </>
  );
}

/** The event that is opened, or the later of two that are compared; null if the log no longer lists
 * it. */
function eventOf({ events }: Log, opened: TraceProps['opened']): Event | null {
  const wanted = 'event' in opened ? opened.event : opened.after;
  return events.find(({ number }) => number === wanted) ?? null;
}

interface CapturedProps {
  captureKey: string;
  capture: Followed['capture'];
}

/** The view of a captured program, which is asked of the kernel, with its later stages. */
function CapturedProgram({ captureKey, capture }: CapturedProps) {
  const ending = useMemo(() => new AbortController(), []);
  useEffect(() => () => ending.abort(), []);
  const source = useMemo(() => {
    const kernel = capture(captureKey, ending.signal);
    const program =
      kernel?.stage('jaxpr', () => {}, ending.signal) ??
      Promise.reject(new Error(__('Its notebook has no kernel.')));
    return { program, partial: null, opening: {}, kernel };
  }, []);
  return (
    <div class="jxv-panel-captured">
      <Mounted source={source} />
    </div>
  );
}

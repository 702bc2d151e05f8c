/** The opened program of the panel, below its name, why JAX traced it, and comparisons. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { earlierTrace, traceOf, type WantedEvents, whyNoProgram } from '../facts/events/log-events';
import { placeOf } from '../facts/text/describe';
import { __ } from '../language';
import { LogPlace, ShortenedName } from '../log/change-text';
import { EventFacts } from '../log/event-details';
import { LogProgram } from '../log/log-program';
import type { Event, Log, Panel } from '../schema';
import { Mounted } from '../shell';
import { comparisonOf, type Opened, tracesLike } from '../state/panel/panel-lists';
import type { Action, Followed, PanelState } from '../state/panel/panel-state';
import { earlierText, failedText, tookText, wantedName, whatText } from '../words/events/log-words';
import { RetraceReason } from './events-tab';
import { EmptyState } from './first-steps';

interface BarProps {
  name: string;
  /** The name of the list to return to; empty if the program is beside the list, and is closed
   * instead. */
  back: string;
  close: () => void;
  children?: ComponentChildren;
}

/** The name of the opened program, and the button that leaves it. */
const OpenedBar = ({ name, back, close, children }: BarProps) => (
  <div class="jxv-panel-line jxv-panel-bar">
    {back !== '' && (
      <button type="button" class="jxv-button jxv-panel-back" onClick={close}>
        {__('← %1', back)}
      </button>
    )}
    <h3>
      <ShortenedName text={name} />
    </h3>
    {children}
    {back === '' && (
      <button
        type="button"
        class="jxv-button jxv-small"
        aria-label={__('Close')}
        title={__('Close ( Escape )')}
        onClick={close}
      >
        ×
      </button>
    )}
  </div>
);

interface HeadProps {
  log: Log;
  /** Null if the log no longer lists it. */
  event: Event | null;
  opened: WantedEvents;
  back: string;
  dispatch: (action: Action) => void;
  close: () => void;
}

/** The head of an opened trace, or of two compared traces. */
function TraceHead({ log, event, opened, back, dispatch, close }: HeadProps) {
  const open = (next: Opened) => dispatch({ type: 'open', opened: next });
  if (!event) return <OpenedBar name={wantedName(log, opened)} {...{ back, close }} />;
  const isCompared = 'before' in opened;
  return (
    <>
      <OpenedBar name={event.name} {...{ back, close }}>
        {!isCompared && <Neighbours {...{ log, event, open }} />}
      </OpenedBar>
      <div class="jxv-panel-about">
        <TraceSummary
          event={event}
          what={isCompared ? comparedText(log, opened) : whatText(log, event)}
        />
        {isCompared ? (
          <LaterOnly open={() => open({ event: opened.after })} />
        ) : (
          <CompareButtons {...{ log, event, open, dispatch }} />
        )}
        <details class="jxv-panel-facts-of">
          <summary>{__('Details')}</summary>
          <EventFacts {...{ log, event }} go={(next) => next && open({ event: next.number })} />
        </details>
      </div>
    </>
  );
}

/** The most changes of its reason that are shown. */
const CHANGES_IN_SUMMARY = 3;

/** The kind of a trace, its time, its call, and why JAX made it. */
const TraceSummary = ({ event, what }: { event: Event; what: string }) => (
  <>
    <p class="jxv-panel-line jxv-panel-summary">
      <span>{what}</span>
      <span>{tookText(event)}</span>
      {event.site && (
        <LogPlace frame={event.site} text={placeOf(event.site)} about={__('called here')} />
      )}
    </p>
    {event.error !== null && <p class="jxv-log-error">{failedText(event.error)}</p>}
    {event.again && <RetraceReason {...event} most={CHANGES_IN_SUMMARY} />}
  </>
);

/** `first trace → retrace 1 of 9`. */
function comparedText(log: Log, { before, after }: { before: number; after: number }): string {
  const [one, other] = [before, after].map((number) => {
    const event = log.events.find((event) => event.number === number);
    return event ? whatText(log, event) : '…';
  });
  return `${one} → ${other}`;
}

const LaterOnly = ({ open }: { open: () => void }) => (
  <p class="jxv-panel-line jxv-panel-doing">
    <button type="button" class="jxv-button" onClick={open}>
      {__('Only the later one')}
    </button>
  </p>
);

interface EventProps {
  log: Log;
  event: Event;
  open: (opened: Opened) => void;
}

/** Buttons to the traces of the same function before and after this one. */
function Neighbours({ log, event, open }: EventProps) {
  const all = tracesLike(log, event);
  const at = all.findIndex(({ number }) => number === traceOf(log, event).number);
  if (all.length < 2 || at < 0) return null;
  const step = (label: string, text: string, to: Event | undefined) => (
    <button
      type="button"
      class="jxv-button jxv-small"
      aria-label={label}
      title={label}
      aria-disabled={to === undefined}
      onClick={() => to && open({ event: to.number })}
    >
      {text}
    </button>
  );
  return (
    <span class="jxv-panel-steps">
      {step(__('Previous trace of it'), '‹', all[at - 1])}
      <span>{__('%1 of %2', at + 1, all.length)}</span>
      {step(__('Next trace of it'), '›', all[at + 1])}
    </span>
  );
}

/** Buttons to compare a trace: with the earlier trace of its reason, or with one that the reader
 * then chooses in the list. */
function CompareButtons({ log, event, open, dispatch }: EventProps & Pick<HeadProps, 'dispatch'>) {
  if (whyNoProgram(event, true) !== '') return null;
  const before = earlierTrace(log, event);
  const trace = traceOf(log, event);
  return (
    <p class="jxv-panel-line jxv-panel-doing">
      {before && (
        <button type="button" class="jxv-button" onClick={() => open(comparisonOf(before, trace))}>
          {__('Compare with %1', earlierText(log, event))}
        </button>
      )}
      <button
        type="button"
        class="jxv-button"
        title={__('Choose the other trace in the list of events')}
        onClick={() => dispatch({ type: 'pick', picked: trace })}
      >
        {__('Compare with…')}
      </button>
    </p>
  );
}

interface OpenedProps {
  followed: Followed;
  panel: Panel;
  state: PanelState;
  opened: Opened;
  hidden: boolean;
  /** True if it replaces the list instead of standing beside it. */
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

/** The name of the list that the button at the top returns to; empty beside the list, where the
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
        <p class="jxv-panel-line jxv-panel-about jxv-panel-summary">
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
        <LogProgram {...{ log, wanted: opened, kernel: followed.log, close }} takesFocus={false} />
      )}
    </>
  );
}

/** The opened event, or the later of two compared ones; null if the log no longer lists it. */
function eventOf({ events }: Log, opened: TraceProps['opened']): Event | null {
  const wanted = 'event' in opened ? opened.event : opened.after;
  return events.find(({ number }) => number === wanted) ?? null;
}

interface CapturedProps {
  captureKey: string;
  capture: Followed['capture'];
}

/** The view of a captured program, requested from the kernel, with its later stages. */
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

/** What stands above an opened trace: its name, why JAX made it, and what to compare it with. */
import type { ComponentChildren } from 'preact';
import { placeOf } from '../../facts/describe';
import type { WantedEvents } from '../../facts/log/log-events';
import { earlierTrace, traceOf, whyNoProgram } from '../../facts/log/log-events';
import { __ } from '../../language';
import type { Event, Log } from '../../schema';
import { comparisonOf, type Opened, tracesLike } from '../../state/panel/panel-lists';
import type { Action } from '../../state/panel/panel-state';
import { earlierText, tookText, wantedName, whatText } from '../../words/log/log-words';
import { LogPlace, ShortenedName } from '../log/change-text';
import { EventFacts } from '../log/event-details';
import { WhyAgain } from './event-row';

interface BarProps {
  name: string;
  /** The name of the list to go back to; empty if the program stands beside the list, and is closed
   * instead. */
  back: string;
  close: () => void;
  children?: ComponentChildren;
}

/** The name of what is opened, and the button that leaves it. */
export const OpenedBar = ({ name, back, close, children }: BarProps) => (
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

/** The head of an opened trace, or of two traces that are compared. */
export function TraceHead({ log, event, opened, back, dispatch, close }: HeadProps) {
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
          <LaterAlone open={() => open({ event: opened.after })} />
        ) : (
          <Comparing {...{ log, event, open, dispatch }} />
        )}
        <details class="jxv-panel-facts-of">
          <summary>{__('Details')}</summary>
          <EventFacts {...{ log, event }} go={(next) => next && open({ event: next.number })} />
        </details>
      </div>
    </>
  );
}

/** How many changes of its reason are shown. */
const CHANGES_IN_SUMMARY = 3;

/** What a trace was, how long it took, where it was called, and why JAX made it. */
const TraceSummary = ({ event, what }: { event: Event; what: string }) => (
  <>
    <p class="jxv-panel-line jxv-panel-told">
      <span>{what}</span>
      <span>{tookText(event)}</span>
      {event.site && (
        <LogPlace frame={event.site} text={placeOf(event.site)} about={__('called here')} />
      )}
    </p>
    {event.error !== null && <p class="jxv-log-error">{__('It was ended by %1.', event.error)}</p>}
    {event.again && <WhyAgain {...event} most={CHANGES_IN_SUMMARY} />}
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

const LaterAlone = ({ open }: { open: () => void }) => (
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

/** Buttons to compare a trace: with the earlier trace that its reason refers to, or with one that the
 * reader then chooses in the list. */
function Comparing({ log, event, open, dispatch }: EventProps & Pick<HeadProps, 'dispatch'>) {
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
        title={__('Choose the other one in the list of events')}
        onClick={() => dispatch({ type: 'pick', picked: trace })}
      >
        {__('Compare with…')}
      </button>
    </p>
  );
}

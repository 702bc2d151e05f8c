import type { ComponentChildren } from 'preact';
import { placeOf } from '../../model/describe';
import { __ } from '../../model/language';
import { earlierTrace, traceOf, whyNoProgram } from '../../model/log/events';
import { type Wanted, wantedName } from '../../model/log/wanted';
import { earlierText, tookText, whatText } from '../../model/log/words';
import { tracesLike } from '../../model/panel/event-list';
import { comparisonOf, type Opened } from '../../model/panel/function-list';
import type { Action } from '../../model/panel/panel-state';
import type { Event, Log, Panel } from '../../schema';
import { Facts } from '../log/event';
import { Middle } from '../log/middle';
import { Place } from '../log/place';
import { Why } from './why';

interface BarProps {
  name: string;
  /** The list that it stands in place of; empty where it stands beside it. */
  back: string;
  close: () => void;
  children?: ComponentChildren;
}

/** The way back, and what is opened. */
const Bar = ({ name, back, close, children }: BarProps) => (
  <div class="jxv-panel-line jxv-panel-bar">
    {back !== '' && (
      <button type="button" class="jxv-button jxv-panel-back" onClick={close}>
        {__('← %1', back)}
      </button>
    )}
    <h3>
      <Middle text={name} />
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

interface CaptureProps {
  panel: Panel;
  opened: { capture: string; name: string };
  back: string;
  close: () => void;
}

/** Above a program that a cell shows. */
export function OpenedCapture({ panel, opened, back, close }: CaptureProps) {
  const capture = panel.captures.find(({ key }) => key === opened.capture);
  return (
    <>
      <Bar name={opened.name} {...{ back, close }} />
      {capture && (
        <p class="jxv-panel-line jxv-panel-about jxv-panel-told">
          <span>
            {capture.count === null ? __('captured') : __('captured in cell %1', capture.count)}
          </span>
          {capture.definition && (
            <Place
              frame={capture.definition}
              text={placeOf(capture.definition)}
              about={__('defined here')}
            />
          )}
        </p>
      )}
    </>
  );
}

interface TraceProps {
  log: Log;
  /** Null of what is listed no more. */
  event: Event | null;
  opened: Wanted;
  back: string;
  dispatch: (action: Action) => void;
  close: () => void;
}

/** Changes of a reason that are shown. */
const MOST_CHANGES = 3;

/** Above the program of a trace, or two that are compared: what it was, why, and what is beside it. */
export function OpenedTrace({ log, event, opened, back, dispatch, close }: TraceProps) {
  const open = (next: Opened) => dispatch({ type: 'open', opened: next });
  if (!event) {
    return <Bar name={wantedName(log, opened)} {...{ back, close }} />;
  }
  const isCompared = 'before' in opened;
  return (
    <>
      <Bar name={event.name} {...{ back, close }}>
        {!isCompared && <Neighbours {...{ log, event, open }} />}
      </Bar>
      <div class="jxv-panel-about">
        <p class="jxv-panel-line jxv-panel-told">
          <span>{isCompared ? comparedText(log, opened) : whatText(log, event)}</span>
          <span>{tookText(event)}</span>
          {event.site && (
            <Place frame={event.site} text={placeOf(event.site)} about={__('called here')} />
          )}
        </p>
        {event.error !== null && (
          <p class="jxv-log-error">{__('It was ended by %1.', event.error)}</p>
        )}
        {event.again && <Why {...event} most={MOST_CHANGES} />}
        {isCompared ? (
          <p class="jxv-panel-line jxv-panel-doing">
            <button type="button" class="jxv-button" onClick={() => open({ event: opened.after })}>
              {__('The later one alone')}
            </button>
          </p>
        ) : (
          <Comparing {...{ log, event, open, dispatch }} />
        )}
        <details class="jxv-panel-facts-of">
          <summary>{__('Details')}</summary>
          <Facts {...{ log, event }} go={(next) => next && open({ event: next.number })} />
        </details>
      </div>
    </>
  );
}

/** `first trace → retrace 1 of 9`. */
function comparedText(log: Log, { before, after }: { before: number; after: number }): string {
  const [one, other] = [before, after].map((number) => {
    const event = log.events.find((event) => event.number === number);
    return event ? whatText(log, event) : '…';
  });
  return `${one} → ${other}`;
}

interface EventProps {
  log: Log;
  event: Event;
  open: (opened: Opened) => void;
}

/** The traces of the same function before it and after it. */
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

/** What it can be compared with: the trace that its reason tells against, or one that is chosen. */
function Comparing({ log, event, open, dispatch }: EventProps & Pick<TraceProps, 'dispatch'>) {
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

/** The details of one event of a log, and buttons to its program and to comparisons. */
import type { ComponentChildren } from 'preact';
import {
  earlierTrace,
  followersOf,
  measuredAgainst,
  spanOf,
  traceOf,
  whyNoProgram,
} from '../facts/events/log-events';
import { momentText, placeOf, timeText } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n } from '../language';
import type { Event, Frame, Log } from '../schema';
import { differenceOf } from '../words/events/changes';
import {
  earlierText,
  eventText,
  failedText,
  persistentHitText,
  tookText,
  tracedEarlierText,
  whatText,
} from '../words/events/log-words';
import { andMore, ChangeKind, Difference, LogPlace, ShortenedName } from './change-text';

interface EventProps {
  log: Log;
  event: Event;
  /** True if a kernel can send programs. */
  kernel: boolean;
  /** The trace that the reader picked for a comparison, or null. */
  picked: Event | null;
  open: (event: number) => void;
  compare: (one: Event, other: Event) => void;
  pick: (event: Event | null) => void;
  /** Selects another event, or none. */
  go: (event: Event | null) => void;
}

export function EventDetails(props: EventProps) {
  const { log, event, go } = props;
  return (
    <section class="jxv-event">
      <header>
        <ShortenedName text={event.name} />
        <span>{whatText(log, event)}</span>
        <b>{tookText(event)}</b>
        <button
          type="button"
          class="jxv-button jxv-small"
          aria-label={__('Select nothing')}
          onClick={() => go(null)}
        >
          ×
        </button>
      </header>
      {event.error !== null && <p class="jxv-log-error">{failedText(event.error)}</p>}
      {event.looked && <p class="jxv-words">{tracedEarlierText(event)}</p>}
      <Reason event={event} />
      <Buttons {...props} />
      <EventFacts {...props} />
    </section>
  );
}

function Reason({ event: { reason, more, hint } }: { event: Event }) {
  if (reason.length === 0 && hint.text === '') return null;
  return (
    <>
      <ul class="jxv-event-changes">
        {reason.map((change, index) => (
          <li key={index}>
            <ChangeKind kind={change.kind} />
            <code>
              {change.where !== '' && <span class="jxv-where">{change.where}: </span>}
              {change.kind !== 'first' && <Difference pieces={differenceOf(change)} />}
            </code>
          </li>
        ))}
        {more > 0 && <li class="jxv-words">{andMore(more)}</li>}
      </ul>
      {hint.text !== '' && <p class="jxv-log-hint">{sentenceText(hint)}</p>}
    </>
  );
}

function Buttons(props: EventProps) {
  const { log, event, kernel, picked, open, compare, pick } = props;
  const why = whyNoProgram(event, kernel);
  if (picked) return <PickedButtons {...props} picked={picked} why={why} />;
  const before = earlierTrace(log, event);
  const whyNot = why || (before ? '' : __('No earlier trace of it is listed'));
  return (
    <p class="jxv-event-buttons">
      <Button why={why} press={() => open(event.number)}>
        {__('Program')}
      </Button>
      <Button why={whyNot} press={() => before && compare(before, event)}>
        {__('Compare with %1', earlierText(log, event))}
      </Button>
      <Button why={why} press={() => pick(traceOf(log, event))}>
        {__('Compare with…')}
      </Button>
    </p>
  );
}

type PickedProps = EventProps & { picked: Event; why: string };

/** The buttons while a trace is picked for a comparison. */
function PickedButtons({ log, event, picked, why, compare, pick }: PickedProps) {
  const isSame = picked === traceOf(log, event);
  return (
    <p class="jxv-event-buttons">
      <span role="status">
        {__('Choose what to compare with %1, %2.', picked.name, whatText(log, picked))}
      </span>
      <Button
        why={why || (isSame ? __('It is the same trace') : '')}
        press={() => compare(picked, event)}
      >
        {__('Compare with this one')}
      </Button>
      <Button why="" press={() => pick(null)}>
        {__('Stop')}
      </Button>
    </p>
  );
}

interface ButtonProps {
  /** The reason why it cannot be pressed; empty if it can. */
  why: string;
  press: () => void;
  children: ComponentChildren;
}

const Button = ({ why, press, children }: ButtonProps) => (
  <button
    type="button"
    class="jxv-button"
    aria-disabled={why !== ''}
    title={why}
    onClick={() => why === '' && press()}
  >
    {children}
  </button>
);

type FactsProps = Pick<EventProps, 'log' | 'event' | 'go'>;

/** A list of facts about an event. Unknown facts are left out. */
export function EventFacts({ log, event, go }: FactsProps) {
  const { thread, depth, cached, implied, looked, kind } = event;
  return (
    <dl class="jxv-event-facts">
      <Fact name={__('compared with')}>{againstLink({ log, event, go })}</Fact>
      <Places event={event} />
      <Fact name={__('when')}>{whenText(log, event)}</Fact>
      <Fact name={__('followed by')}>{kind === 'trace' ? followersText(log, event) : null}</Fact>
      <ProgramFact {...{ log, event, go }} />
      <Fact name={__('cache')}>{cached === null ? null : cachedText(event)}</Fact>
      <Fact name={__('within')}>{depth > 0 ? outerText(depth) : null}</Fact>
      <Fact name={__('announced')}>
        {implied && !looked ? __('no: JAX does not announce a trace inside another') : null}
      </Fact>
      <Fact name={__('thread')}>{thread}</Fact>
    </dl>
  );
}

/** A link to the earlier event in the reason's comparison; null if there is none. */
function againstLink({ log, event, go }: FactsProps) {
  const against = measuredAgainst(log, event);
  return (
    against && (
      <button type="button" class="jxv-link" onClick={() => go(against)}>
        {whatText(log, against)}
      </button>
    )
  );
}

const Places = ({ event: { failed, site, definition } }: { event: Event }) => (
  <>
    <Fact name={__('failed at')}>
      {failed && <Line frame={failed} about={__('failed here')} />}
    </Fact>
    <Fact name={__('called at')}>{site && <Line frame={site} about={__('called here')} />}</Fact>
    <Fact name={__('defined at')}>
      {definition && <Line frame={definition} about={__('defined here')} />}
    </Fact>
  </>
);

/** The size of its program, with a link to the trace that made it if that is another event. */
function ProgramFact({ log, event, go }: FactsProps) {
  const trace = traceOf(log, event);
  return (
    <Fact name={__('program')}>
      {trace !== event && (
        <button type="button" class="jxv-link" onClick={() => go(trace)}>
          {eventText(log, trace)}
        </button>
      )}
      {event.eqns !== null && _n('%1 eqn', '%1 eqns', event.eqns)}
    </Fact>
  );
}

/** `1.250 s after the start, 10:04:31`. */
function whenText(log: Log, event: Event): string {
  const { from } = spanOf(log, event);
  const clock = new Date(event.start * 1000).toLocaleTimeString();
  return __('%1 after the start, %2', momentText(Math.max(0, from), 1e-3), clock);
}

const cachedText = (event: Event): string =>
  persistentHitText(event) || __('not in the persistent cache');

const outerText = (depth: number): string => _n('%1 longer event', '%1 longer events', depth);

/** `lowering 9.7 ms, compilation 60 ms`. */
function followersText(log: Log, trace: Event): string | null {
  const after = followersOf(log, trace);
  const texts = after.map((one) => `${whatText(log, one)} ${timeText(one.seconds)}`);
  return texts.length > 0 ? texts.join(', ') : null;
}

/** A name and its facts; nothing if there are none. */
function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  const hasContent = [children].flat().some((one) => one !== null && one !== '' && one !== false);
  if (!hasContent) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A place in code and its text. */
function Line({ frame, about }: { frame: Frame; about: string }) {
  return (
    <>
      <LogPlace frame={frame} text={placeOf(frame)} about={about} />{' '}
      {frame.code !== '' && <code title={frame.code}>{frame.code}</code>}
    </>
  );
}

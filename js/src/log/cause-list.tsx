/** The lists below a timeline: why functions were retraced, and what was compiled op by op. */
import type { VNode } from 'preact';
import {
  causeKey,
  eventsOf,
  repeatsIn,
  secondsWith,
  spanOf,
  timesOf,
} from '../facts/events/log-events';
import { momentText, placeOf, timeText } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { Cause, Event, Log, Op, Variant } from '../schema';
import { useFold } from '../shell/parts/data-table';
import type { Action, LogState } from '../state/log-state';
import { othersOf, reasonText, timesText, variantsOf } from '../words/events/changes';
import {
  compiledText,
  firstRunsText,
  opsOf,
  tookText,
  varietiesText,
  whatText,
} from '../words/events/log-words';
import { andMore, Changes, LogPlace, ShortenedName } from './change-text';

interface ListProps {
  state: LogState;
  dispatch: (action: Action) => void;
}

/** The number of causes or ops that are listed at first. */
const LISTED_AT_FIRST = 6;
/** The most changes, other values and events of one cause that are shown. */
const CHANGES_OF_CAUSE = 3;
const VALUES_OF_CAUSE = 5;
const EVENTS_OF_CAUSE = 100;

/** The causes of repeated traces, lowerings and compilations, most expensive first. */
export function CauseList({ state, dispatch }: ListProps) {
  const { causes } = state.log;
  return (
    <LogList
      head={headText(state.log)}
      note={causes.length > 1 && __('most expensive first')}
      rows={causes}
      row={(cause) => {
        const key = causeKey(state.log, cause);
        return <CauseRow key={key} {...{ id: key, cause, state, dispatch }} />;
      }}
    />
  );
}

interface LogListProps<Row> {
  look?: string;
  head: string;
  note: string | false;
  rows: readonly Row[];
  row: (row: Row, at: number) => VNode;
}

/** A list below a timeline. */
function LogList<Row>({ look = '', head, note, rows, row }: LogListProps<Row>) {
  const { shown, button } = useFold(
    rows,
    LISTED_AT_FIRST,
    (count) => __('show %1 more', count),
    () => __('show fewer'),
  );
  return (
    <section class={`jxv-log-causes${look}`}>
      <h3>
        {head}
        {note && <span class="jxv-words">{note}</span>}
      </h3>
      <ol>{shown.map(row)}</ol>
      {button}
    </section>
  );
}

function headText(log: Log): string {
  if (log.causes.length > 0) return __('Why it retraced');
  if (timesOf(repeatsIn(log)) > 0)
    return __('Why it retraced is not saved: run the cell again to see it.');
  return log.running
    ? __('No function was retraced or compiled again so far.')
    : __('No function was retraced or compiled again.');
}

/** The words for causes of repeated lowerings and compilations. */
const DONE_AGAIN = new Map([
  ['lower', () => __('lowered again')],
  ['compile', () => __('compiled again')],
]);

type CauseProps = ListProps & { id: string; cause: Cause };

function CauseRow({ id, cause, state, dispatch }: CauseProps) {
  const isOpen = state.open.has(id);
  const isMarked = state.cause === id;
  const last = state.log.events.find(({ number }) => number === cause.last);
  const site = last?.site ?? null;
  const name = functionName(state, cause);
  return (
    <li class={`jxv-cause${isMarked ? ' jxv-marked' : ''}`}>
      <button
        type="button"
        class="jxv-bare jxv-cause-fold"
        aria-expanded={isOpen}
        aria-label={__('Events of %1, %2', name, reasonText(cause.reason))}
        onClick={() => dispatch({ type: 'fold', key: id })}
      >
        {isOpen ? '▾' : '▸'}
      </button>
      <CauseButton {...{ id, cause, state, dispatch }} />
      <CauseCost cause={cause} />
      <span class="jxv-cause-what">
        {cause.hint.text !== '' && <span class="jxv-log-hint">{sentenceText(cause.hint)}</span>}
        {site && <LogPlace frame={site} text={placeOf(site)} about={__('called here')} />}
      </span>
      {isOpen && <CauseEvents {...{ cause, state, dispatch }} />}
    </li>
  );
}

const functionName = ({ log }: LogState, cause: Cause): string =>
  log.functions[cause.function]?.name ?? '';

/** The change of a cause. A press marks the events of the cause in the timeline. */
function CauseButton({ id, cause, state, dispatch }: CauseProps) {
  const [first, ...others] = variantsOf(cause);
  const isSeveral = others.length > 0 || othersOf(cause) > 0;
  const isMarked = state.cause === id;
  return (
    <button
      type="button"
      class="jxv-bare jxv-cause-button"
      aria-pressed={isMarked}
      onClick={() => dispatch({ type: 'cause', key: isMarked ? null : id })}
    >
      <span class="jxv-cause-head">
        <ShortenedName text={functionName(state, cause)} />
        {state.log.functions[cause.function]?.library && (
          <span class="jxv-words">{__('library')}</span>
        )}
        {DONE_AGAIN.has(cause.kind) && (
          <span class="jxv-words">{DONE_AGAIN.get(cause.kind)?.()}</span>
        )}
        <Changes reason={first!.reason} more={cause.more} most={CHANGES_OF_CAUSE} />
        {isSeveral && <Times of={first!.times} />}
      </span>
      {isSeveral && <Values values={others} left={othersOf(cause)} />}
    </button>
  );
}

const CauseCost = ({ cause: { seconds, times } }: { cause: Cause }) => (
  <span class="jxv-cause-cost">
    {seconds > 0 ? (
      <b>{timeText(seconds)}</b>
    ) : (
      <span title={__('JAX does not report how long these took')}>–</span>
    )}
    <span>{timesText(times)}</span>
  </span>
);

const Times = ({ of: times }: { of: number }) => <span class="jxv-words">{timesText(times)}</span>;

/** Other changes in the same place, each with its number of occurrences. */
function Values({ values, left }: { values: readonly Variant[]; left: number }) {
  const shown = values.slice(0, VALUES_OF_CAUSE);
  const rest = values.slice(VALUES_OF_CAUSE).reduce((sum, { times }) => sum + times, left);
  return (
    <span class="jxv-cause-values">
      {shown.map(({ reason, times }, index) => (
        <span key={index}>
          <Changes reason={reason} more={0} most={CHANGES_OF_CAUSE} /> <Times of={times} />
        </span>
      ))}
      {rest > 0 && <span class="jxv-words">{andMore(rest)}</span>}
    </span>
  );
}

/** The events of a cause, each with its own reason. */
function CauseEvents({ cause, state, dispatch }: ListProps & { cause: Cause }) {
  const events = eventsOf(state.log, cause);
  const left = cause.times - Math.min(events.length, EVENTS_OF_CAUSE);
  return (
    <ul class="jxv-cause-events">
      {events.slice(0, EVENTS_OF_CAUSE).map((event: Event) => (
        <li key={event.number}>
          <button
            type="button"
            class="jxv-bare"
            aria-pressed={state.selected?.number === event.number}
            onClick={() => dispatch({ type: 'select', event })}
          >
            <span>{momentText(spanOf(state.log, event).from, 1e-3)}</span>
            <span>{whatText(state.log, event)}</span>
            <code>{reasonText(event.reason)}</code>
            <span>{tookText({ ...event, seconds: secondsWith(state.log, event) })}</span>
          </button>
        </li>
      ))}
      {left > 0 && <li class="jxv-words">{andMore(left)}</li>}
    </ul>
  );
}

/** The ops that were compiled one by one, outside jit, by name and line; longest time first. */
export function OpList({ log }: { log: Log }) {
  const ops = opsOf(log);
  return ops.length === 0 ? null : (
    <LogList
      look=" jxv-log-oplist"
      head={__('Op by op, outside jit')}
      note={firstRunsText()}
      rows={ops}
      row={(op, at) => <OpRow key={at} op={op} />}
    />
  );
}

const OpRow = ({ op }: { op: Op }) => (
  <li class="jxv-cause">
    <span class="jxv-cause-cost">
      <b>{timeText(op.seconds)}</b>
      <span title={compiledText(op.compiles)}>{timesText(op.compiles)}</span>
    </span>
    <span class="jxv-cause-what">
      <code>{op.name}</code>
      {op.reason.length > 0 && <span class="jxv-words">{varietiesText(op)}</span>}
      {op.site && <LogPlace frame={op.site} text={placeOf(op.site)} about={__('called here')} />}
    </span>
  </li>
);

import { useState } from 'preact/hooks';
import { placeOf } from '../../facts/describe';
import { causeKey, eventsOf } from '../../facts/log/causes';
import { againIn, secondsWith, spanOf } from '../../facts/log/log-events';
import { momentText, timeText } from '../../facts/log/times';
import { __ } from '../../language';
import type { Cause, Event, Log, Variant } from '../../schema';
import type { Action, LogState } from '../../state/log-state';
import { fromKernel } from '../../words/kernel-words';
import { othersOf, told, variantsOf } from '../../words/log/changes';
import { tookText, whatText } from '../../words/log/log-words';
import { andMore, Changes } from './changes';
import { Middle } from './middle';
import { Place } from './place';

interface Props {
  state: LogState;
  dispatch: (action: Action) => void;
}

/** Causes that are listed at first, and changes of one. */
const FIRST = 6;
const MOST_CHANGES = 3;

/** Why functions were traced, lowered and compiled again, what cost most first. */
export function Causes({ state, dispatch }: Props) {
  const { causes } = state.log;
  const [all, showAll] = useState(false);
  const shown = all ? causes : causes.slice(0, FIRST);
  return (
    <section class="jxv-log-causes">
      <h3>
        {headText(state.log)}
        {causes.length > 1 && <span class="jxv-words">{__('what cost most first')}</span>}
      </h3>
      <ol>
        {shown.map((cause) => {
          const key = causeKey(state.log, cause);
          return <CauseRow key={key} {...{ id: key, cause, state, dispatch }} />;
        })}
      </ol>
      {causes.length > FIRST && (
        <button type="button" class="jxv-link" onClick={() => showAll(!all)}>
          {all ? __('show fewer') : __('show %1 more', causes.length - FIRST)}
        </button>
      )}
    </section>
  );
}

function headText(log: Log): string {
  if (log.causes.length > 0) return __('Why again');
  if (againIn(log) > 0) return __('Why again is not saved: run the cell again to see it.');
  return log.running
    ? __('No function was traced or compiled again so far.')
    : __('No function was traced or compiled again.');
}

const DONE = new Map([
  ['lower', () => __('lowered again')],
  ['compile', () => __('compiled again')],
]);

function CauseRow({ id, cause, state, dispatch }: Props & { id: string; cause: Cause }) {
  const { log } = state;
  const name = log.functions[cause.function]?.name ?? '';
  const [first, ...others] = variantsOf(cause);
  const isSeveral = others.length > 0 || othersOf(cause) > 0;
  const isOpen = state.open.has(id);
  const isMarked = state.cause === id;
  const last = log.events.find(({ number }) => number === cause.last);
  const site = last?.site ?? null;
  return (
    <li class={`jxv-cause${isMarked ? ' jxv-marked' : ''}`}>
      <button
        type="button"
        class="jxv-cause-fold"
        aria-expanded={isOpen}
        aria-label={__('Events of %1, %2', name, told(cause.reason))}
        onClick={() => dispatch({ type: 'fold', key: id })}
      >
        {isOpen ? '▾' : '▸'}
      </button>
      <button
        type="button"
        class="jxv-cause-said"
        aria-pressed={isMarked}
        onClick={() => dispatch({ type: 'cause', key: isMarked ? null : id })}
      >
        <span class="jxv-cause-head">
          <Middle text={name} />
          {DONE.has(cause.kind) && <span class="jxv-words">{DONE.get(cause.kind)?.()}</span>}
          <Changes reason={first!.reason} more={cause.more} most={MOST_CHANGES} />
          {isSeveral && <Times of={first!.times} />}
        </span>
        {isSeveral && <Values values={others} left={othersOf(cause)} />}
      </button>
      <span class="jxv-cause-cost">
        {cause.seconds > 0 ? (
          <b>{timeText(cause.seconds)}</b>
        ) : (
          <span title={__('JAX does not say how long these took')}>–</span>
        )}
        <span>×{cause.times.toLocaleString('en')}</span>
      </span>
      <span class="jxv-cause-what">
        {cause.hint !== '' && <span class="jxv-log-hint">{fromKernel(cause.hint)}</span>}
        {site && <Place frame={site} text={placeOf(site)} about={__('called here')} />}
      </span>
      {isOpen && <Events {...{ cause, state, dispatch }} />}
    </li>
  );
}

/** Values of a cause that are listed after its first. */
const MOST_VALUES = 5;

const Times = ({ of: times }: { of: number }) => (
  <span class="jxv-words">×{times.toLocaleString('en')}</span>
);

/** The other ways in which the same thing changed, each with how often. */
function Values({ values, left }: { values: readonly Variant[]; left: number }) {
  const shown = values.slice(0, MOST_VALUES);
  const rest = values.slice(MOST_VALUES).reduce((sum, { times }) => sum + times, left);
  return (
    <span class="jxv-cause-values">
      {shown.map(({ reason, times }, index) => (
        <span key={index}>
          <code>{told(reason)}</code> <Times of={times} />
        </span>
      ))}
      {rest > 0 && <span class="jxv-words">{andMore(rest)}</span>}
    </span>
  );
}

const MOST_EVENTS = 100;

/** The single events of a cause. */
function Events({ cause, state, dispatch }: Props & { cause: Cause }) {
  const events = eventsOf(state.log, cause);
  const left = cause.times - Math.min(events.length, MOST_EVENTS);
  return (
    <ul class="jxv-cause-events">
      {events.slice(0, MOST_EVENTS).map((event: Event) => (
        <li key={event.number}>
          <button
            type="button"
            aria-pressed={state.selected?.number === event.number}
            onClick={() => dispatch({ type: 'select', event })}
          >
            <span>{momentText(spanOf(state.log, event).from, 1e-3)}</span>
            <span>{whatText(state.log, event)}</span>
            <code>{told(event.reason)}</code>
            <span>{tookText({ ...event, seconds: secondsWith(state.log, event) })}</span>
          </button>
        </li>
      ))}
      {left > 0 && <li class="jxv-words">{andMore(left)}</li>}
    </ul>
  );
}

/** The view of a log: its totals, its timeline, details of an event, times of the cell, and causes
 * of retraces. */
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { earlierTrace, traceOf, whyNoProgram } from '../facts/events/log-events';
import { inTime } from '../facts/events/log-lanes';
import { percentText, placeOf, timeText } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n } from '../language';
import type { Event, Log, RanProgram, CellTimes as Record } from '../schema';
import { phrase } from '../shell/parts/controls';
import { type Column, DataTable } from '../shell/parts/data-table';
import { usePreferences } from '../shell/parts/root';
import { type Action, type LogState, start, update } from '../state/log-state';
import {
  aroundText,
  callsText,
  endedText,
  loopText,
  measuredText,
  outsideText,
  partsOf,
  persistentText,
  totalsText,
} from '../words/events/log-words';
import { CacheTables } from './cache-tables';
import { CauseList, OpList } from './cause-list';
import { LogPlace, ShortenedName } from './change-text';
import { EventDetails } from './event-details';
import { Timeline } from './timeline';
import { timelineKeys } from './timeline-input';

interface Props {
  profile: Record;
  /** Opens a program with the time of its lines; null if there is no kernel. */
  measure: ((number: number) => void) | null;
}

/** The most programs that are listed. */
const LISTED = 8;

function CellTimes({ profile, measure }: Props) {
  const { programs, seconds } = profile;
  const more = programs.length - LISTED;
  return (
    <section class="jxv-cell-times" aria-label={__('Where the time went')}>
      <p class="jxv-words" title={aroundText(profile)}>
        {measuredText(profile)}
      </p>
      <Parts profile={profile} />
      {programs.length > 0 && (
        <DataTable columns={columnsOf(seconds, measure)} rows={programs.slice(0, LISTED)} />
      )}
      {more > 0 && <p class="jxv-words">{_n('%1 more program', '%1 more programs', more)}</p>}
      {profile.loops?.map((loop, index) => (
        <p key={index} class="jxv-words">
          <LogPlace
            frame={loop.site}
            text={placeOf(loop.site)}
            about={__('a Python loop outside jit')}
          />{' '}
          {loopText(loop)}
        </p>
      ))}
    </section>
  );
}

/** The parts of the time as a bar, and in words. */
function Parts({ profile }: { profile: Record }) {
  const parts = partsOf(profile).filter(({ seconds }) => seconds > 0);
  return (
    <>
      <div class="jxv-cell-bar" aria-hidden="true">
        {parts.map(({ name, seconds }) => (
          <i
            key={name}
            class={`jxv-cell-${name}`}
            style={`flex-grow:${(100 * seconds) / profile.seconds}`}
          />
        ))}
      </div>
      <ul class="jxv-cell-parts">
        {parts.map(({ name, label, seconds }) => (
          <li key={name}>
            <i class={`jxv-cell-${name}`} aria-hidden="true" /> <b>{timeText(seconds)}</b> {label}
          </li>
        ))}
      </ul>
    </>
  );
}

/** The time and number of runs of a program, and a link to its lines. `whole` is the time of all
 * programs. */
const columnsOf = (whole: number, measure: Props['measure']): Column<RanProgram>[] => [
  { number: true, cell: ({ seconds }) => timeText(seconds) },
  { number: true, cell: ({ seconds }) => percentText(Math.min(1, seconds / whole)) },
  { isHead: true, cell: ({ name }) => <ShortenedName text={name} /> },
  {
    look: 'jxv-cell-wide',
    cell: (program) => (
      <>
        {callsText(program)}{' '}
        <span class="jxv-words">{spreadText(program.best, program.median)}</span>
      </>
    ),
  },
  {
    cell: ({ number, known }) =>
      measure && (
        <button
          type="button"
          class="jxv-link"
          disabled={!known}
          title={
            known
              ? __('Compile it once more with numbered operations, and show the time of each line')
              : __('It was called only once, so its lines are unknown: run the cell again')
          }
          onClick={() => measure(number)}
        >
          {__('Time of each line')}
        </button>
      ),
  },
];

const spreadText = (best: number, median: number): string =>
  __('best %1, median %2', timeText(best), timeText(median));

interface LogProps {
  log: Log;
  /** True if there is a kernel that can send programs. */
  kernel: boolean;
  /** The opened program or comparison, or null. */
  opened: ComponentChildren;
  /** Opens the program of the event with that number. */
  open: (event: number) => void;
  /** Opens a program that ran while the log was profiled, with the time of its lines. */
  measure: (number: number) => void;
  /** Opens the comparison of the programs of two events. */
  compare: (before: number, after: number) => void;
  /** Closes the opened program. */
  close: () => void;
}

export function LogView(props: LogProps) {
  const { kernel, opened, open } = props;
  const log = useClock(props.log, kernel);
  const [state, dispatch] = useLogState(log);
  const { selected, picked } = state;
  const { keys, choose, pick, compare } = eventActions(state, dispatch, props);
  return (
    <div class="jxv-log">
      <LogHead log={log} kernel={kernel} />
      {log.profile && <CellTimes profile={log.profile} measure={kernel ? props.measure : null} />}
      {log.functions.length + log.ops.length === 0 && !log.profile ? (
        <p class="jxv-log-quiet">{quietText(log)}</p>
      ) : (
        <>
          <Timeline {...{ state, dispatch, keys, choose }} />
          <div class={`jxv-log-below${selected ? ' jxv-log-two' : ''}`}>
            {selected && (
              <EventDetails
                {...{ log, event: selected, kernel, picked, open, pick, compare }}
                go={(event) => dispatch({ type: 'select', event })}
              />
            )}
            <div>
              {log.functions.length > 0 && <CauseList state={state} dispatch={dispatch} />}
              <CacheTables log={log} go={(event) => dispatch({ type: 'select', event })} />
              <OpList log={log} />
            </div>
          </div>
        </>
      )}
      {log.notes.map((note) => (
        <p class="jxv-note" key={note.text}>
          {sentenceText(note)}
        </p>
      ))}
      {opened}
    </div>
  );
}

/** The actions on events: select one, open its program, compare it with another. */
function eventActions(state: LogState, dispatch: (action: Action) => void, props: LogProps) {
  const { kernel, open, close } = props;
  const { log, selected, picked } = state;
  const pick = (event: Event | null) => dispatch({ type: 'pick', event });
  const compare = (one: Event, other: Event) => {
    const [before, after] = [traceOf(log, one), traceOf(log, other)].sort(inTime);
    if (before && after && before !== after) props.compare(before.number, after.number);
    pick(null);
  };
  const hasProgram = selected !== null && whyNoProgram(selected, kernel) === '';
  const keys = timelineKeys({
    state,
    dispatch,
    enter() {
      if (hasProgram) picked ? compare(picked, selected) : open(selected.number);
    },
    compareBefore() {
      const before = selected && earlierTrace(log, selected);
      if (hasProgram && before) compare(before, selected);
    },
    pick: () => hasProgram && pick(traceOf(log, selected)),
    escape() {
      if (picked) pick(null);
      else if (selected) dispatch({ type: 'select', event: null });
      else close();
    },
  });
  const choose = (event: Event | null, isOther: boolean) => {
    const one = picked ?? (isOther ? selected : null);
    const isPair = one && event && whyNoProgram(one, kernel) + whyNoProgram(event, kernel) === '';
    if (isPair) compare(one, event);
    dispatch({ type: 'select', event });
  };
  return { keys, choose, pick, compare };
}

/** The reason why nothing is shown. JAX may have traced functions of its own, as in
 * `jax.eval_shape`. */
function quietText({ running, apart }: Log): string {
  if (apart.traces > 0) return __('None of your functions was traced or compiled.');
  return running
    ? __('Nothing new was traced or compiled so far.')
    : __("Nothing new was traced or compiled: JAX's caches had every call, or there was no call.");
}

/** The state of the view, always with the newest log. */
function useLogState(log: Log): [LogState, (action: Action) => void] {
  const [state, dispatch] = useReducer(update, log, start);
  const isNew = state.log !== log;
  useLayoutEffect(() => {
    if (isNew) dispatch({ type: 'log', log });
  }, [log]);
  return [isNew ? update(state, { type: 'log', log }) : state, dispatch];
}

/** The interval at which the time of a running log is updated, ms: longer if the reader wants less
 * motion. */
const CLOCK_INTERVAL = 200;
const CALM_CLOCK_INTERVAL = 1000;

/** A log whose time continues while it runs, by the page's clock. */
function useClock(log: Log, isLive: boolean): Log {
  const arrivedAt = useMemo(() => performance.now(), [log]);
  const [now, setNow] = useState(arrivedAt);
  const still = usePreferences().motion === 'still';
  const runs = log.running && isLive;
  useEffect(() => {
    if (!runs) return;
    const isCalm = still || matchMedia('(prefers-reduced-motion: reduce)').matches;
    const interval = isCalm ? CALM_CLOCK_INTERVAL : CLOCK_INTERVAL;
    const timer = setInterval(() => setNow(performance.now()), interval);
    return () => clearInterval(timer);
  }, [runs, still]);
  const since = runs ? Math.max(0, now - arrivedAt) / 1000 : 0;
  return useMemo(() => (since > 0 ? { ...log, seconds: log.seconds + since } : log), [log, since]);
}

/** The totals of a log, and the part of its time that JAX spent on compiling. */
function LogHead({ log, kernel }: Pick<LogProps, 'log' | 'kernel'>) {
  const { seconds, making, running, error, functions } = log;
  const part = Math.min(1, making / Math.max(seconds, 1e-9));
  const [outside, persistent] = [outsideText(log), persistentText(log)];
  return (
    <div class="jxv-log-head">
      <p class="jxv-log-totals">
        {functions.length > 0 && <b>{totalsText(log)}</b>}
        <span>
          {phrase(
            (compiling) => __('compiling %1 of %2', compiling, timeText(seconds)),
            <b>{timeText(making)}</b>,
          )}
        </span>
        {running && (
          <span class={`jxv-log-running${kernel ? '' : ' jxv-log-stopped'}`}>
            {kernel ? __('running') : __('was running when this was saved')}
          </span>
        )}
        {error !== null && <span class="jxv-log-error">{endedText({ error, failed: null })}</span>}
        {outside !== '' && <span class="jxv-words">{outside}</span>}
        {persistent !== '' && <span class="jxv-words">{persistent}</span>}
      </p>
      <div class="jxv-log-share" aria-hidden="true">
        <span style={`width:${100 * part}%`} />
      </div>
    </div>
  );
}

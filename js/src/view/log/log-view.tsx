import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer } from 'preact/hooks';
import { earlierTrace, traceOf, whyNoProgram } from '../../facts/log/log-events';
import { inTime } from '../../facts/log/log-lanes';
import { __ } from '../../language';
import type { Event, Log } from '../../schema';
import { type Action, type LogState, start, update } from '../../state/log-state';
import { fromKernel } from '../../words/kernel-words';
import { Causes } from './causes';
import { useClock } from './clock';
import { EventDetails } from './event';
import { Head } from './head';
import { Ops } from './ops';
import { Timeline } from './timeline';
import { timelineKeys } from './timeline-keys';

interface Props {
  log: Log;
  /** Whether a kernel stands behind it, that can be asked for programs. */
  kernel: boolean;
  /** The program or the comparison that was asked for; null where there is none. */
  opened: ComponentChildren;
  /** Show the program of the event with that number. */
  open: (event: number) => void;
  /** Compare the programs of two events. */
  compare: (before: number, after: number) => void;
  /** Close what was opened. */
  close: () => void;
}

/** What a cell traced, lowered and compiled, over time, and why. */
export function LogView({ log: told, kernel, opened, open, compare, close }: Props) {
  const log = useClock(told, kernel);
  const [state, dispatch] = useLogState(log);
  const { selected, picked } = state;
  const pick = (event: Event | null) => dispatch({ type: 'pick', event });
  const compareTwo = (one: Event, other: Event) => {
    const [before, after] = [traceOf(log, one), traceOf(log, other)].sort(inTime);
    if (before && after && before !== after) compare(before.number, after.number);
    pick(null);
  };
  const isShowable = selected !== null && whyNoProgram(selected, kernel) === '';
  const keys = timelineKeys({
    state,
    dispatch,
    enter() {
      if (isShowable) picked ? compareTwo(picked, selected) : open(selected.number);
    },
    compareBefore() {
      const before = selected && earlierTrace(log, selected);
      if (isShowable && before) compareTwo(before, selected);
    },
    pick: () => isShowable && pick(traceOf(log, selected)),
    escape() {
      if (picked) pick(null);
      else if (selected) dispatch({ type: 'select', event: null });
      else close();
    },
  });
  const choose = (event: Event | null, isOther: boolean) => {
    const one = picked ?? (isOther ? selected : null);
    const canBe = one && event && whyNoProgram(one, kernel) + whyNoProgram(event, kernel) === '';
    if (canBe) compareTwo(one, event);
    dispatch({ type: 'select', event });
  };
  return (
    <div class="jxv-log">
      <Head log={log} kernel={kernel} />
      {log.functions.length + log.ops.length === 0 ? (
        <p class="jxv-log-quiet">{quietText(log)}</p>
      ) : (
        <>
          <Timeline {...{ state, dispatch, keys, choose }} />
          <div class={`jxv-log-below${selected ? ' jxv-log-two' : ''}`}>
            {selected && (
              <EventDetails
                {...{ log, event: selected, kernel, picked, open, pick, compare: compareTwo }}
                go={(event) => dispatch({ type: 'select', event })}
              />
            )}
            <div>
              {log.functions.length > 0 && <Causes state={state} dispatch={dispatch} />}
              <Ops log={log} />
            </div>
          </div>
        </>
      )}
      {log.notes.map((note) => (
        <p class="jxv-note" key={note}>
          {fromKernel(note)}
        </p>
      ))}
      {opened}
    </div>
  );
}

/** JAX traces its own functions too, within a call of `jax.eval_shape` or the like. */
function quietText({ running, apart }: Log): string {
  if (apart.traces > 0) return __('No function of yours was traced or compiled.');
  return running
    ? __('Nothing new was traced or compiled so far.')
    : __("Nothing new was traced or compiled: JAX's caches knew every call, or there was none.");
}

/** The state of the view, always of the newest log. */
function useLogState(log: Log): [LogState, (action: Action) => void] {
  const [state, dispatch] = useReducer(update, log, start);
  const isNew = state.log !== log;
  useLayoutEffect(() => {
    if (isNew) dispatch({ type: 'log', log });
  }, [log]);
  return [isNew ? update(state, { type: 'log', log }) : state, dispatch];
}

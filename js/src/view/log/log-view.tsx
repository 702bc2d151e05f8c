import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';
import { type Action, type LogState, start, update } from '../../model/log/state';
import type { Log } from '../../schema';
import { useOwnKeys } from '../own-keys';
import { useClock } from './clock';
import { Head } from './head';
import { Timeline } from './timeline';

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
export function LogView({ log: told, kernel, opened }: Props) {
  const element = useRef<HTMLElement>(null);
  useOwnKeys(element);
  const log = useClock(told, kernel);
  const [state, dispatch] = useLogState(log);
  return (
    <section ref={element} class="jxv jxv-log" aria-label="What JAX traced, lowered and compiled">
      <Head log={log} kernel={kernel} />
      {log.functions.length > 0 ? (
        <Timeline state={state} dispatch={dispatch} />
      ) : (
        <p class="jxv-log-quiet">
          Nothing was traced: every call was known to JAX's caches, or there was none.
        </p>
      )}
      {opened}
    </section>
  );
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

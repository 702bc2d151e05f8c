import type { Cause, Change, Event, Log } from '../../schema';
import { functionIndex, keyOf } from './log-lanes';

/** What tells a cause from the others, in newer logs too: the function, what was made again, and
 * which changes where. */
export function causeKey({ functions }: Log, { function: index, kind, reason }: Cause): string {
  const one = functions[index];
  return JSON.stringify([one ? keyOf(one) : '', kind, changesKey(reason)]);
}

const changesKey = (reason: readonly Change[]) => reason.map(({ kind, where }) => [kind, where]);

/** The events that are listed of a cause, in the order in which they ended. */
export function eventsOf(log: Log, cause: Cause): Event[] {
  const wanted = JSON.stringify(changesKey(cause.reason));
  const indexOf = functionIndex(log);
  return log.events.filter(
    (event) =>
      event.again &&
      event.kind === cause.kind &&
      indexOf(event) === cause.function &&
      JSON.stringify(changesKey(event.reason)) === wanted,
  );
}

import type { Event, Log } from '../../schema';
import { __ } from '../language';
import { traceOf } from './events';
import { whatText } from './words';

/** What a reader of a log wants to see of the kernel's: events by their numbers. */
export type Wanted = { event: number } | { before: number; after: number };

/** `step · retrace 3 of 9`, `step · compared: first trace → retrace 1 of 9`. */
export function wantedName(log: Log, wanted: Wanted): string {
  if ('event' in wanted) {
    const trace = traceAt(log, wanted.event);
    return trace ? `${trace.name} · ${whatText(log, trace)}` : __('A program');
  }
  const [before, after] = [traceAt(log, wanted.before), traceAt(log, wanted.after)];
  if (!before || !after) return __('Compared');
  const [one, other] = [before, after].map((trace) => whatText(log, trace));
  return before.name === after.name
    ? __('%1 · compared: %2 → %3', after.name, one, other)
    : __('compared: %1, %2 → %3, %4', before.name, one, after.name, other);
}

/** The trace with that number, or that of a lowering or compilation with it. */
function traceAt(log: Log, number: number): Event | null {
  const event = log.events.find((one) => one.number === number);
  return event ? (traceOf(log, event) ?? event) : null;
}

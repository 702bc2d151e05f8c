/** The panel's list of events: traces, lowerings and compilations, the newest first. */

import { inTime, keyOf } from '../../facts/log/log-lanes';
import type { Event, Log } from '../../schema';

export const EVENT_KINDS = ['trace', 'lower', 'compile'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** Which events are listed. */
export interface EventFilter {
  kinds: ReadonlySet<string>;
  /** Lists only what JAX made again. */
  again: boolean;
  /** Lists only events of the function with this key; empty for all functions. */
  of: string;
}

export const ALL_EVENTS: EventFilter = { kinds: new Set(EVENT_KINDS), again: false, of: '' };

/** The events that pass a filter, the newest first. */
export function filteredEvents({ events }: Log, { kinds, again, of }: EventFilter): Event[] {
  return events
    .filter((event) => kinds.has(event.kind) && (event.again || !again))
    .filter((event) => of === '' || keyOf(event) === of)
    .reverse();
}

/** An event as a row of the list. */
export interface EventLine {
  event: Event;
  /** It is the first row of those that one call of the user's led to. */
  begins: boolean;
  /** Its trace is listed too, below it, and says the name of the function. */
  follows: boolean;
}

/** The rows of a list of events. One call may lead to a trace, traces within it, a lowering and a
 * compilation: their rows stand together. */
export function linesOf(events: readonly Event[]): EventLine[] {
  const traces = new Set(events.filter(({ kind }) => kind === 'trace').map(({ number }) => number));
  let call: number | null = null;
  return events.map((event) => {
    const own = event.of ?? event.number;
    const begins = event.depth === 0 && own !== call;
    if (begins) call = own;
    return { event, begins, follows: event.of !== null && traces.has(event.of) };
  });
}

/** How many events of `log` that pass the filter are newer than those of an earlier log of the same
 * kernel. */
export function countNewer(log: Log, earlier: Log, filter: EventFilter): number {
  const last = earlier.events.reduce((last, { number }) => Math.max(last, number), -1);
  return filteredEvents(log, filter).filter(({ number }) => number > last).length;
}

/** The log to list: the one held while the reader scrolls, unless it is of another kernel, or the log
 * was cleared since. */
export const logListed = (log: Log, held: Log | null): Log =>
  held !== null && held.start === log.start ? held : log;

/** The functions that have events in a log, sorted by name. */
export function functionsOf({ events }: Log): { key: string; name: string }[] {
  const names = new Map(events.map((event) => [keyOf(event), event.name]));
  return [...names]
    .map(([key, name]) => ({ key, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** All traces of the same function that made a program, the earliest first. */
export function tracesLike({ events }: Log, one: Event): Event[] {
  const key = keyOf(one);
  return events
    .filter((event) => event.kind === 'trace' && event.error === null && keyOf(event) === key)
    .sort(inTime);
}

import type { Event, Log } from '../../schema';
import { inTime, keyOf } from '../log/lanes';

export const KINDS = ['trace', 'lower', 'compile'] as const;
export type Kind = (typeof KINDS)[number];

/** Which events are listed. */
export interface Filter {
  kinds: ReadonlySet<string>;
  /** Those alone that came again. */
  again: boolean;
  /** The key of a function; empty for all. */
  of: string;
}

export const EVERY: Filter = { kinds: new Set(KINDS), again: false, of: '' };

/** The events that are wanted, the newest first. */
export function listed({ events }: Log, { kinds, again, of }: Filter): Event[] {
  return events
    .filter((event) => kinds.has(event.kind) && (event.again || !again))
    .filter((event) => of === '' || keyOf(event) === of)
    .reverse();
}

/** An event in the list. */
export interface Line {
  event: Event;
  /** The first of what one call led to. */
  begins: boolean;
  /** It follows a trace that is listed below it, and says its name. */
  follows: boolean;
}

/** One call leads to a trace, to those within it, to a lowering and a compilation. */
export function linesOf(events: readonly Event[]): Line[] {
  const traces = new Set(events.filter(({ kind }) => kind === 'trace').map(({ number }) => number));
  let call: number | null = null;
  return events.map((event) => {
    const own = event.of ?? event.number;
    const begins = event.depth === 0 && own !== call;
    if (begins) call = own;
    return { event, begins, follows: event.of !== null && traces.has(event.of) };
  });
}

/** How many of the events that are wanted came since the log was held. */
export function newer(log: Log, held: Log, filter: Filter): number {
  const last = held.events.reduce((last, { number }) => Math.max(last, number), -1);
  return listed(log, filter).filter(({ number }) => number > last).length;
}

/** The log whose events are listed: as it was held, but of another kernel, or where it was cleared. */
export const logListed = (log: Log, held: Log | null): Log =>
  held !== null && held.start === log.start ? held : log;

/** The functions that the events of a log are of, by their names. */
export function functionsOf({ events }: Log): { key: string; name: string }[] {
  const names = new Map(events.map((event) => [keyOf(event), event.name]));
  return [...names]
    .map(([key, name]) => ({ key, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** All traces of the function of one that made a program, in time. */
export function tracesLike({ events }: Log, one: Event): Event[] {
  const key = keyOf(one);
  return events
    .filter((event) => event.kind === 'trace' && event.error === null && keyOf(event) === key)
    .sort(inTime);
}

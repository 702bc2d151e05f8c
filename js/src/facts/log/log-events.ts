import { __ } from '../../language';
import type { Cause, Change, Function as Counted, Event, Log } from '../../schema';
import { endOf, functionIndex, inTime, keyOf, lanesOf } from './log-lanes';
import type { Span } from './time-scale';

/** When an event was, seconds since the log's start. */
export const spanOf = (log: Log, event: Event): Span => ({
  from: event.start - log.start,
  to: endOf(event) - log.start,
});

/** A log that runs is drawn with room ahead, so that its axis changes in steps. */
const STEP = 1.25;

/** All of a log's time, at least as long as its events. */
export function wholeOf({ start, seconds, events, running }: Log): Span {
  const end = events.reduce((end, event) => Math.max(end, endOf(event) - start), seconds);
  const from = events.reduce((first, event) => Math.min(first, event.start - start), 0);
  const to = Math.max(end, from + 1e-3);
  return { from, to: running ? STEP ** Math.ceil(Math.log(to) / Math.log(STEP)) : to };
}

/** How often functions were traced again, all together. */
export const retracesIn = ({ functions }: Log): number =>
  functions.reduce((sum, { retraces }) => sum + retraces, 0);

/** How often a function was made again: traced, or lowered and compiled without a trace, which count
 * once. All that tells how often counts by this, in the kernel `session.counts.again`. */
export const againOf = ({ retraces, relowerings, recompiles }: Counted): number =>
  retraces + Math.max(relowerings, recompiles);

/** The same of all functions. */
export const againIn = ({ functions }: Log): number =>
  functions.reduce((sum, one) => sum + againOf(one), 0);

/** The trace whose program an event is of: itself where it is one, or came without one. */
export function traceOf(log: Log, event: Event): Event {
  return log.events.find(({ number }) => number === event.of) ?? event;
}

/** The trace that an event is compared with: the one that its reason tells against, else the one
 * before. */
export const earlierTrace = (log: Log, event: Event): Event | null =>
  toldAgainst(log, event) ?? previousTrace(log, event);

/** The earlier trace of the same function that the reason of an event's trace was measured against;
 * null where that is not known, or is not listed. */
export function toldAgainst(log: Log, event: Event): Event | null {
  const { against } = traceOf(log, event);
  const isIt = ({ number, kind, error }: Event) =>
    number === against && kind === 'trace' && error === null;
  return log.events.find(isIt) ?? null;
}

/** The trace of the same function before that of an event, which ended well. */
export function previousTrace(log: Log, event: Event): Event | null {
  const own = traceOf(log, event);
  const key = keyOf(own);
  const earlier = log.events.filter(
    (one) =>
      one.kind === 'trace' && one.error === null && keyOf(one) === key && inTime(one, own) < 0,
  );
  return earlier.sort(inTime).at(-1) ?? null;
}

/** Why an event's program cannot be shown; empty where it can. */
export function whyNoProgram({ kind, error }: Event, kernel: boolean): string {
  if (kind === 'trace' && error !== null) return __('The trace failed: there is no program');
  return kernel ? '' : __('The kernel that has the program is gone: run the cell again');
}

/** Seconds of an event with what followed it. */
export const secondsWith = (log: Log, event: Event): number =>
  [event, ...followersOf(log, event)].reduce((sum, { seconds }) => sum + seconds, 0);

/** The lowering and the compilation that followed a trace. */
export const followersOf = (log: Log, trace: Event): Event[] =>
  log.events.filter(({ of, again }) => of === trace.number && !again);

const AGAIN = new Map<string, 'retraces' | 'relowerings' | 'recompiles'>([
  ['trace', 'retraces'],
  ['lower', 'relowerings'],
  ['compile', 'recompiles'],
]);

/** Which of its function's retraces an event is, `[3, 9]`: from 1, of how many; the same of
 * relowerings and recompiles. Null where it came the first time, or is not listed. */
export function ordinalOf(log: Log, event: Event): [number, number] | null {
  const known = ordinals.get(log.events) ?? ordinalsOf(log);
  ordinals.set(log.events, known);
  return known.get(event.number) ?? null;
}

const ordinals = new WeakMap<Log['events'], Ordinals>();
type Ordinals = ReadonlyMap<number, [number, number]>;

function ordinalsOf(log: Log): Ordinals {
  const late = log.events[gapOf(log)]?.number ?? Infinity;
  const indexOf = functionIndex(log);
  const alike = new Map<string, Event[]>();
  for (const event of log.events.filter(({ again }) => again)) {
    const key = `${event.kind} ${keyOf(event)}`;
    const others = alike.get(key);
    if (others) others.push(event);
    else alike.set(key, [event]);
  }
  const found = new Map<number, [number, number]>();
  for (const all of alike.values()) {
    const [first] = all;
    const one = first && log.functions[indexOf(first)];
    const isOwn = one && keyOf(one) === keyOf(first);
    const counted = isOwn ? one[AGAIN.get(first.kind) ?? 'retraces'] : 0;
    const total = Math.max(counted, all.length);
    all.forEach(({ number }, at) => {
      found.set(number, [at + 1 + (number >= late ? total - all.length : 0), total]);
    });
  }
  return found;
}

/** Before which event those lie that are not listed: where the numbers leap farthest. */
export function gapOf({ events, omitted }: Log): number {
  if (omitted === 0) return events.length;
  let [at, leap] = [events.length, 0];
  for (let index = 1; index < events.length; index++) {
    const by = events[index]!.number - events[index - 1]!.number;
    if (by > leap) [at, leap] = [index, by];
  }
  return at;
}

/** The events of each lane in the order in which they began, lanes as they are drawn. */
export const walkOf = (log: Log): Event[][] =>
  lanesOf(log).map(({ tracks }) =>
    tracks
      .flat()
      .flatMap(({ events }) => events)
      .sort(inTime),
  );

/** What a reader of a log wants to see of the kernel's: events by their numbers. */
export type Wanted = { event: number } | { before: number; after: number };

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

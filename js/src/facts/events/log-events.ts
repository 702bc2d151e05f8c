/** Questions about the events of a log: which trace an event belongs to, what it is compared with,
 * how often a function was retraced, which events a cause explains. */
import { __ } from '../../language';
import type { CacheCall, Cause, Change, Function as Counted, Event, Log } from '../../schema';
import { gather } from '../maps';
import { endOf, functionIndex, inTime, keyOf, lanesOf, type Span } from './log-lanes';

/** When an event took place, in seconds since the log's start. */
export const spanOf = (log: Log, event: Event): Span => ({
  from: event.start - log.start,
  to: endOf(event) - log.start,
});

/** A log that still runs is drawn with free space at the end, so that its axis changes in steps and
 * not with each event. */
const ROOM_AHEAD = 1.25;

/** The time that a log's axis shows, at least as long as its events. */
export function wholeOf({ start, seconds, events, running }: Log): Span {
  const end = events.reduce((end, event) => Math.max(end, endOf(event) - start), seconds);
  const from = events.reduce((first, event) => Math.min(first, event.start - start), 0);
  const to = Math.max(end, from + 1e-3);
  return { from, to: running ? ROOM_AHEAD ** Math.ceil(Math.log(to) / Math.log(ROOM_AHEAD)) : to };
}

/** How many retraces there were, of all functions of the reader's. */
export const retracesIn = ({ functions }: Log): number =>
  functions.reduce((sum, { library, retraces }) => sum + (library ? 0 : retraces), 0);

/** How often a function was made again: retraced, or lowered and compiled again without a
 * trace, where the two count as one. Every count on the page uses this; in the kernel it is
 * `session.counts.again`. */
export const repeatsOf = ({ retraces, relowerings, recompiles }: Counted): number =>
  retraces + Math.max(relowerings, recompiles);

/** How often functions were made again, all together. */
export const repeatsIn = ({ functions }: Log): number =>
  functions.reduce((sum, one) => sum + repeatsOf(one), 0);

/** The trace whose program an event belongs to: for a lowering or compilation the trace before it;
 * for a trace, or an event without one, the event itself. */
export function traceOf(log: Log, event: Event): Event {
  return log.events.find(({ number }) => number === event.of) ?? event;
}

/** The trace that an event is compared with: the one that its reason was measured against, else the
 * one before it. */
export const earlierTrace = (log: Log, event: Event): Event | null =>
  measuredAgainst(log, event) ?? previousTrace(log, event);

/** The earlier trace of the function that an event's reason was measured against; null where that
 * is not known, or the log no longer lists it. */
export function measuredAgainst(log: Log, event: Event): Event | null {
  const { against } = traceOf(log, event);
  const isIt = ({ number, kind, error }: Event) =>
    number === against && kind === 'trace' && error === null;
  return log.events.find(isIt) ?? null;
}

/** The last trace of the same function before that of an event that did not fail; null where there
 * is none. */
export function previousTrace(log: Log, event: Event): Event | null {
  const own = traceOf(log, event);
  const key = keyOf(own);
  const earlier = log.events.filter(
    (one) =>
      one.kind === 'trace' && one.error === null && keyOf(one) === key && inTime(one, own) < 0,
  );
  return earlier.sort(inTime).at(-1) ?? null;
}

/** Why an event's program cannot be shown, in a sentence; empty where it can. */
export function whyNoProgram({ kind, error }: Event, kernel: boolean): string {
  if (kind === 'trace' && error !== null) return __('The trace failed: there is no program');
  return kernel ? '' : __('This log contains no programs, and no running kernel has them');
}

/** The seconds that an event took, together with the lowering and compilation that followed it. */
export const secondsWith = (log: Log, event: Event): number =>
  [event, ...followersOf(log, event)].reduce((sum, { seconds }) => sum + seconds, 0);

/** The lowering and the compilation that followed a trace. */
export const followersOf = (log: Log, trace: Event): Event[] =>
  log.events.filter(({ of, again }) => of === trace.number && !again);

/** For each kind of event, the count of repetitions that a function has. */
const REPETITIONS = new Map<string, 'retraces' | 'relowerings' | 'recompiles'>([
  ['trace', 'retraces'],
  ['lower', 'relowerings'],
  ['compile', 'recompiles'],
]);

/** Which repetition an event is, and of how many: `[3, 9]` for the third of nine retraces (or
 * relowerings, or recompiles). Null for the first time, and for what is not listed. */
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
  const again = log.events.filter((event) => event.again);
  const alike = gather(again, (event) => `${event.kind} ${keyOf(event)}`);
  const found = new Map<number, [number, number]>();
  for (const all of alike.values()) {
    const [first] = all;
    const one = first && log.functions[indexOf(first)];
    const isOwn = one && keyOf(one) === keyOf(first);
    const counted = isOwn ? one[REPETITIONS.get(first.kind) ?? 'retraces'] : 0;
    const total = Math.max(counted, all.length);
    all.forEach(({ number }, at) => {
      found.set(number, [at + 1 + (number >= late ? total - all.length : 0), total]);
    });
  }
  return found;
}

/** The index of the event before which events are missing from the list: where the event numbers
 * leap farthest. */
export function gapOf({ events, omitted }: Log): number {
  if (omitted === 0) return events.length;
  let [at, leap] = [events.length, 0];
  for (let index = 1; index < events.length; index++) {
    const by = events[index]!.number - events[index - 1]!.number;
    if (by > leap) [at, leap] = [index, by];
  }
  return at;
}

/** The events of each lane, lanes in the order in which they are drawn and events in the order in
 * which they began. Arrow keys go through these. */
export const walkOf = (log: Log): Event[][] =>
  lanesOf(log).map(({ tracks }) =>
    tracks
      .flat()
      .flatMap(({ events }) => events)
      .sort(inTime),
  );

/** The events whose programs a reader asked the kernel for, by their numbers. */
export type WantedEvents = { event: number } | { before: number; after: number };

/** The same, or a program that ran while the log was profiled, by its number. */
export type Wanted = WantedEvents | { measured: number };

/** A key by which a cause is found again in a newer log: the function, what was made again, and
 * which changes where. */
export function causeKey({ functions }: Log, { function: index, kind, reason }: Cause): string {
  const one = functions[index];
  return JSON.stringify([one ? keyOf(one) : '', kind, changesKey(reason)]);
}

const changesKey = (reason: readonly Change[]) => reason.map(({ kind, where }) => [kind, where]);

/** The events that a log lists of a cause, in the order in which they ended. */
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

export type Guess = 'hit' | 'miss';

/** By the key of a call. */
export type Guesses = ReadonlyMap<string, Guess>;

/** A call that the reader is asked of. */
export interface AskedCall {
  key: string;
  /** Of the function. */
  name: string;
  call: CacheCall;
}

/** How many calls are asked of. */
const MOST = 24;

/** The keys of calls that a table holds as one, as they were alike. */
export const keysOf = (table: number, call: number, { times }: CacheCall): string[] =>
  Array.from({ length: Math.min(times, MOST) }, (_, index) => `${table}/${call}/${index}`);

/** The calls that a log's caches answered or that were traced, in the order of their function. */
export function asked({ caches }: Log): AskedCall[] {
  const calls = caches.flatMap(({ name, calls }, table) =>
    calls.flatMap((call, index) =>
      call.end === 'hit' || call.end === 'miss'
        ? keysOf(table, index, call).map((key) => ({ key, name, call }))
        : [],
    ),
  );
  return calls.slice(0, MOST);
}

/** How many of these were guessed rightly, of how many. */
export function score(log: Log, guesses: Guesses): { right: number; all: number } {
  const known = asked(log).filter(({ key }) => guesses.has(key));
  return {
    right: known.filter(({ key, call }) => guesses.get(key) === call.end).length,
    all: known.length,
  };
}

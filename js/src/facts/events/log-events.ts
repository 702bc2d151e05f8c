/** Answers questions about the events of a log: the trace of an event, the trace it is compared with, the number of
 * retraces, the events of a cause. */
import { __ } from '../../language';
import type { CacheCall, Cause, Change, Function as Counted, Event, Log } from '../../schema';
import { gather } from '../maps';
import { endOf, functionIndex, inTime, keyOf, lanesOf, type Span } from './log-lanes';

/** The time of an event, in seconds since the log's start. */
export const spanOf = (log: Log, event: Event): Span => ({
  from: event.start - log.start,
  to: endOf(event) - log.start,
});

/** A log that still runs is drawn with free space at the end, so that its axis changes in steps and not with each
 * event. */
const ROOM_AHEAD = 1.25;

/** The time that a log's axis shows, at least as long as its events. */
export function wholeOf({ start, seconds, events, running }: Log): Span {
  const end = events.reduce((end, event) => Math.max(end, endOf(event) - start), seconds);
  const from = events.reduce((first, event) => Math.min(first, event.start - start), 0);
  const to = Math.max(end, from + 1e-3);
  return { from, to: running ? ROOM_AHEAD ** Math.ceil(Math.log(to) / Math.log(ROOM_AHEAD)) : to };
}

/** Numbers of retraces, and of compilations and mere lowerings without a trace. */
export interface Repeats {
  retraces: number;
  recompiled: number;
  relowered: number;
}

/** The repeats of a function. A lowering and its compilation count as one. Every count on the page uses this; in the
 * kernel it is `session.counts.repeats_in`. */
export const repeatsOf = ({ retraces, relowerings, recompiles }: Counted): Repeats => ({
  retraces,
  recompiled: recompiles,
  relowered: Math.max(0, relowerings - recompiles),
});

/** The repeats of all functions. */
export function repeatsIn({ functions }: Pick<Log, 'functions'>): Repeats {
  const each = functions.map(repeatsOf);
  const sum = (of: keyof Repeats) => each.reduce((total, one) => total + one[of], 0);
  return { retraces: sum('retraces'), recompiled: sum('recompiled'), relowered: sum('relowered') };
}

/** The number of repeats of any kind. */
export const timesOf = ({ retraces, recompiled, relowered }: Repeats): number =>
  retraces + recompiled + relowered;

/** The trace of an event's program: for a lowering or compilation the trace before it; for a trace, or an event
 * without one, the event itself. */
export function traceOf(log: Log, event: Event): Event {
  return log.events.find(({ number }) => number === event.of) ?? event;
}

/** The trace that an event is compared with: the one that its reason refers to, else the one before it. */
export const earlierTrace = (log: Log, event: Event): Event | null =>
  measuredAgainst(log, event) ?? previousTrace(log, event);

/** The earlier trace of the function that an event's reason refers to; null if it is not known, or no longer listed. */
export function measuredAgainst(log: Log, event: Event): Event | null {
  const { against } = traceOf(log, event);
  const isIt = ({ number, kind, error }: Event) =>
    number === against && kind === 'trace' && error === null;
  return log.events.find(isIt) ?? null;
}

/** The last trace before an event's own that has the same function and did not fail; null if there is none. */
export function previousTrace(log: Log, event: Event): Event | null {
  const own = traceOf(log, event);
  const key = keyOf(own);
  const earlier = log.events.filter(
    (one) =>
      one.kind === 'trace' && one.error === null && keyOf(one) === key && inTime(one, own) < 0,
  );
  return earlier.sort(inTime).at(-1) ?? null;
}

/** A sentence that says why an event's program cannot be shown; empty if it can. */
export function whyNoProgram({ kind, error }: Event, kernel: boolean): string {
  if (kind === 'trace' && error !== null) return __('The trace failed: there is no program');
  return kernel ? '' : __('This log contains no programs, and no running kernel has them');
}

/** The seconds of an event, including the lowering and compilation that followed it. */
export const secondsWith = (log: Log, event: Event): number =>
  [event, ...followersOf(log, event)].reduce((sum, { seconds }) => sum + seconds, 0);

/** The lowering and the compilation that followed a trace. */
export const followersOf = (log: Log, trace: Event): Event[] =>
  log.events.filter(({ of, again }) => of === trace.number && !again);

/** The name of the count of repetitions, by kind of event. */
const REPETITIONS = new Map<string, 'retraces' | 'relowerings' | 'recompiles'>([
  ['trace', 'retraces'],
  ['lower', 'relowerings'],
  ['compile', 'recompiles'],
]);

/** The number of a repetition and their total: `[3, 9]` for the third of nine retraces (or relowerings, or
 * recompilations). Null for the first time, and for events that are not listed. */
export function ordinalOf(log: Log, event: Event): [number, number] | null {
  const byNumber = ordinals.get(log.events) ?? ordinalsOf(log);
  ordinals.set(log.events, byNumber);
  return byNumber.get(event.number) ?? null;
}

const ordinals = new WeakMap<Log['events'], Ordinals>();
type Ordinals = ReadonlyMap<number, [number, number]>;

function ordinalsOf(log: Log): Ordinals {
  const late = log.events[gapOf(log)]?.number ?? Infinity;
  const indexOf = functionIndex(log);
  const repeated = log.events.filter((event) => event.again);
  const alike = gather(repeated, (event) => `${event.kind} ${keyOf(event)}`);
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

/** The index of the event before which events are missing from the list: the largest gap in the event numbers. */
export function gapOf({ events, omitted }: Log): number {
  if (omitted === 0) return events.length;
  let [at, leap] = [events.length, 0];
  for (let index = 1; index < events.length; index++) {
    const by = events[index]!.number - events[index - 1]!.number;
    if (by > leap) [at, leap] = [index, by];
  }
  return at;
}

/** The events of each lane, in the order of arrow keys: lanes as they are drawn, events by start. */
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

/** A key that finds a cause again in a newer log: the function, the kind of event, and the changes with their places. */
export function causeKey({ functions }: Log, { function: index, kind, reason }: Cause): string {
  const one = functions[index];
  return JSON.stringify([one ? keyOf(one) : '', kind, changesKey(reason)]);
}

const changesKey = (reason: readonly Change[]) => reason.map(({ kind, where }) => [kind, where]);

/** The listed events of a cause, in the order in which they ended. */
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

/** Guesses by the key of a call. */
export type Guesses = ReadonlyMap<string, Guess>;

/** A call about which the reader is asked. */
export interface AskedCall {
  key: string;
  /** The function's name. */
  name: string;
  call: CacheCall;
}

/** The most calls that the reader is asked about. */
const MOST = 24;

/** The keys of calls that a table lists as one because they are alike. */
export const keysOf = (table: number, call: number, { times }: CacheCall): string[] =>
  Array.from({ length: Math.min(times, MOST) }, (_, index) => `${table}/${call}/${index}`);

/** The calls that a log's caches answered or that were traced, in the order of their functions. */
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

/** The number of right guesses, and of all guesses. */
export function score(log: Log, guesses: Guesses): { right: number; all: number } {
  const guessed = asked(log).filter(({ key }) => guesses.has(key));
  return {
    right: guessed.filter(({ key, call }) => guesses.get(key) === call.end).length,
    all: guessed.length,
  };
}

import type { Function as Counted, Event, Log } from '../../schema';
import { count } from '../parts';
import { earlierTrace, ordinalOf, previousTrace } from './events';
import { timeText } from './time';
import { told } from './told';

/** `3 functions · 12 traces, 9 again · 612 hits`. */
export function totalsText({ functions }: Log): string {
  const sum = (of: (one: Counted) => number) =>
    functions.reduce((total, one) => total + of(one), 0);
  const [traces, retraces] = [sum((one) => one.traces), sum((one) => one.retraces)];
  const [relowered, recompiled] = [sum((one) => one.relowerings), sum((one) => one.recompiles)];
  const hits = functions.map(hitsOf).filter((one) => one !== null);
  return [
    count(functions.length, 'function'),
    `${count(traces, 'trace')}${retraces > 0 ? `, ${againText(retraces, traces)}` : ''}`,
    ...(recompiled > 0 ? [`${number(recompiled)} compiled again`] : []),
    ...(recompiled === 0 && relowered > 0 ? [`${number(relowered)} lowered again`] : []),
    ...(hits.length > 0
      ? [
          count(
            hits.reduce((a, b) => a + b),
            'hit',
          ),
        ]
      : []),
  ].join(' · ');
}

/** How many calls of a function JAX's caches knew; null where they were not counted. */
const hitsOf = ({ hits }: Counted): number | null => hits?.reduce((a, b) => a + b, 0) ?? null;

const number = (value: number): string => value.toLocaleString('en');

const againText = (again: number, all: number): string =>
  again === all ? (all === 1 ? 'again' : 'all again') : `${number(again)} again`;

/** `and 12 traces of JAX's own functions, 80 ms`; empty where there were none. */
export function apartText({ apart }: Log): string {
  const { traces, lowerings, compiles, seconds } = apart;
  const most = Math.max(traces, lowerings, compiles);
  if (most === 0) return '';
  const what =
    traces > 0
      ? count(traces, 'trace')
      : compiles > 0
        ? count(compiles, 'compilation')
        : count(lowerings, 'lowering');
  return `and ${what} of JAX's own functions, ${timeText(seconds)}`;
}

/** `7 traces, 5 again, 612 hits`. */
export function countsText(one: Counted): string {
  const { traces, retraces, compiles, recompiles, relowerings } = one;
  const parts =
    traces > 0 ? [count(traces, 'trace')] : compiles > 0 ? [`${compiles} compiled`] : [];
  const again = retraces || recompiles || relowerings;
  if (again > 0) parts.push(againText(again, retraces > 0 ? traces : Infinity));
  const hits = hitsOf(one);
  if (hits !== null) parts.push(count(hits, 'hit'));
  return parts.join(', ');
}

const NAMES = new Map([
  ['trace', ['trace', 'retrace']],
  ['lower', ['lowering', 'lowered again']],
  ['compile', ['compilation', 'compiled again']],
]);

/** What an event is: `retrace 3 of 9`, `first trace`, `compilation`. */
export function whatText(log: Log, event: Event): string {
  const [once = event.kind, again = ''] = NAMES.get(event.kind) ?? [];
  const ordinal = ordinalOf(log, event);
  if (ordinal) return `${again} ${number(ordinal[0])} of ${number(ordinal[1])}`;
  if (event.again) return again;
  return event.kind === 'trace' ? 'first trace' : once;
}

/** What an event's program is compared with: `the one before`, `the first trace`, `retrace 2 of 9`. */
export function earlierText(log: Log, event: Event): string {
  const earlier = earlierTrace(log, event);
  if (!earlier || earlier === previousTrace(log, event)) return 'the one before';
  return earlier.again ? whatText(log, earlier) : 'the first trace';
}

/** How long an event took; JAX does not say it of one that it does not announce. */
export const tookText = ({ implied, seconds }: Event): string =>
  implied && seconds === 0 ? 'time not known' : timeText(seconds);

/** An event in one line: `step, retrace 3 of 9, x: f32[8→5, 32], 0.14 s`. */
export function eventText(log: Log, event: Event): string {
  const reason = event.again ? told(event.reason) : '';
  return [
    event.name,
    whatText(log, event),
    ...(reason === '' ? [] : [reason]),
    tookText(event),
    ...(event.cached ? ['from the persistent cache'] : []),
    ...(event.error === null ? [] : [`ended by ${event.error}`]),
  ].join(', ');
}

/** One event in one line, of many how many of which kind: `31 events: 20 traces, 11 lowerings,
 * 18 again, 0.4 s`. */
export function blockText(log: Log, events: readonly [Event, ...Event[]]): string {
  if (events.length === 1) return eventText(log, events[0]);
  const kinds = [...NAMES].flatMap(([kind, [once = kind]]) => {
    const own = events.filter((event) => event.kind === kind).length;
    return own > 0 ? [count(own, once)] : [];
  });
  const again = events.filter((event) => event.again).length;
  const seconds = events.reduce((sum, event) => sum + event.seconds, 0);
  const parts = [...kinds, ...(again > 0 ? [`${number(again)} again`] : []), timeText(seconds)];
  return `${events[0].name}: ${parts.join(', ')}`;
}

/** The sentences of a log: totals, events, times of a profiled cell, caches, and the legend of the
 * timeline. */
import {
  earlierTrace,
  ordinalOf,
  previousTrace,
  type Repeats,
  repeatsIn,
  repeatsOf,
  traceOf,
  type Wanted,
} from '../../facts/events/log-events';
import { placeOf, timeText } from '../../facts/text/describe';
import { __, _n, thousands } from '../../language';
import type {
  CacheCall,
  CacheTable,
  CellTimes,
  Function as Counted,
  Event,
  Log,
  Op,
  PythonLoop,
  RanProgram,
} from '../../schema';
import { reasonText } from './changes';

/** `3 functions · 12 traces (9 retraces) · 612 hits`. */
export function totalsText({ functions }: Log): string {
  const traces = functions.reduce((total, one) => total + one.traces, 0);
  const repeats = repeatsIn({ functions });
  const hits = functions.map(hitsOf).filter((one) => one !== null);
  return [
    _n('%1 function', '%1 functions', functions.length),
    tracesText(traces, repeats.retraces),
    ...remadeTexts(repeats),
    ...(hits.length > 0 ? [hitsText(hits.reduce((a, b) => a + b))] : []),
  ].join(' · ');
}

/** The compilations, and the lowerings alone, that were repeated without a trace. */
export const remadeTexts = ({ recompiled, relowered }: Omit<Repeats, 'retraces'>): string[] => [
  ...(recompiled > 0 ? [__('%1 compiled again', thousands(recompiled))] : []),
  ...(relowered > 0 ? [__('%1 lowered again', thousands(relowered))] : []),
];

/** `1 retrace · 2 compiled again`, the repeats in the words of the log's first line. */
export function repeatsText(repeats: Repeats): string {
  const remade = remadeTexts(repeats);
  const retraced = repeats.retraces > 0 || remade.length === 0;
  return [...(retraced ? [retracesText(repeats.retraces)] : []), ...remade].join(' · ');
}

/** The number of calls that JAX's caches answered; null if they were not counted. */
const hitsOf = ({ hits }: Counted): number | null => hits?.reduce((a, b) => a + b, 0) ?? null;

/** `12 traces (9 retraces)`. */
function tracesText(traces: number, retraces = 0): string {
  const text = _n('%1 trace', '%1 traces', traces);
  return retraces > 0 ? __('%1 (%2)', text, retracesText(retraces)) : text;
}

export const retracesText = (retraces: number): string => _n('%1 retrace', '%1 retraces', retraces);

const loweringsText = (lowerings: number): string => _n('%1 lowering', '%1 lowerings', lowerings);
const hitsText = (hits: number): string => _n('%1 hit', '%1 hits', hits);

/** Compilations outside of the reader's functions, `11 compilations op by op, 80 ms`, and traces
 * within JAX and libraries. Empty if there are none. */
export function outsideText(log: Log): string {
  const { compiles, seconds } = totalOf(log);
  const within = log.apart.traces - log.ops.reduce((sum, { traces }) => sum + traces, 0);
  return [
    ...(compiles > 0 ? [__('%1 op by op, %2', compiledText(compiles), timeText(seconds))] : []),
    ...(within > 0 ? [__('%1 within JAX and libraries', tracesText(within))] : []),
  ].join(' · ');
}

/** `7 traces (5 retraces), 612 hits`. */
export function countsText(one: Counted): string {
  const { traces, retraces, compiles } = one;
  const parts =
    traces > 0 ? [tracesText(traces, retraces)] : compiles > 0 ? [__('%1 compiled', compiles)] : [];
  parts.push(...remadeTexts(repeatsOf(one)));
  const hits = hitsOf(one);
  if (hits !== null) parts.push(hitsText(hits));
  return parts.join(', ');
}

/** The words for each kind of event, for the first and for a repeat. */
const names = () =>
  new Map([
    ['trace', { once: __('first trace'), again: __('retrace') }],
    ['lower', { once: __('lowering'), again: __('lowered again') }],
    ['compile', { once: __('compilation'), again: __('compiled again') }],
  ]);

/** `retrace 3 of 9`, `first trace`, `compilation`. */
export function whatText(log: Log, event: Event): string {
  const { once, again } = names().get(event.kind) ?? { once: event.kind, again: '' };
  const ordinal = ordinalOf(log, event);
  if (ordinal) return __('%1 %2 of %3', again, thousands(ordinal[0]), thousands(ordinal[1]));
  return event.again ? again : once;
}

/** The trace that an event's program is compared with: `the one before`, `the first trace`, `retrace
 * 2 of 9`. */
export function earlierText(log: Log, event: Event): string {
  const earlier = earlierTrace(log, event);
  if (!earlier || earlier === previousTrace(log, event)) return __('the one before');
  return earlier.again ? whatText(log, earlier) : __('the first trace');
}

/** The time that an event took. JAX does not report it for an event that it does not announce. */
export function tookText({ implied, looked, seconds }: Event): string {
  if (looked) return __('traced earlier');
  return implied && seconds === 0 ? __('time not known') : timeText(seconds);
}

/** The reason why a trace took no time here; empty for other events. */
export const tracedEarlierText = ({ looked }: Event): string =>
  looked ? __('already traced when jaxviz showed it, so this call did not retrace it') : '';

/** The error of code that the user interrupted. */
const INTERRUPT = 'KeyboardInterrupt';

/** `interrupted`, `ended by TypeError at cell 3:4`; empty for an event or a log without an error. */
export function endedText({ error, failed }: Pick<Event, 'error' | 'failed'>): string {
  if (error === null) return '';
  if (error === INTERRUPT) {
    return failed ? __('interrupted at %1', placeOf(failed)) : __('interrupted');
  }
  return failed ? __('ended by %1 at %2', error, placeOf(failed)) : __('ended by %1', error);
}

/** `It failed with TypeError.` */
export const failedText = (error: string): string =>
  error === INTERRUPT ? __('It was interrupted.') : __('It failed with %1.', error);

/** An event in one line: `step, retrace 3 of 9, x: f32[8→5, 32], 0.14 s`. */
export function eventText(log: Log, event: Event): string {
  const reason = event.again ? reasonText(event.reason) : '';
  return [
    event.name,
    whatText(log, event),
    ...(reason === '' ? [] : [reason]),
    tracedEarlierText(event) || tookText(event),
    ...(event.cached ? [persistentHitText(event)] : []),
    ...(event.error === null ? [] : [endedText(event)]),
  ].join(', ');
}

export const compiledText = (compiles: number): string =>
  _n('%1 compilation', '%1 compilations', compiles);

const COUNT_TEXTS = new Map([
  ['trace', tracesText],
  ['lower', loweringsText],
  ['compile', compiledText],
]);

/** One event in one line; several as the number of each kind: `31 events: 20 traces, 11 lowerings,
 * 18 repeated, 0.4 s`. */
export function blockText(log: Log, events: readonly [Event, ...Event[]]): string {
  if (events.length === 1) return eventText(log, events[0]);
  const kinds = [...COUNT_TEXTS].flatMap(([kind, countedText]) => {
    const own = events.filter((event) => event.kind === kind).length;
    return own > 0 ? [countedText(own)] : [];
  });
  const again = events.filter((event) => event.again).length;
  const seconds = events.reduce((sum, event) => sum + event.seconds, 0);
  const parts = [
    ...kinds,
    ...(again > 0 ? [__('%1 repeated', thousands(again))] : []),
    timeText(seconds),
  ];
  return `${events[0].name}: ${parts.join(', ')}`;
}

/** The name of an opened program: `step · retrace 3 of 9`, `step · compared: first trace → retrace 1
 * of 9`. */
export function wantedName(log: Log, wanted: Wanted): string {
  if ('measured' in wanted) {
    const ran = log.profile?.programs.find(({ number }) => number === wanted.measured);
    return ran ? `${ran.name} · ${callsText(ran)}` : __('A program');
  }
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

/** The trace with that number, or the trace of the lowering or compilation with that number. */
function traceAt(log: Log, number: number): Event | null {
  const event = log.events.find((one) => one.number === number);
  return event ? (traceOf(log, event) ?? event) : null;
}

/** The kinds of marks on a timeline. */
export type TimelineMark =
  | 'trace'
  | 'lower'
  | 'compile'
  | 'again'
  | 'error'
  | 'cached'
  | 'implied'
  | 'hits'
  | 'gap';

/** The marks that occur in a log, in the order of its legend. */
export function legendOf(log: Log): { mark: TimelineMark; text: string }[] {
  const any = (test: (event: Event) => boolean) => log.events.some(test);
  const marks: [TimelineMark, string, boolean][] = [
    ['trace', __('trace'), true],
    ['lower', __('lower'), true],
    ['compile', __('compile'), true],
    ['again', __('repeated'), any(({ again }) => again)],
    ['error', __('failed'), any(({ error }) => error !== null)],
    ['cached', __('from the persistent cache'), any(({ cached }) => cached === true)],
    ['implied', __('not announced, time not known'), any(({ implied }) => implied)],
    ['hits', __('hits: calls that were cached'), log.functions.some(({ hits }) => hits !== null)],
    ['gap', __('%1 not listed', thousands(log.omitted)), log.omitted > 0],
  ];
  return marks.flatMap(([mark, text, is]) => (is ? [{ mark, text }] : []));
}

/** The ops that were compiled one by one, longest time first. */
export const opsOf = ({ ops }: Log): Op[] => [...ops].sort((a, b) => b.seconds - a.seconds);

/** The number of op-by-op compilations, and their time. */
export function totalOf({ ops }: Log): { compiles: number; seconds: number } {
  const sum = (of: (op: Op) => number) => ops.reduce((total, op) => total + of(op), 0);
  return { compiles: sum((op) => op.compiles), seconds: sum((op) => op.seconds) };
}

/** The reason why an op was compiled several times: `5 shapes, 2 dtypes`; empty if it is unknown. */
export const varietiesText = ({ reason }: Op): string =>
  reason.map(({ kind, count }) => VARIETIES.get(kind)?.(count) ?? `${count} ${kind}`).join(', ');

const VARIETIES = new Map([
  ['program', (count: number) => _n('%1 program', '%1 programs', count)],
  ['shape', (count: number) => _n('%1 shape', '%1 shapes', count)],
  ['dtype', (count: number) => _n('%1 dtype', '%1 dtypes', count)],
  ['weak type', (count: number) => _n('%1 weak type', '%1 weak types', count)],
  ['static value', (count: number) => _n('%1 static value', '%1 static values', count)],
  ['placement', (count: number) => _n('%1 placement', '%1 placements', count)],
]);

/** `jnp.sin, compiled twice, 12 ms`. */
export const opText = ({ name, compiles, seconds }: Op): string =>
  [name, compiledText(compiles), timeText(seconds)].join(', ');

export const firstRunsText = (): string =>
  __('Each op compiles on its first run; repeats are not recorded.');

/** The number of measured runs: `20 runs`, `runs 1–7,100 of 20,000`. */
export const callsText = ({ calls, of }: RanProgram): string =>
  of === null
    ? _n('%1 run', '%1 runs', calls)
    : __('runs 1–%1 of %2', thousands(calls), thousands(of));

/** A program as the tooltip of its runs. */
export const ranText = (program: RanProgram): string =>
  `${program.name}: ${callsText(program)}, ${timeText(program.seconds)}`;

/** A part of a cell's time. */
export interface Part {
  /** Names the colour of the part. */
  name: 'running' | 'making' | 'moving' | 'rest';
  label: string;
  seconds: number;
}

/** The parts of a cell's time, in counting order. */
export const partsOf = ({ running, making, moving, rest }: CellTimes): Part[] => [
  { name: 'running', label: __('programs ran'), seconds: running },
  { name: 'making', label: __('JAX traced and compiled, while nothing ran'), seconds: making },
  { name: 'moving', label: __('arrays moved'), seconds: moving },
  { name: 'rest', label: __('Python and waiting'), seconds: rest },
];

/** The measured part of a cell: all of it, or its beginning. */
export function measuredText({ seconds, ended }: CellTimes): string {
  const time = timeText(seconds);
  switch (ended) {
    case 'time':
      return __('Measured: the first %1, then the profiler ended, after 10 s', time);
    case 'events':
      return __('Measured: the first %1, then the profiler ended, after 200,000 events', time);
    case 'memory':
      return __('Measured: the first %1, then the profiler ended, after 200 MB of memory', time);
    default:
      return __('Measured: all of %1', time);
  }
}

/** A Python loop that ran many small programs, and what to do. */
export const loopText = ({ programs, seconds, running }: PythonLoop): string =>
  __(
    'This Python loop ran %1 small programs outside jit in %2; XLA ran for %3 of it. %4 makes one program of its body.',
    thousands(programs),
    timeText(seconds),
    timeText(running),
    'jax.jit',
  );

/** The time before the first program and after the last. */
export const aroundText = ({ before, after }: CellTimes): string =>
  __('%1 before the first program, %2 after the last', timeText(before), timeText(after));

/** `from the persistent cache, which saved at least 1.2 s`: JAX stores compile times in whole
 * seconds. Empty for a compilation that was not in the cache. */
export function persistentHitText({ cached, saved }: Event): string {
  if (!cached) return '';
  return saved !== null && saved > 0
    ? __('from the persistent cache, which saved at least %1', timeText(saved))
    : __('from the persistent cache');
}

/** `persistent cache: 3 hits, 1 miss, at least 4.5 s saved`; empty if no compilation used the cache. */
export function persistentText({ events, omitted }: Log): string {
  const asked = events.filter(({ cached }) => cached !== null);
  if (asked.length === 0) return '';
  const hits = asked.filter(({ cached }) => cached);
  const saved = hits.reduce((sum, event) => sum + Math.max(0, event.saved ?? 0), 0);
  const misses = asked.length - hits.length;
  const parts = [
    ...(hits.length > 0 ? [_n('%1 hit', '%1 hits', hits.length)] : []),
    ...(misses > 0 ? [_n('%1 miss', '%1 misses', misses)] : []),
    ...(saved > 0 ? [__('at least %1 saved', timeText(saved))] : []),
  ].join(', ');
  return omitted > 0
    ? __('persistent cache, of the events listed: %1', parts)
    : __('persistent cache: %1', parts);
}

/** `3 programs · 9 hits`. */
export function cacheText({ rows, omitted, hits }: CacheTable): string {
  const programs = _n('%1 program', '%1 programs', rows.length + omitted);
  return hits === null ? programs : `${programs} · ${_n('%1 hit', '%1 hits', hits)}`;
}

const ENDS = new Map([
  ['hit', () => __('hit')],
  ['miss', () => __('miss')],
  ['compiled again', () => __('compiled again')],
  ['traced earlier', () => __('traced earlier')],
]);

/** The result of a call, and the number of repeats: `hit ×3`. */
export const endText = ({ end, times }: CacheCall): string =>
  `${ENDS.get(end)?.() ?? end}${times > 1 ? ` ×${thousands(times)}` : ''}`;

/** Sentences on what a table leaves out, and on its marks. */
export function cacheNotes({ rows, calls, more, omitted, hits }: CacheTable): string[] {
  const listed = calls.reduce((sum, { end, times }) => sum + (end === 'hit' ? times : 0), 0);
  const left = (hits ?? 0) - listed;
  return [
    ...(rows.some(({ differs }) => differs.length > 0)
      ? [__('Highlighted: what differs from the most similar earlier row.')]
      : []),
    ...(hits === null ? [__('To count cached calls too, use %1.', '%%jaxviz --hits')] : []),
    ...(left > 0 ? [_n('%1 hit is not listed.', '%1 hits are not listed.', left)] : []),
    ...(more > 0 ? [_n('%1 column is left out.', '%1 columns are left out.', more)] : []),
    ...(omitted > 0 ? [_n('%1 program is left out.', '%1 programs are left out.', omitted)] : []),
  ];
}

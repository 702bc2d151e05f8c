/** The lists of the panel: events, newest first, and functions, filtered and sorted, and the program
 * that each row opens. */
import { repeatsOf, timesOf, type WantedEvents } from '../../facts/events/log-events';
import { inTime, keyOf } from '../../facts/events/log-lanes';
import { EVENT_KINDS } from '../../facts/kinds';
import { placeOf } from '../../facts/text/describe';
import type { Capture, Cause, Function as Counted, Event, Frame, Log, Panel } from '../../schema';

/** Which events are listed. */
export interface EventFilter {
  kinds: ReadonlySet<string>;
  /** Lists only repeats: retraces, and what was lowered or compiled again. */
  again: boolean;
  /** The key of the only function whose events are listed; empty for all functions. */
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
  /** True for the first row of a call by the user. */
  begins: boolean;
  /** True if its trace is listed below it: then the trace has the name of the function. */
  follows: boolean;
}

/** The rows of a list of events. One call may lead to a trace, inner traces, a lowering and a
 * compilation: their rows are together. */
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

/** The number of filtered events of `log` that are newer than all events of an earlier log. */
export function countNewer(log: Log, earlier: Log, filter: EventFilter): number {
  const last = earlier.events.reduce((last, { number }) => Math.max(last, number), -1);
  return filteredEvents(log, filter).filter(({ number }) => number > last).length;
}

/** The log to list: the frozen one while the reader scrolls, unless it is of another kernel or the
 * log was cleared since. */
export const listedLog = (log: Log, frozen: Log | null): Log =>
  frozen !== null && frozen.start === log.start ? frozen : log;

/** The functions that have events in a log, sorted by name. */
export function functionsOf({ events }: Log): { key: string; name: string }[] {
  const names = new Map(events.map((event) => [keyOf(event), event.name]));
  return [...names]
    .map(([key, name]) => ({ key, name }))
    .sort((a, b) => a.name.localeCompare(b.name));
}

/** All successful traces of the same function, earliest first. */
export function tracesLike({ events }: Log, one: Event): Event[] {
  const key = keyOf(one);
  return events
    .filter((event) => event.kind === 'trace' && event.error === null && keyOf(event) === key)
    .sort(inTime);
}

/** A function that JAX traced in the kernel, that a cell captured, or both. */
export interface Row {
  key: string;
  name: string;
  definition: Frame | null;
  /** Its counts; null if it was only captured. */
  counted: Counted | null;
  /** The cause of its retraces that took most time; of a function without one in the log, its latest reason. */
  why: Pick<Cause, 'reason' | 'more' | 'hint' | 'seconds'> | null;
  /** Its latest capture; null if it was only traced. */
  capture: Capture | null;
  /** Its latest successful trace, if the log still has it. */
  latest: Event | null;
}

/** The program that is open in the panel: of one or two events of the log, or of a capture by its
 * key. */
export type Opened = WantedEvents | { capture: string; name: string };

/** A row for each function, also if it was both traced and captured. */
export function rowsOf({ log, captures }: Panel): Row[] {
  const rows = new Map<string, Row>();
  for (const counted of log.functions) {
    const { name, definition } = counted;
    const key = keyOf(counted);
    const why = { ...counted, more: 0, seconds: -1 };
    rows.set(key, { key, name, definition, counted, why, capture: null, latest: null });
  }
  for (const cause of log.causes) {
    const row = rows.get(keyOf(log.functions[cause.function]!));
    if (row && cause.reason.length > 0 && cause.seconds > (row.why?.seconds ?? -1)) row.why = cause;
  }
  for (const event of log.events) {
    const row = rows.get(keyOf(event));
    if (row && event.kind === 'trace' && event.error === null) row.latest = event;
  }
  for (const capture of captures) {
    const row = [...rows.values()].find((one) => isSameFunction(one, capture));
    if (row) {
      row.capture = capture;
      continue;
    }
    const { name, definition } = capture;
    const key = JSON.stringify(['captured', keyOf(capture)]);
    rows.set(key, { key, name, definition, counted: null, why: null, capture, latest: null });
  }
  return [...rows.values()];
}

/** The most lines of decorators above a `def`. */
const MOST_DECORATOR_LINES = 20;

/** Compares by place. JAX reports the line of the first decorator, a capture that of the `def`, so
 * the lines may differ a little. */
function isSameFunction({ name, definition: row }: Row, capture: Capture): boolean {
  const { definition } = capture;
  if (name !== capture.name || !row || !definition) return false;
  const below = definition.line - row.line;
  const isNear = below >= 0 && below <= MOST_DECORATOR_LINES;
  return row.cell === definition.cell && row.file === definition.file && isNear;
}

/** The program that a row opens: of its latest trace, else of its capture; null if it has neither. */
export function openedBy({ latest, capture }: Row): Opened | null {
  if (latest) return { event: latest.number };
  return capture && { capture: capture.key, name: capture.name };
}

/** Opens the comparison of two traces, in the order in which they began. */
export function comparisonOf(one: Event, other: Event): Opened {
  const [before, after] = one.start <= other.start ? [one, other] : [other, one];
  return { before: before.number, after: after.number };
}

/** The key of the row whose program is open; null if no row's is. For a comparison, the row of the
 * later trace. */
export function keyOpened(
  { log }: Panel,
  rows: readonly Row[],
  opened: Opened | null,
): string | null {
  if (!opened) return null;
  if ('capture' in opened) {
    return rows.find(({ capture }) => capture?.key === opened.capture)?.key ?? null;
  }
  const wanted = 'event' in opened ? opened.event : opened.after;
  const event = log.events.find(({ number }) => number === wanted);
  return event ? keyOf(event) : null;
}

/** The rows whose name, file or cell contains `find`, sorted. Equal rows are sorted by name. */
export function sorted(
  rows: readonly Row[],
  sort: FunctionSort,
  find: string,
  reversed: boolean = false,
): Row[] {
  const wanted = find.trim().toLowerCase();
  const found = rows.filter((row) => searchText(row).includes(wanted));
  found.sort((a, b) => COMPARE[sort](a, b) || a.name.localeCompare(b.name));
  return reversed ? found.reverse() : found;
}

/** The text that the filter searches: `step cell 3, line 4 cell 3`. */
function searchText({ name, definition }: Row): string {
  const place = definition ? `${placeOf(definition)} ${definition.file}` : '';
  return `${name} ${place}`.toLowerCase();
}

const largestFirst = (value: (row: Row) => number) => (a: Row, b: Row) => value(b) - value(a);

/** The orders of the functions. */
const COMPARE = {
  time: largestFirst(({ counted }) => counted?.seconds ?? -1),
  retraces: largestFirst(({ counted }) => (counted ? timesOf(repeatsOf(counted)) : -1)),
  traces: largestFirst(({ counted }) => counted?.traces ?? -1),
  compiles: largestFirst(({ counted }) => counted?.compiles ?? -1),
  latest: largestFirst(({ latest, capture }) => latest?.start ?? capture?.count ?? 0),
  name: () => 0,
};

export type FunctionSort = keyof typeof COMPARE;
export const FUNCTION_SORTS = Object.keys(COMPARE) as FunctionSort[];

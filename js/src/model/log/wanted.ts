import type { Event, Log } from '../../schema';

/** What a reader of a log wants to see of the kernel's: events by their numbers. */
export type Wanted = { event: number } | { before: number; after: number };

/** `step · trace 3 of 9`, `step · compared: trace 2 → trace 3`. */
export function wantedName(log: Log, wanted: Wanted): string {
  if ('event' in wanted) {
    const found = traceOf(log, wanted.event);
    return found
      ? `${found.name} · trace ${placeOf(log, found)} of ${tracesOf(log, found)}`
      : 'program';
  }
  const before = traceOf(log, wanted.before);
  const after = traceOf(log, wanted.after);
  if (!before || !after) return 'compared';
  const both = isSame(before, after) ? `${after.name} · ` : '';
  const called = (one: Event) => `${both === '' ? `${one.name} ` : ''}trace ${placeOf(log, one)}`;
  return `${both}compared: ${called(before)} → ${called(after)}`;
}

/** The trace with that number, or that of a lowering or compilation with it. */
function traceOf({ events }: Log, number: number): Event | undefined {
  const found = events.find((one) => one.number === number);
  if (!found || found.kind === 'trace') return found;
  return events.find((one) => one.number === found.of) ?? found;
}

/** Which trace of its function it is, from 1; those that are not listed lie in the middle. */
function placeOf(log: Log, trace: Event): number {
  const { events, omitted } = log;
  const own = events.filter((one) => one.kind === 'trace' && isSame(one, trace));
  const place = own.indexOf(trace) + 1;
  const isEarly = omitted === 0 || events.indexOf(trace) < events.length / 2;
  return isEarly ? place : tracesOf(log, trace) - (own.length - place);
}

function tracesOf({ functions, events }: Log, trace: Event): number {
  const counted = functions.find((one) => isSame(one, trace))?.traces;
  return counted ?? events.filter((one) => one.kind === 'trace' && isSame(one, trace)).length;
}

type Named = Pick<Event, 'name' | 'definition'>;

const isSame = (one: Named, other: Named): boolean =>
  one.name === other.name &&
  one.definition?.file === other.definition?.file &&
  one.definition?.line === other.definition?.line &&
  one.definition?.cell === other.definition?.cell;

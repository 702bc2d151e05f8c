import type { Function as Counted, Event, Log } from '../../schema';
import type { Span } from './time-scale';

/** What was made in one go: a trace with the lowering and the compilation that followed it, or one
 * of these alone. */
export interface Call extends Span {
  /** In the order in which they began. */
  events: readonly [Event, ...Event[]];
}

/** Calls in the order in which they began. They follow one another, but on the last track of a
 * lane, where more threads are at work than there is room for. */
export type Track = readonly Call[];

/** A function's line of the timeline. */
export interface Lane {
  /** Index into the log's functions. */
  index: number;
  function: Counted;
  tracks: readonly Track[];
}

/** Lines of calls at the same time that a function has at most. */
export const MOST_TRACKS = 4;

const known = new WeakMap<Log['events'], { log: Log; lanes: readonly Lane[] }>();

/** A lane for each function, those that took most time first. */
export function lanesOf(log: Log): readonly Lane[] {
  const cached = known.get(log.events);
  if (cached?.log.functions === log.functions && cached.log.start === log.start) {
    return cached.lanes;
  }
  const { functions } = log;
  const events = functions.map((): Event[] => []);
  const indexOf = functionIndex(log);
  for (const event of log.events) events[indexOf(event)]?.push(event);
  const lanes = functions.map((one, index): Lane => {
    return { index, function: one, tracks: tracksOf(callsOf(events[index] ?? [], log.start)) };
  });
  lanes.sort((a, b) => b.function.seconds - a.function.seconds || a.index - b.index);
  known.set(log.events, { log, lanes });
  return lanes;
}

/** Which function of the log an event is of. The kernel sums up the rest of very many functions in
 * the last one. */
export function functionIndex({ functions }: Log): (event: Event) => number {
  const cached = indices.get(functions);
  const found = cached ?? new Map(functions.map((one, index) => [keyOf(one), index]));
  indices.set(functions, found);
  return (event) => found.get(keyOf(event)) ?? functions.length - 1;
}

const indices = new WeakMap<Log['functions'], ReadonlyMap<string, number>>();

/** Functions of one name at one place are one. */
export function keyOf(one: Named): string {
  const cached = keys.get(one);
  if (cached !== undefined) return cached;
  const { name, definition } = one;
  const key = JSON.stringify([
    name,
    definition && [definition.file, definition.line, definition.cell],
  ]);
  keys.set(one, key);
  return key;
}

type Named = Pick<Event, 'name' | 'definition'>;
const keys = new WeakMap<Named, string>();

function callsOf(events: readonly Event[], start: number): Call[] {
  const inOrder = [...events].sort(inTime);
  const calls = new Map<number, [Event, ...Event[]]>();
  for (const event of inOrder) {
    const call = event.of === null || event.again ? undefined : calls.get(event.of);
    if (call) call.push(event);
    else calls.set(event.number, [event]);
  }
  return [...calls.values()].map((events) => ({
    events,
    from: events[0].start - start,
    to: events.reduce((end, event) => Math.max(end, endOf(event)), 0) - start,
  }));
}

/** Each call on the first track that is free. */
function tracksOf(calls: readonly Call[]): Track[] {
  const tracks: Call[][] = [];
  const ends: number[] = [];
  for (const call of calls) {
    const free = ends.findIndex((end) => end <= call.from);
    const track = Math.min(free < 0 ? tracks.length : free, MOST_TRACKS - 1);
    if (track === tracks.length) tracks.push([call]);
    else tracks[track]?.push(call);
    ends[track] = Math.max(ends[track] ?? 0, call.to);
  }
  return tracks;
}

/** The order in which events began. */
export const inTime = (a: Event, b: Event): number => a.start - b.start || a.number - b.number;

/** When an event ended, seconds since 1970. */
export const endOf = ({ start, seconds }: Event): number => start + seconds;

/** Arranges the events of a log on its timeline: an axis of time, a lane for each function, and
 * tracks for calls that overlap in time. */
import type {
  CellTimes,
  Function as Counted,
  Event,
  Log,
  Op,
  PythonLoop,
  RanProgram,
} from '../../schema';
import { cached } from '../maps';
import { momentText } from '../text/describe';

/** A trace with the lowering and the compilation that followed it, or one of these alone. */
export interface Call extends Span {
  /** In the order of their start. */
  events: readonly [Event, ...Event[]];
}

/** Calls in the order of their start. On the last track of a lane they may overlap, if more threads are at work than
 * the lane has tracks. */
export type Track = readonly Call[];

/** The part of the timeline that belongs to one function. */
export interface Lane {
  /** Index into the log's functions. */
  index: number;
  function: Counted;
  tracks: readonly Track[];
}

/** The most tracks of a lane. */
export const MOST_TRACKS = 4;

const laneCache = new WeakMap<Log['events'], { log: Log; lanes: readonly Lane[] }>();

/** A lane for each function, the one with the most time first. */
export function lanesOf(log: Log): readonly Lane[] {
  const before = laneCache.get(log.events);
  if (before?.log.functions === log.functions && before.log.start === log.start) {
    return before.lanes;
  }
  const { functions } = log;
  const events = functions.map((): Event[] => []);
  const indexOf = functionIndex(log);
  for (const event of log.events) events[indexOf(event)]?.push(event);
  const lanes = functions.map((one, index): Lane => {
    return { index, function: one, tracks: tracksOf(callsOf(events[index] ?? [], log.start)) };
  });
  lanes.sort((a, b) => b.function.seconds - a.function.seconds || a.index - b.index);
  laneCache.set(log.events, { log, lanes });
  return lanes;
}

/** Returns a function that finds the index of an event's function in the log. The last function of a very long log
 * stands for all others, so an event of an unlisted one has that index. */
export function functionIndex({ functions }: Log): (event: Event) => number {
  const indices = indicesOf(functions);
  return (event) => indices.get(keyOf(event)) ?? functions.length - 1;
}

const indicesOf = cached(
  (functions: Log['functions']): ReadonlyMap<string, number> =>
    new Map(functions.map((one, index) => [keyOf(one), index])),
);

/** A key for a function: its name and the place of its definition. */
export const keyOf = cached(({ name, definition }: NamedFunction): string =>
  JSON.stringify([name, definition && [definition.file, definition.line, definition.cell]]),
);

type NamedFunction = Pick<Event, 'name' | 'definition'>;

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

/** Puts each call on the first track that is free at its start. */
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

/** Orders events by start. */
export const inTime = (a: Event, b: Event): number => a.start - b.start || a.number - b.number;

/** The end of an event, seconds since 1970. */
export const endOf = ({ start, seconds }: Event): number => start + seconds;

/** One event on a track, or several that are not distinct at this scale. */
export interface Block {
  /** px. */
  x: number;
  width: number;
  /** In the order of their start. */
  events: [Event, ...Event[]];
}

/** The least width of an event, px: narrower ones could not be seen or clicked. */
export const LEAST_WIDTH = 3;
/** The px that an event may be moved to the right to make room for those before it. */
const MOST_SHIFT = 5;

/** The events of a track as blocks that do not overlap, from left to right. */
export function blocksOf(track: Track, scale: Scale, start: number): Block[] {
  const x = (seconds: number) => toPx(scale, seconds - start);
  const blocks: Block[] = [];
  for (const call of track) {
    const last = blocks.at(-1);
    const end = last ? endAt(last) : -Infinity;
    const own = eachOf(call, x, end) ?? [oneOf(call, x, end)];
    const from = x(call.events[0].start);
    if (last && own.length === 1 && joins(last, own[0]!, from)) {
      last.events.push(...call.events);
      last.width = Math.max(end, from + LEAST_WIDTH, x(call.to + start)) - last.x;
    } else blocks.push(...own);
  }
  return blocks;
}

/** A block for each event of a call; null where there is no room for them. */
function eachOf(call: Call, x: (seconds: number) => number, after: number): Block[] | null {
  const blocks: Block[] = [];
  let end = after;
  for (const event of call.events) {
    const from = x(event.start);
    const left = Math.max(from, end);
    if (left - from > MOST_SHIFT) return null;
    end = Math.max(x(endOf(event)), left + LEAST_WIDTH);
    blocks.push({ x: left, width: end - left, events: [event] });
  }
  return blocks;
}

function oneOf({ events }: Call, x: (seconds: number) => number, after: number): Block {
  const left = Math.max(x(events[0].start), after);
  const end = Math.max(left + LEAST_WIDTH, ...events.map((event) => x(endOf(event))));
  return { x: left, width: end - left, events: [...events] };
}

/** True if a call that is one block is merged with the block before it: if it would otherwise be moved too far to the
 * right, or if both are narrow and touch. */
function joins(last: Block, own: Block, from: number): boolean {
  const isNarrow =
    own.width < 2 * LEAST_WIDTH && (last.width < 2 * LEAST_WIDTH || last.events.length > 1);
  return own.x - from > MOST_SHIFT || (isNarrow && from - endAt(last) < 1);
}

/** The right edge of a block, px. */
export const endAt = ({ x, width }: Pick<Block, 'x' | 'width'>): number => x + width;

/** A part of the timeline in which an op was compiled outside of any jitted function, px from its left edge. */
export interface Stretch {
  op: Op;
  left: number;
  width: number;
}

/** The least width of a stretch, px: narrower ones could not be seen. */
const LEAST_STRETCH_WIDTH = 2;

/** The stretches that are in view. */
export const stretchesOf = ({ ops, start }: Log, scale: Scale): Stretch[] =>
  ops.flatMap((op) => inView(op.spans, start, scale).map((place) => ({ op, ...place })));

/** A part of the timeline in which a compiled program ran, px from its left edge. */
export interface RunStretch {
  program: RanProgram;
  left: number;
  width: number;
}

/** The visible runs of programs. */
export const runStretches = ({ programs }: CellTimes, start: number, scale: Scale): RunStretch[] =>
  programs.flatMap((program) =>
    inView(program.spans, start, scale).map((place) => ({ program, ...place })),
  );

/** A part of the timeline in which a Python loop ran programs one by one, px from its left edge. */
export interface LoopStretch {
  loop: PythonLoop;
  left: number;
  width: number;
}

/** The visible parts of Python loops outside jit. */
export const loopStretches = ({ profile, start }: Log, scale: Scale): LoopStretch[] =>
  (profile?.loops ?? []).flatMap((loop) =>
    inView(loop.spans, start, scale).map((place) => ({ loop, ...place })),
  );

/** The visible positions of some spans of time, given as start and end in turn. */
function inView(spans: readonly number[], start: number, scale: Scale) {
  return spans.flatMap((from, index) => {
    if (index % 2 === 1) return [];
    const left = Math.max(0, toPx(scale, from - start));
    const right = Math.min(scale.width, toPx(scale, (spans[index + 1] ?? from) - start));
    if (right < 0 || left > scale.width) return [];
    return [{ left, width: Math.max(LEAST_STRETCH_WIDTH, right - left) }];
  });
}

/** A part of a log's time, in seconds since its start. */
export interface Span {
  from: number;
  to: number;
}

/** A part of a log's time drawn over some width. */
export interface Scale extends Span {
  /** px. */
  width: number;
}

/** The px, from the left edge, of a moment in seconds; negative before the span. */
export const toPx = ({ from, to, width }: Scale, seconds: number): number =>
  ((seconds - from) / (to - from)) * width;

/** The moment, in seconds, at a px from the left edge. */
export const toTime = ({ from, to, width }: Scale, px: number): number =>
  from + (px / width) * (to - from);

/** The shortest span to which one can zoom in, seconds. */
export const SHORTEST_SPAN = 20e-6;

/** A span `factor` times as long, within the whole, in which the moment `at` stays in its place. */
export function zoomed({ from, to }: Span, factor: number, at: number, whole: Span): Span {
  const length = Math.max(SHORTEST_SPAN, (to - from) * factor);
  const part = (at - from) / (to - from);
  return within({ from: at - part * length, to: at + (1 - part) * length }, whole);
}

/** The span moved into the whole; the whole if it is longer. */
export function within({ from, to }: Span, whole: Span): Span {
  const length = to - from;
  if (length >= whole.to - whole.from) return whole;
  const start = Math.max(whole.from, Math.min(from, whole.to - length));
  return { from: start, to: start + length };
}

/** The span moved no farther than needed to show another, with some room around it. */
export function showing(span: Span, wanted: Span, whole: Span): Span {
  const length = span.to - span.from;
  const room = Math.min(0.08 * length, Math.max(0, (length - (wanted.to - wanted.from)) / 2));
  if (wanted.to - wanted.from > length) {
    const around = 0.08 * (wanted.to - wanted.from);
    return within({ from: wanted.from - around, to: wanted.to + around }, whole);
  }
  if (wanted.from < span.from) {
    return within({ from: wanted.from - room, to: wanted.from - room + length }, whole);
  }
  if (wanted.to > span.to) {
    return within({ from: wanted.to + room - length, to: wanted.to + room }, whole);
  }
  return span;
}

/** A labelled moment of the axis. */
export interface Tick {
  px: number;
  text: string;
}

/** The least distance of two ticks, px. */
const TICKS_APART = 72;

/** Ticks at round moments. */
export function ticksOf(scale: Scale): Tick[] {
  const { from, to, width } = scale;
  if (!(width > 0) || !(to > from)) return [];
  const step = roundUp(((to - from) / width) * TICKS_APART);
  const [first, last] = [Math.ceil(from / step - 1e-9), Math.floor(to / step + 1e-9)];
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => {
    const seconds = (first + index) * step;
    return { px: toPx(scale, seconds), text: momentText(seconds, step) };
  });
}

/** The next round number of seconds: 1, 2 or 5 times a power of ten, and above ten seconds the
 * parts of minutes and hours that clocks have. */
function roundUp(seconds: number): number {
  if (seconds > 10) {
    const long = [15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((step) => step >= seconds);
    return long ?? 3600 * Math.ceil(seconds / 3600);
  }
  const power = 10 ** Math.floor(Math.log10(seconds));
  const steps = [1, 2, 5, 10].map((step) => step * power);
  return steps.find((step) => step >= seconds * (1 - 1e-9)) ?? 10 * power;
}

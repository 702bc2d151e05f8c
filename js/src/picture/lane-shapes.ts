/** The shapes of one function's lane of the timeline. The page paints them; the still timeline writes them as SVG. */
import { gapOf } from '../facts/events/log-events';
import {
  type Block,
  blocksOf,
  endAt,
  endOf,
  type Lane,
  type Scale,
  type Tick,
  type Track,
  toPx,
} from '../facts/events/log-lanes';
import { EVENT_KINDS, type EventKind } from '../facts/kinds';
import { timeText } from '../facts/text/describe';
import { type Rect, SMALL, textWidth } from '../layout/measure';
import type { Event, Log } from '../schema';
import {
  cross,
  type Drawn,
  diagonals,
  filled,
  type Label,
  type Line,
  rect,
  type Shape,
  stroked,
  together,
  triangle,
} from './shapes';

/** Heights, px: of the marks above a track, of its blocks, of the strip of calls that were served
 * from JAX's caches, and of the free space around. */
const MARKS_HEIGHT = 9;

const BLOCK_HEIGHT = 14;

const HITS_HEIGHT = 5;

const LANE_PADDING = 7;

/** The height of a lane, px. */
export const laneHeight = ({ tracks, function: { hits } }: Lane): number =>
  2 * LANE_PADDING +
  Math.max(1, tracks.length) * (MARKS_HEIGHT + BLOCK_HEIGHT) +
  (hits ? HITS_HEIGHT + 3 : 0);

/** A lane, and how it is shown. */
export interface LaneView {
  log: Log;
  lane: Lane;
  scale: Scale;
  ticks: readonly Tick[];
  /** The number of the event that is selected. */
  selected: number | null;
  /** The numbers of the events that belong to the selection. If there are any, all others are pale. */
  marked: ReadonlySet<number>;
}

/** The block at or near a point of a lane, px; null if there is none. */
export function blockAt({ log, lane, scale }: LaneView, x: number, y: number): Block | null {
  const track = Math.floor((y - LANE_PADDING) / (MARKS_HEIGHT + BLOCK_HEIGHT));
  const near = lane.tracks[Math.max(0, Math.min(track, lane.tracks.length - 1))];
  if (!near) return null;
  const apart = ({ x: left, width }: Block) => Math.max(left - x, x - left - width, 0);
  const found = blocksOf(near, scale, log.start).reduce<Block | null>(
    (best, block) => (best && apart(best) <= apart(block) ? best : block),
    null,
  );
  return found && apart(found) <= NEAR_BLOCK ? found : null;
}

/** The most px between a point and the block that it selects. */
const NEAR_BLOCK = 4;

/** The shapes of a lane, from the rearmost to the foremost. */
export function laneShapes(view: LaneView): Shape[] {
  const { log, lane, scale, ticks } = view;
  const height = laneHeight(lane);
  const upright = (x: number) => rect({ x: Math.round(x), y: 0, w: 1, h: height });
  return [
    filled(
      'edge',
      ticks.map(({ px }) => upright(px)),
      0.3,
    ),
    ...gapShapes(log, scale, height),
    ...lane.tracks.flatMap((track, index) => {
      const top = LANE_PADDING + index * (MARKS_HEIGHT + BLOCK_HEIGHT) + MARKS_HEIGHT;
      return trackShapes(view, track, top);
    }),
    ...hitShapes(view, height),
    ...(log.running ? [filled('compile', [upright(toPx(scale, log.seconds))])] : []),
  ];
}

/** A block that is seen, and the x up to which there is free space on its left and right, px. */
interface Shown {
  block: Block;
  left: number;
  right: number;
  alpha: number;
}

/** The shapes of one track, from the rearmost to the foremost. */
function trackShapes(view: LaneView, track: Track, top: number): Shape[] {
  const { scale, selected } = view;
  const shown = shownOf(view, track);
  const each = (shapesOf: (one: Shown) => Drawn[]) => together(shown.flatMap(shapesOf));
  const chosen = shown.filter(({ block }) => block.events.some((one) => one.number === selected));
  return [
    filled('call', callLines(track, scale, top)),
    ...each(({ block, alpha }) => blockShapes(block, top, alpha)),
    ...each(({ block, alpha }) => stripes(block, scale, top, alpha)),
    ...shown.flatMap((one) => labelsOf(one, top)),
    ...each(({ block, alpha }) => markShapes(block, top, alpha)),
    ...chosen.map(({ block: { x, width } }) => {
      const frame = { x: x - 2, y: top - 2, w: width + 4, h: BLOCK_HEIGHT + 4 };
      return stroked('selected', [rect(frame)], 2);
    }),
  ];
}

/** The blocks of a track that are in view. */
function shownOf({ log, scale, marked }: LaneView, track: Track): Shown[] {
  const blocks = blocksOf(track, scale, log.start);
  return blocks.flatMap((block, index) => {
    if (endAt(block) < -20 || block.x > scale.width + 20) return [];
    const isPale = marked.size > 0 && !block.events.some(({ number }) => marked.has(number));
    const left = index > 0 ? endAt(blocks[index - 1]!) : 0;
    const right = Math.min(blocks[index + 1]?.x ?? Infinity, scale.width);
    return { block, left, right, alpha: isPale ? 0.25 : 1 };
  });
}

/** Frames around the events of one call. */
const callLines = (track: Track, scale: Scale, top: number): Line[] =>
  track.flatMap(({ from, to, events }) => {
    const [left, right] = [toPx(scale, from), toPx(scale, to)];
    if (events.length === 1 || right <= 0 || left >= scale.width) return [];
    return [rect({ x: left - 2, y: top - 2, w: right - left + 4, h: BLOCK_HEIGHT + 4 })];
  });

/** The shapes of a block. Events that the log only implies are outlined. */
function blockShapes({ x, width, events }: Block, top: number, alpha: number): Drawn[] {
  const kind = events[0].kind as EventKind;
  const h = heightOf(events);
  const y = top + BLOCK_HEIGHT - h;
  const w = width - (width > 6 ? 1 : 0);
  if (events.every(({ implied }) => implied)) {
    const inner = { x: x + 0.5, y: y + 0.5, w: Math.max(2, w - 1), h: h - 1 };
    return [stroked(kind, [rect(inner)], 1, alpha)];
  }
  if (events.length > 1) return manyShapes(events, { x, y, w: width, h }, alpha);
  return [filled(kind, [rect({ x, y, w, h })], alpha)];
}

/** A block of many events: its kinds stand one above the other, each as high as its share of the
 * time, and at least 2 px. */
function manyShapes(events: readonly Event[], { x, y, w, h }: Rect, alpha: number) {
  const kinds = EVENT_KINDS.flatMap((kind) => {
    const own = events.filter((event) => event.kind === kind);
    const seconds = own.reduce((sum, event) => sum + event.seconds, 0);
    return own.length > 0 ? [{ kind, seconds }] : [];
  });
  const all = kinds.reduce((sum, { seconds }) => sum + seconds, 0);
  const free = h - 2 * kinds.length;
  let bottom = y + h;
  return kinds.map(({ kind, seconds }) => {
    const own = 2 + free * (all > 0 ? seconds / all : 1 / kinds.length);
    bottom -= own;
    return filled(kind, [rect({ x, y: bottom, w, h: own })], alpha);
  });
}

/** Slanting stripes on an event from the persistent cache; pale, because text is written on them. */
function stripes({ x, width, events }: Block, scale: Scale, top: number, alpha: number) {
  const [only, ...more] = events;
  if (!only.cached || only.implied || more.length > 0) return [];
  const left = Math.max(x, -BLOCK_HEIGHT);
  const w = Math.min(endAt({ x, width }), scale.width) - left;
  return [stroked('ground', diagonals({ x: left, y: top, w, h: BLOCK_HEIGHT }, 6), 2, alpha / 2)];
}

/** The most events of one call: a trace, a lowering, a compilation. */
const MOST_OF_CALL = 3;

/** Px that are left free beside a text. */
const BESIDE_TEXT = 5;

/** The text of a block: the time of its event, or the number of its events. A number that does not fit into the block
 * is written right of it, else left of it, if there is room. */
function labelsOf({ block, left, right, alpha }: Shown, top: number): Label[] {
  const { events } = block;
  const text = events.length > 1 ? `×${events.length}` : timeText(events[0].seconds);
  const wide = textWidth(text, SMALL);
  const label = { text, alpha, y: top + BLOCK_HEIGHT / 2 + 4 };
  if (block.width >= Math.max(26, wide + 8)) {
    if (heightOf(events) < BLOCK_HEIGHT) return [];
    const ink = `on-${events[0].kind as EventKind}` as const;
    return [{ ...label, ink, x: Math.max(block.x, 0) + 4 }];
  }
  if (events.length <= MOST_OF_CALL) return [];
  const end = endAt(block);
  const x = end + wide + 2 * BESIDE_TEXT <= right ? end : block.x - wide - 2 * BESIDE_TEXT;
  return x < left ? [] : [{ ...label, ink: 'ink', x: x + BESIDE_TEXT }];
}

/** The mark above a block: a cross for a failure, a triangle for a retrace or recompilation. */
function markShapes({ x, width, events }: Block, top: number, alpha: number): Drawn[] {
  const middle = x + Math.min(width, 6) / 2;
  if (events.some(({ error }) => error !== null)) {
    return [stroked('failed', cross(middle, top - 2), 2, alpha)];
  }
  const isAgain = events.some(({ again }) => again);
  return isAgain ? [filled('ink', [triangle(middle, top - 2)], alpha)] : [];
}

/** Px between the slanting lines of a gap. */
const GAP_HATCH = 8;

/** Slanting lines over the time in which the log does not list events. */
function gapShapes(log: Log, scale: Scale, height: number): Drawn[] {
  const at = gapOf(log);
  const [before, after] = [log.events[at - 1], log.events[at]];
  if (log.omitted === 0 || !before || !after) return [];
  const left = Math.max(0, toPx(scale, endOf(before) - log.start));
  const right = Math.min(scale.width, toPx(scale, after.start - log.start));
  const lines = diagonals({ x: left, y: 0, w: right - left, h: height }, GAP_HATCH);
  return [stroked('gap', lines, 1, 0.35)];
}

/** The strip of calls that were served from JAX's caches: the more calls, the darker. */
function hitShapes({ log, lane, scale }: LaneView, height: number): Drawn[] {
  const { hits } = lane.function;
  if (!hits) return [];
  const most = Math.max(1, ...hits);
  const y = height - LANE_PADDING - HITS_HEIGHT;
  const slices = hits.flatMap((count, slice) => {
    const left = toPx(scale, slice * log.slice);
    const right = toPx(scale, (slice + 1) * log.slice);
    if (count === 0 || right < 0 || left > scale.width) return [];
    const line = rect({ x: left, y, w: Math.max(1, right - left), h: HITS_HEIGHT });
    return [filled('faint', [line], Math.round(2 + 6 * (count / most)) / 10)];
  });
  return together(slices);
}

/** The height of a block, px. An event within another is half as high. */
const heightOf = (events: readonly Event[]): number =>
  Math.max(
    ...events.map(({ depth, kind }) =>
      depth > 0 ? BLOCK_HEIGHT / 2 : kind === 'lower' ? BLOCK_HEIGHT - 4 : BLOCK_HEIGHT,
    ),
  );

/** Lays out the events of one track of the log's timeline as blocks, in px. */
import type { Event } from '../../schema';
import { type Call, endOf, type Track } from './log-lanes';
import { type Scale, toPx } from './time-scale';

/** One event on a track, or several that cannot be told apart at this scale. */
export interface Block {
  /** px. */
  x: number;
  width: number;
  /** In the order in which they began. */
  events: [Event, ...Event[]];
}

/** The least width of an event, px: narrower ones could not be seen or clicked. */
export const LEAST_WIDTH = 3;
/** How far an event may be moved to the right to make room for those before it, px. */
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

/** Whether a call that is one block is merged with the block before it: where it would be moved too
 * far to the right, and where both are narrow and touch. */
function joins(last: Block, own: Block, from: number): boolean {
  const isNarrow =
    own.width < 2 * LEAST_WIDTH && (last.width < 2 * LEAST_WIDTH || last.events.length > 1);
  return own.x - from > MOST_SHIFT || (isNarrow && from - endAt(last) < 1);
}

/** The right edge of a block, px. */
export const endAt = ({ x, width }: Pick<Block, 'x' | 'width'>): number => x + width;

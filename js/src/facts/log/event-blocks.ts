import type { Event } from '../../schema';
import { type Call, endOf, type Track } from './log-lanes';
import { type Scale, toPx } from './time-scale';

/** Events as they are drawn on a track: one, or many that cannot be told apart at this scale. */
export interface Block {
  /** px. */
  x: number;
  width: number;
  /** In the order in which they began. */
  events: [Event, ...Event[]];
}

/** No event is drawn narrower, px. */
export const LEAST = 3;
/** How far an event is drawn from where it is at most, to make room for those before it, px. */
const DRIFT = 5;

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
      last.width = Math.max(end, from + LEAST, x(call.to + start)) - last.x;
    } else blocks.push(...own);
  }
  return blocks;
}

/** Each event of a call by itself; null where there is no room for that. */
function eachOf(call: Call, x: (seconds: number) => number, after: number): Block[] | null {
  const blocks: Block[] = [];
  let end = after;
  for (const event of call.events) {
    const from = x(event.start);
    const left = Math.max(from, end);
    if (left - from > DRIFT) return null;
    end = Math.max(x(endOf(event)), left + LEAST);
    blocks.push({ x: left, width: end - left, events: [event] });
  }
  return blocks;
}

function oneOf({ events }: Call, x: (seconds: number) => number, after: number): Block {
  const left = Math.max(x(events[0].start), after);
  const end = Math.max(left + LEAST, ...events.map((event) => x(endOf(event))));
  return { x: left, width: end - left, events: [...events] };
}

/** Whether a call that is one block becomes part of the one before it: where it would be drawn too
 * far from where it is, and where narrow ones touch. */
function joins(last: Block, own: Block, from: number): boolean {
  const isNarrow = own.width < 2 * LEAST && (last.width < 2 * LEAST || last.events.length > 1);
  return own.x - from > DRIFT || (isNarrow && from - endAt(last) < 1);
}

/** Where a block ends, px. */
export const endAt = ({ x, width }: Pick<Block, 'x' | 'width'>): number => x + width;

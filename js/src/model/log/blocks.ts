import type { Event } from '../../schema';
import { endOf, type Track } from './lanes';
import { type Scale, toPx } from './scale';

/** Events as they are drawn on a track: one, or many that are too near one another to be told
 * apart at this scale. */
export interface Block {
  /** px. */
  x: number;
  width: number;
  /** In the order in which they began. */
  events: readonly [Event, ...Event[]];
}

/** No event is drawn narrower, px. */
export const LEAST = 3;
/** How far an event may be drawn from where it is, to make room for those before it, px. */
const DRIFT = 4;

/** The events of a track as blocks that do not overlap, from left to right. */
export function blocksOf({ events }: Track, scale: Scale, start: number): Block[] {
  const x = (seconds: number) => toPx(scale, seconds - start);
  const blocks: { x: number; width: number; events: [Event, ...Event[]] }[] = [];
  let end = -Infinity;
  for (const event of events) {
    const [from, to] = [x(event.start), x(endOf(event))];
    const last = blocks.at(-1);
    if (last && joins(last, from, to, end)) {
      last.events.push(event);
      end = Math.max(end, to);
      last.width = end - last.x;
    } else {
      const left = Math.max(from, end);
      end = Math.max(to, left + LEAST);
      blocks.push({ x: left, width: end - left, events: [event] });
    }
  }
  return blocks;
}

/** Whether an event becomes part of the block before it: where there is no room beside it, or where
 * many narrow ones go on. */
function joins(last: Block, from: number, to: number, end: number): boolean {
  if (end - from > DRIFT) return true;
  const isNarrow = to - Math.max(from, end) < LEAST;
  return isNarrow && last.events.length > 1 && from - end < LEAST;
}

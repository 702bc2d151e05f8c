/** Where the type of a box may be written. */
import { BESIDE_EDGE, type Rect } from '../measure';

/** Px between a box and the text beside it. */
const BESIDE_BOX = 5;
/** Px between a text that is moved and what it does not belong to: edges, and other boxes and texts; if it stands
 * beside its box, more, as it would else seem to belong to the next one. */
export const CLEAR = { edges: 3, below: 5, beside: 12 };

/** The places of a type besides its first one, right of the point where edges leave its box: left of that point,
 * at the ends of that side of the box, and beside the box. */
export function placesOf({ x, y, w, h }: Rect, text: Rect): Rect[] {
  const stem = text.x - BESIDE_EDGE;
  const middle = y + (h - text.h) / 2;
  return [
    { ...text, x: stem - BESIDE_EDGE - text.w },
    ...(w / 2 > text.w + BESIDE_EDGE
      ? [
          { ...text, x: x + w - text.w },
          { ...text, x },
        ]
      : []),
    { ...text, x: x + w + BESIDE_BOX, y: middle },
    { ...text, x: x - BESIDE_BOX - text.w, y: middle },
  ];
}

/** A rectangle made wider by as many px on both sides. */
export const widened = ({ x, y, w, h }: Rect, by: number): Rect => ({
  x: x - by,
  y,
  w: w + 2 * by,
  h,
});

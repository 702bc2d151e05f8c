import type { ColourClass } from '../facts/colours/colour-classes';
import type { Colouring } from '../facts/colours/colouring';
import { isPill } from '../layout/caption';
import { APART, BOX, CHIP, FOLD, FONT, PILL, SMALL, textWidth } from '../layout/measure';
import type { Box } from '../layout/scene';

/** How a box looks, on a canvas and as SVG. */

/** How round the corners of a box are, px. */
export const ROUND = 4;
/** How the line around a closed call is broken, px. */
const CALL: readonly number[] = [4, 3];
/** The same of what returns to the next turn of a loop, and around what only a guess leads to. */
export const DASHES: readonly number[] = [5, 4];
/** How much larger the arrowheads of what is selected are. */
export const LIT = 1.5;
/** The strip along the bottom of a closed box, px. */
export const STRIP = { height: 3, side: 5, bottom: 3 };
/** A badge, px: its height and least width, and the space beside its text. */
export const BADGE = { height: 13, side: 3 };
/** How far a badge reaches into its box, whose own text begins close behind its edge, px; and down
 * into it where it is wide, so that it stands before that text. */
export const LAP = { right: 2, down: 5, wide: 3 };

export function roundOf({ item, open }: Box): number {
  if (open) return ROUND;
  return isPill(item) ? PILL.height / 2 : item.free ? CHIP.height / 2 : ROUND;
}

/** How the line around a box is broken: the colours may say that; else that of a closed call is. */
export const dashOf = ({ item, open }: Box, own: ColourClass | undefined): readonly number[] =>
  own?.dash ?? (item.family === 'call' && !open ? CALL : []);

/** A part of a strip: whose colour it has, where it begins, and how long it is, px of the box. */
export interface Part {
  class: number;
  from: number;
  length: number;
}

/** The strip in a closed box of this width: how much of the whole it has, or how many eqns of each
 * class it holds. */
export function stripOf(colours: Colouring, box: number, width: number): Part[] {
  const whole = width - 2 * STRIP.side;
  if (colours.lengths) {
    const length = whole * (colours.lengths[box] ?? 0);
    return length >= 2 ? [{ class: colours.of[box] ?? 0, from: STRIP.side, length }] : [];
  }
  const held = [...(colours.within[box] ?? [])];
  const all = held.reduce((sum, count) => sum + count, 0);
  let from = STRIP.side;
  return held.flatMap((count, one) => {
    const part = { class: one, from, length: (whole * count) / all };
    if (count > 0) from += part.length;
    return count > 0 ? [part] : [];
  });
}

/** Where the texts of a box stand, px from its left side. */
export interface Texts {
  /** Of its own font size. */
  size: number;
  /** Where its triangle begins; null where it does not fold. */
  triangle: number | null;
  label: number;
  note: number;
  /** Where its count ends. */
  count: number;
}

export function textsOf({ item, label, note, count }: Box, width: number): Texts {
  const { side } = isPill(item) ? PILL : item.free ? CHIP : BOX;
  const size = item.free ? SMALL : FONT;
  const wide = textWidth(label, size);
  const whole = wide + (note === '' ? 0 : APART + textWidth(note));
  const aligned = item.foldable || count !== '';
  const fold = item.foldable ? FOLD : 0;
  const begin = fold + (aligned ? side : Math.max(side, (width - whole) / 2));
  return {
    size,
    triangle: item.foldable ? side : null,
    label: begin,
    note: begin + wide + APART,
    count: width - side,
  };
}

const TITLE_LEAST = 200;

/** Where the title of an open box begins: at its left side, or where that is out of view, at the
 * view's. */
export function titleStart(open: boolean, x: number, w: number, left: number): number {
  return open ? Math.max(x, Math.min(left, x + w - TITLE_LEAST)) : x;
}

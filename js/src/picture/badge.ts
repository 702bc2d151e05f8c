import { SMALL, textWidth } from '../layout/measure';
import { escaped, px } from './markup';

/** A sign in the colours of a class, perhaps with how many there are of it. */
export interface Badge {
  paint: string;
  text: string;
}

/** Px, of the height of a badge, and of its least width. */
export const BADGE = 13;

/** Beside one another, the first one's upper left corner at (x, y). */
export function badges(all: readonly Badge[], x: number, y: number): string[] {
  let left = x;
  return all.map(({ paint, text }) => {
    const w = Math.max(BADGE, textWidth(text, SMALL) + 6);
    const drawn =
      `<path class="v ${paint}" d="M${px(left + 3)} ${px(y)}h${px(w - 6)}q3 0 3 3v7q0 3-3 3` +
      `h${px(6 - w)}q-3 0-3-3v-7q0-3 3-3z"/>` +
      `<text class="w" x="${px(left + w / 2)}" y="${px(y + 10)}">${escaped(text)}</text>`;
    left += w + 1;
    return drawn;
  });
}

import { oneLine } from '../layout/measure';

/** The pieces that an SVG is written with: nothing of a program becomes markup. */

const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ENTITIES.get(char) ?? char);

export const oneLined = (text: string): string => escaped(oneLine(text));

/** A length to a tenth of a px; what lies halfway between two goes to the even one. */
export function px(length: number): string {
  const tenths = length * 10;
  const down = Math.floor(tenths);
  if (Number.isInteger(length * 4) && tenths - down === 0.5)
    return String((down + (down & 1)) / 10);
  const short = length.toFixed(1);
  return short.endsWith('.0') ? short.slice(0, -2) : short;
}

export const at = (x: number, y: number): string => `${px(x)} ${px(y)}`;

/** A text whose baseline begins at (x, y), or is centred or ends there by its class. */
export const text = (kind: string, x: number, y: number, own: string): string =>
  `<text class="${kind}" x="${px(x)}" y="${px(y)}">${oneLined(own)}</text>`;

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

/** A length to a tenth of a px. */
export const px = (length: number): string => String(Math.round(length * 10) / 10);

export const at = (x: number, y: number): string => `${px(x)} ${px(y)}`;

/** A text whose baseline begins at (x, y), or is centred or ends there by its class. */
export const text = (kind: string, x: number, y: number, own: string): string =>
  `<text class="${kind}" x="${px(x)}" y="${px(y)}">${oneLined(own)}</text>`;

/** How a line is broken, as an attribute. */
export const broken = (dash: readonly number[]): string =>
  dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;

/** The pieces that an SVG is written with. All texts are escaped here, so that nothing of a program
 * becomes markup. */
import { oneLine } from '../layout/measure';

/** The characters that are markup in SVG. */
const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** A text that is no markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ENTITIES.get(char) ?? char);

/** The same on one line. */
export const oneLined = (text: string): string => escaped(oneLine(text));

/** A length to a tenth of a px, as text. */
export const px = (length: number): string => String(Math.round(length * 10) / 10);

/** A point, as a path has it. */
export const at = (x: number, y: number): string => `${px(x)} ${px(y)}`;

/** A text. Its baseline begins at (x, y); by the class `kind` it may also be centred there, or end
 * there. */
export const text = (kind: string, x: number, y: number, own: string): string =>
  `<text class="${kind}" x="${px(x)}" y="${px(y)}">${oneLined(own)}</text>`;

/** The dashes of a line as an attribute; empty for a whole line. */
export const broken = (dash: readonly number[]): string =>
  dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;

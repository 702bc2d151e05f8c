/** The sizes of boxes, texts and views, px at zoom 1. Text is monospaced, so that its width is known
 * without a canvas. */

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The size of the font on a box, and of the smaller one beside boxes and edges. */
export const FONT = 12;
export const SMALL = 10;

/** A column of text is 0.6 em wide in the common monospaced fonts. */
const COLUMN_EM = 0.6;

/** A closed box: its height, its least width, and the space at either side of its text. */
export const BOX = { height: 26, least: 44, side: 11 };
/** The box of an op that does nothing when it runs. */
export const CHIP = { height: 18, least: 22, side: 7 };
/** The box of an input, an output or a constant. */
export const PILL = { height: 24, least: 34, side: 12 };
/** Around what an open box holds: the height of its title, and the space at the sides and the
 * end. */
export const FRAME = { title: 24, side: 14, end: 12 };
/** The width of the triangle that opens or closes a box. */
export const FOLD = 15;
/** Between two texts on a box. */
export const APART = 8;
/** The room that a port takes in a border. */
export const PORT = { width: 10, height: 0 };
/** Around the whole picture. */
export const MARGIN = 16;

/** Characters that take no column. */
const NO_COLUMN = /\p{M}|\u200b|\u200d|\ufe0f/u;
/** Characters that take two columns. */
const TWO_COLUMNS =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
/** ASCII, whose characters all take one column. */
const PRINTABLE_ASCII = /^[ -~]*$/;

/** How many columns a text takes: East Asian wide characters take two, combining marks none. */
export function columns(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  let count = 0;
  for (const char of text) count += NO_COLUMN.test(char) ? 0 : TWO_COLUMNS.test(char) ? 2 : 1;
  return count;
}

export const textWidth = (text: string, size = FONT): number => columns(text) * COLUMN_EM * size;

/** The text cut at its end to at most `most` columns. */
export function head(text: string, most: number): string {
  return columns(text) <= most ? text : `${take([...text], most - 1)}…`;
}

/** The text cut at its start to at most `most` columns. For paths, whose last keys say most: it is
 * cut before a key where that keeps at least half of what fits. */
export function tail(text: string, most: number): string {
  if (columns(text) <= most) return text;
  const kept = [...take([...text].reverse(), most - 1)].reverse().join('');
  const key = kept.search(/[[.]/);
  return `…${key > 0 && 2 * key <= kept.length ? kept.slice(key) : kept}`;
}

/** The first characters that fit into `most` columns. */
function take(chars: string[], most: number): string {
  let kept = '';
  let room = most;
  for (const char of chars) {
    room -= columns(char);
    if (room < 0) break;
    kept += char;
  }
  return kept;
}

/** A text, which may be hostile, as one line: no control, formatting or lone surrogate character. */
export const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();

/** The shape of the view that a picture is to fit: a cell is wide and low, a panel narrow and tall. */
export interface Shape {
  readonly name: 'wide' | 'even' | 'narrow';
  /** Width divided by height. */
  readonly aspect: number;
  /** Px of height up to which rows are not folded into columns. */
  readonly tall: number;
}

export const WIDE: Shape = { name: 'wide', aspect: 1.8, tall: 760 };
const EVEN: Shape = { name: 'even', aspect: 1, tall: 900 };
const NARROW: Shape = { name: 'narrow', aspect: 0.5, tall: 1300 };

/** The shape for a view of that size, px. Few shapes, so that small changes move nothing. */
export function shapeOf(width: number, height: number): Shape {
  const aspect = width / Math.max(1, height);
  return aspect >= 1.3 ? WIDE : aspect >= 0.75 ? EVEN : NARROW;
}

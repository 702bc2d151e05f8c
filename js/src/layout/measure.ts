/** Text is monospaced, so that its width is known without a canvas. All in px at zoom 1. */
export const FONT = 12;
export const SMALL = 10;

/** A column of text is 0.6 em wide in the common monospaced fonts. */
const COLUMN = 0.6;

export const BOX = { height: 26, least: 44, side: 11 };
/** What does nothing when it runs. */
export const CHIP = { height: 18, least: 22, side: 7 };
export const PILL = { height: 24, least: 34, side: 12 };
/** Around what an open box holds: the title above, and the space at the other sides. */
export const FRAME = { title: 24, side: 14, end: 12 };
/** What the fold triangle and a count need beside the label. */
export const FOLD = 15;
export const APART = 8;
export const PORT = { width: 10, height: 0 };
/** Around the whole picture. */
export const MARGIN = 16;

const ZERO = /\p{M}|\u200b|\u200d|\ufe0f/u;
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
const PRINTABLE = /^[ -~]*$/;

/** Columns of a text: East Asian wide characters take two, marks none. */
export function columns(text: string): number {
  if (PRINTABLE.test(text)) return text.length;
  let count = 0;
  for (const char of text) count += ZERO.test(char) ? 0 : WIDE.test(char) ? 2 : 1;
  return count;
}

export const textWidth = (text: string, size = FONT): number => columns(text) * COLUMN * size;

/** At most `most` columns, cut at the end. */
export function head(text: string, most: number): string {
  return columns(text) <= most ? text : `${take([...text], most - 1)}…`;
}

/** At most `most` columns, cut at the start: of a path the last keys tell the most, and it is cut
 * before a key where that leaves half of it. */
export function tail(text: string, most: number): string {
  if (columns(text) <= most) return text;
  const kept = [...take([...text].reverse(), most - 1)].reverse().join('');
  const key = kept.search(/[[.]/);
  return `…${key > 0 && 2 * key <= kept.length ? kept.slice(key) : kept}`;
}

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

/** A hostile text as one line: no control, formatting or lone surrogate character. */
export const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();

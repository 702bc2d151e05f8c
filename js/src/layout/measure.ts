/** The sizes of boxes, texts and views, px at zoom 1. Text is monospaced, so its width is known without a canvas. */

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
/** Around the contents of an open box: the height of its title, and the space at the sides and the end. */
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

/** The number of columns of a text: East Asian wide characters take two, combining marks none. */
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

/** The text cut at its start to at most `most` columns. The last keys of a path say most, so it is cut before a key
 * if that keeps at least half of what fits. */
export function tail(text: string, most: number): string {
  if (columns(text) <= most) return text;
  const end = [...take([...text].reverse(), most - 1)].reverse().join('');
  const key = end.search(/[[.]/);
  return `…${key > 0 && 2 * key <= end.length ? end.slice(key) : end}`;
}

/** The first characters that fit into `most` columns. */
function take(chars: string[], most: number): string {
  let taken = '';
  let room = most;
  for (const char of chars) {
    room -= columns(char);
    if (room < 0) break;
    taken += char;
  }
  return taken;
}

/** A text, which may be hostile, as one line: no control, formatting or lone surrogate character. */
export const oneLine = (text: string): string => text.replace(/[\p{C}\p{Z}]+/gu, ' ').trim();

/** The room for a picture, CSS px. */
export interface View {
  readonly width: number;
  readonly height: number;
}

/** The least zoom of a first view and of a fitted program. A program that does not fit is folded further, or shown
 * from its beginning. */
export const FLOOR = 0.85;

/** The properties of a view that a layout adapts to. */
export interface Shape {
  /** True if the lanes of a step stand between its inputs and its results; else these are above and below. */
  readonly beside: boolean;
  /** Width divided by height. */
  readonly aspect: number;
  /** A chain taller than this, px, is folded into columns. */
  readonly tall: number;
  /** A row of boxes wider than this, px, is wrapped. */
  readonly wide: number;
  /** Px between two rows. */
  readonly rowGap: number;
  /** True if boxes stand as near to each other as in a lane, with its short notes: for narrow views of small programs. */
  readonly tight: boolean;
}

/** The shares of the width at which rows are wrapped. A narrower limit leaves less empty ground if a few boxes do not
 * fit into one row. */
export const SQUEEZES = [1, 0.75, 0.5] as const;
/** Px between two rows: the first of these that fits. */
export const ROW_GAPS = [32, 26, 20, 13] as const;
export const LEAST_GAP = 13;
/** Px between a box and the text below it: less if the next row is near, so that the text stands between both. */
export const underBox = (rowGap: number): number => Math.min(4, (rowGap - SMALL) / 2);
/** Px between the text under a box and the edge that it belongs to. */
export const BESIDE_EDGE = 6;
/** Px between an edge and what is written on it. */
export const BESIDE_LINE = 3;
/** Sides are rounded down to a multiple of this, px, so that small changes of a view move nothing. */
const SIDE_STEP = 20;
/** From this ratio of width to height on, lanes stand beside inputs and results by default. */
const LEAST_BESIDE = 1.3;

/** The shape for a view of this size. */
export function shapeOf(
  width: number,
  height: number,
  beside = width >= LEAST_BESIDE * height,
  rowGap: number = ROW_GAPS[0],
  squeeze = 1,
  tight = false,
): Shape {
  const [wide, tall] = [width * squeeze, height].map(
    (side) => Math.max(1, Math.floor((side / FLOOR - 2 * MARGIN) / SIDE_STEP)) * SIDE_STEP,
  ) as [number, number];
  return interned({ beside, aspect: wide / tall, tall, wide, rowGap, tight });
}

/** The shape with this distance between its rows. */
export const spaced = (shape: Shape, rowGap: number): Shape => interned({ ...shape, rowGap });

/** The same object for equal shapes. */
function interned(shape: Shape): Shape {
  const key = `${shape.beside} ${shape.tall} ${shape.wide} ${shape.rowGap} ${shape.tight}`;
  const before = shapes.get(key) ?? shape;
  shapes.set(key, before);
  return before;
}

/** The shapes made so far, by their fields. */
const shapes = new Map<string, Shape>();

/** The shape if no view is known. */
export const WIDE = shapeOf(1000, 850);

/** Paints boxes as blocks of colour, for zooms at which their texts cannot be read. */
import { append } from '../facts/maps';
import { FRAME, head, type Rect, tail, columns as wide } from '../layout/measure';
import { isPale } from '../picture/appearance';
import { label, paintRing } from './paint-near';
import { each, type Indices, type Title } from './scene-columns';
import { type Brush, boxOf, paintFor, paleOf, type Sheet } from './sheet';
import { type Paint, SHADES } from './theme';

/** Between these zooms, the colour of a block changes from that of its line to that of its fill, on which text can be
 * read. */
const LINE_COLOUR_ZOOM = 0.1;
const FILL_COLOUR_ZOOM = 0.25;
/** The least side of a block, CSS px, so that every block is visible. */
const LEAST_BLOCK = 1.5;
/** Blocks smaller than this have no outline, and open boxes smaller than this are not drawn, CSS
 * px. */
const LEAST_OUTLINED = 4;

/** Paints boxes as blocks: first the open ones, then `between`, then the closed ones. */
export function paintBlocks(
  brush: Brush,
  sheet: Sheet,
  seen: Indices,
  between: () => unknown,
): void {
  const { columns, marks } = sheet;
  each(seen, (index) => columns.open[index] === 1 && frame(brush, sheet, index));
  between();
  const sorted = byPaint(sheet, seen);
  const shade = shadeAt(brush.zoom);
  paintFills(brush, sheet, sorted, shade);
  if (brush.zoom > LINE_COLOUR_ZOOM) paintLines(brush, sheet, sorted);
  for (const index of new Set([marks.hovered, marks.selected, ...marks.matches])) {
    if (index >= 0) paintRing(brush, sheet, index);
  }
  if (brush.zoom < FILL_COLOUR_ZOOM) return;
  each(seen, (index) => {
    if (columns.open[index] === 1) return;
    const inked = isPale(marks, index) ? paleOf(brush) : brush;
    const [atX, atY] = [columns.x[index]!, columns.y[index]!];
    label(inked, boxOf(sheet, index), atX, atY, columns.w[index]!, columns.h[index]!);
  });
}

/** The index of the shade that blocks have at a zoom. */
function shadeAt(zoom: number): number {
  const part = (FILL_COLOUR_ZOOM - zoom) / (FILL_COLOUR_ZOOM - LINE_COLOUR_ZOOM);
  return Math.round(Math.max(0, Math.min(1, part)) * (SHADES - 1));
}

/** The closed boxes in view sorted by paint, so that each colour is set once. */
interface Sorted {
  paints: readonly Paint[];
  /** Where the boxes of each paint begin in `boxes`, and at the end their number. */
  starts: Int32Array;
  boxes: Int32Array;
}

/** Memory for sorting, reused for each frame. */
let sortingRoom = new Int32Array(0);

function byPaint(sheet: Sheet, seen: Indices): Sorted {
  const { columns, marks } = sheet;
  const paints = [...sheet.paints, ...sheet.pale];
  const half = sheet.paints.length;
  const starts = new Int32Array(paints.length + 1);
  if (sortingRoom.length < 2 * seen.length) sortingRoom = new Int32Array(4 * seen.length);
  const [keys, boxes] = [sortingRoom.subarray(0, seen.length), sortingRoom.subarray(seen.length)];
  for (let at = 0; at < seen.length; at++) {
    const index = seen.at(at);
    const key = (marks.colours?.of[index] ?? 0) + (isPale(marks, index) ? half : 0);
    keys[at] = columns.open[index] === 1 ? -1 : key;
    if (keys[at]! >= 0) starts[key + 1]! += 1;
  }
  for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!;
  const next = starts.slice();
  for (let at = 0; at < seen.length; at++) {
    const key = keys[at]!;
    if (key >= 0) boxes[next[key]!++] = seen.at(at);
  }
  return { paints, starts, boxes };
}

function paintFills({ ctx, zoom }: Brush, { columns }: Sheet, sorted: Sorted, shade: number): void {
  const { x, y, w, h } = columns;
  const least = LEAST_BLOCK / zoom;
  sorted.paints.forEach(({ shades, fill }, paint) => {
    ctx.fillStyle = shades[shade] ?? fill;
    for (let at = sorted.starts[paint]!; at < sorted.starts[paint + 1]!; at++) {
      const index = sorted.boxes[at]!;
      ctx.fillRect(x[index]!, y[index]!, Math.max(w[index]!, least), Math.max(h[index]!, least));
    }
  });
}

function paintLines({ ctx, zoom }: Brush, { columns }: Sheet, sorted: Sorted): void {
  const { x, y, w, h } = columns;
  ctx.lineWidth = Math.min(1 / zoom, 3);
  sorted.paints.forEach(({ line }, paint) => {
    ctx.strokeStyle = line;
    for (let at = sorted.starts[paint]!; at < sorted.starts[paint + 1]!; at++) {
      const index = sorted.boxes[at]!;
      ctx.strokeRect(x[index]!, y[index]!, w[index]!, h[index]!);
    }
  });
}

/** An open box: a thin line around its content. */
function frame({ ctx, theme, zoom }: Brush, sheet: Sheet, index: number): void {
  const { x, y, w, h } = sheet.columns;
  if (Math.min(w[index]!, h[index]!) * zoom < LEAST_OUTLINED) return;
  const { fill, line, tints } = paintFor(sheet, index);
  const selected = index === sheet.marks.selected;
  ctx.fillStyle = selected ? theme.selected.fill : (tints[shadeAt(zoom)] ?? theme.ground);
  ctx.fillRect(x[index]!, y[index]!, w[index]!, h[index]!);
  ctx.fillStyle = fill;
  ctx.fillRect(x[index]!, y[index]!, w[index]!, Math.min(FRAME.title, h[index]!));
  ctx.strokeStyle = line;
  ctx.lineWidth = (selected ? 2 : 0.75) / zoom;
  ctx.strokeRect(x[index]!, y[index]!, w[index]!, h[index]!);
}

// Titles of open boxes, in an overview that is too small for the texts in boxes.

/** A title, CSS px: the size of its font, its height, the space at its sides, and the width of a
 * column. */
const TITLE_FONT = 10;
const TITLE_HEIGHT = 13;
const TITLE_SIDE = 4;
const TITLE_COLUMN = 0.6 * TITLE_FONT;
/** The least columns of a title; a shorter one cannot be read. */
const LEAST_COLUMNS = 3;
/** A title takes at most this part of the height of its box. */
const MOST_OF_HEIGHT = 0.4;
/** The number of rows that a title may move down, to make room for the titles of enclosing boxes. */
const MOST_ROWS_DOWN = 4;

/** CSS px between the titles of boxes within one another. */
const TITLE_GAP = 3;
/** In a view of more boxes than this, titles may cover the boxes inside theirs. */
const MOST_BOXES = 3000;

/** Paints the titles of open boxes, large enough to be read. A title stands in the upper left corner of the visible
 * part of its box, after the titles of enclosing boxes. It never overlaps another title, and avoids inner boxes if
 * there is room. Returns their positions. */
export function paintTitles(brush: Brush, sheet: Sheet, seen: Indices): Title[] {
  const placed: Title[] = [];
  const closed = closedByParent(sheet, seen);
  each(seen, (index) => {
    if (sheet.columns.open[index] === 0) return;
    const text = textFor(brush, sheet, index);
    const plate = text === '' ? null : plateFor(brush, sheet, index, text, placed, closed);
    if (!plate) return;
    placed.push({ ...plate, box: index });
    paintTitle(brush, sheet, index, text, plate);
  });
  return placed;
}

/** The closed boxes in view, by their parent. */
function closedByParent(sheet: Sheet, seen: Indices): ReadonlyMap<number, number[]> {
  const closed = new Map<number, number[]>();
  if (seen.length > MOST_BOXES) return closed;
  each(seen, (index) => {
    if (sheet.columns.open[index] === 1) return;
    append(closed, boxOf(sheet, index).parent, index);
  });
  return closed;
}

/** The visible part of a box. */
function visiblePart(brush: Brush, { columns }: Sheet, index: number): Rect {
  const x = Math.max(columns.x[index]!, brush.left);
  const y = Math.max(columns.y[index]!, brush.top);
  const right = Math.min(columns.x[index]! + columns.w[index]!, brush.right);
  const bottom = Math.min(columns.y[index]! + columns.h[index]!, brush.bottom);
  return { x, y, w: right - x, h: bottom - y };
}

/** The part of a title that fits; empty if that cannot be read. A path is cut at its start, since its end says more. */
function textFor(brush: Brush, sheet: Sheet, index: number): string {
  const { w } = visiblePart(brush, sheet, index);
  const { label } = boxOf(sheet, index);
  const room = Math.floor((w * brush.zoom - 2 * TITLE_SIDE) / TITLE_COLUMN);
  if (room < Math.min(LEAST_COLUMNS, wide(label))) return '';
  return /[\]⟵←]$/.test(label) ? tail(label, room) : head(label, room);
}

/** A free place for a title; null if there is none. */
function plateFor(
  brush: Brush,
  sheet: Sheet,
  index: number,
  text: string,
  placed: readonly Rect[],
  closed: ReadonlyMap<number, number[]>,
): Rect | null {
  const { zoom } = brush;
  const seen = visiblePart(brush, sheet, index);
  const h = Math.max(TITLE_HEIGHT / zoom, Math.min(FRAME.title, sheet.columns.h[index]!));
  if (h > seen.h * MOST_OF_HEIGHT && h > FRAME.title) return null;
  const w = (wide(text) * TITLE_COLUMN + 2 * TITLE_SIDE) / zoom;
  const { x, y } = sheet.columns;
  const isFree = (plate: Rect) =>
    !(closed.get(index) ?? []).some((box) => {
      const [bw, bh] = [sheet.columns.w[box]!, sheet.columns.h[box]!];
      return overlap(plate, { x: x[box]!, y: y[box]!, w: bw, h: bh });
    });
  for (
    let row = 0;
    row <= MOST_ROWS_DOWN && (row + 1) * h <= Math.max(h, seen.h * MOST_OF_HEIGHT);
    row++
  ) {
    const at = (x: number): Rect => ({ x, y: seen.y + row * h, w, h });
    const after = endOfTitles(at(seen.x), placed) + TITLE_GAP / zoom;
    const plates = [seen.x, after, seen.x + seen.w - w, seen.x + (seen.w - w) / 2]
      .filter((left) => left + w <= seen.x + seen.w)
      .map(at)
      .filter((plate) => !placed.some((other) => overlap(plate, other)));
    const found = plates.find(isFree) ?? plates[0];
    if (found) return found;
  }
  return null;
}

/** The right end of the titles that stand without a gap in the row of a plate, from its left side on. */
function endOfTitles(plate: Rect, placed: readonly Rect[]): number {
  let end = plate.x;
  for (const other of placed) {
    if (overlap({ ...plate, x: end, w: plate.w }, other)) end = Math.max(end, other.x + other.w);
  }
  return end;
}

function paintTitle(brush: Brush, sheet: Sheet, index: number, text: string, plate: Rect): void {
  const { ctx, theme, zoom } = brush;
  const { ink } = isPale(sheet.marks, index) ? (theme.pale ?? theme) : theme;
  const selected = index === sheet.marks.selected;
  ctx.fillStyle = selected ? theme.selected.fill : paintFor(sheet, index).fill;
  ctx.fillRect(plate.x, plate.y, plate.w, plate.h);
  ctx.font = `${(TITLE_FONT / zoom).toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillStyle = ink;
  ctx.fillText(text, plate.x + TITLE_SIDE / zoom, plate.y + plate.h / 2);
}

const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

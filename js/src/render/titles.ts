/** Paints the titles of open boxes in an overview, where the texts in the boxes cannot be read. */
import { append } from '../facts/gather';
import { FRAME, head, type Rect, tail, columns as wide } from '../layout/measure';
import { isPale } from '../picture/looks';
import { each, type Indices, type Title } from './scene-columns';
import { type Brush, boxOf, paintFor, type Sheet } from './sheet';

/** A title, CSS px: the size of its font, its height, the space at its sides, and the width of a
 * column. */
const TITLE_FONT = 10;
const TITLE_HEIGHT = 13;
const TITLE_SIDE = 4;
const TITLE_COLUMN = 0.6 * TITLE_FONT;
/** The least columns of a title; with less it says nothing. */
const LEAST_COLUMNS = 3;
/** A title takes at most this part of the height of its box. */
const MOST_OF_HEIGHT = 0.4;
/** How often a title moves down, to make room for that of what encloses it. */
const MOST_ROWS_DOWN = 4;

/** CSS px between the titles of boxes within one another. */
const TITLE_GAP = 3;
/** In a view of more boxes a title does not avoid the boxes within its own. */
const MOST_BOXES = 3000;

/** Paints the titles of open boxes, as large as can be read. A title stands in the upper left
 * corner of what is seen of its box, behind the titles of what encloses that; never over another
 * title, and beside the boxes within where there is room. Returns where they are. */
export function paintTitles(brush: Brush, sheet: Sheet, seen: Indices): Title[] {
  const placed: Title[] = [];
  const held = heldBy(sheet, seen);
  each(seen, (index) => {
    if (sheet.columns.open[index] === 0) return;
    const text = textFor(brush, sheet, index);
    const plate = text === '' ? null : plateFor(brush, sheet, index, text, placed, held);
    if (!plate) return;
    placed.push({ ...plate, box: index });
    paintTitle(brush, sheet, index, text, plate);
  });
  return placed;
}

/** The closed boxes in view, by the open box that holds them. */
function heldBy(sheet: Sheet, seen: Indices): ReadonlyMap<number, number[]> {
  const held = new Map<number, number[]>();
  if (seen.length > MOST_BOXES) return held;
  each(seen, (index) => {
    if (sheet.columns.open[index] === 1) return;
    append(held, boxOf(sheet, index).parent, index);
  });
  return held;
}

/** What is in view of a box. */
function inSight(brush: Brush, { columns }: Sheet, index: number): Rect {
  const x = Math.max(columns.x[index]!, brush.left);
  const y = Math.max(columns.y[index]!, brush.top);
  const right = Math.min(columns.x[index]! + columns.w[index]!, brush.right);
  const bottom = Math.min(columns.y[index]! + columns.h[index]!, brush.bottom);
  return { x, y, w: right - x, h: bottom - y };
}

/** As much of a title as has room; empty where that says nothing. A path is cut at its start, as
 * its end says more. */
function textFor(brush: Brush, sheet: Sheet, index: number): string {
  const { w } = inSight(brush, sheet, index);
  const { label } = boxOf(sheet, index);
  const room = Math.floor((w * brush.zoom - 2 * TITLE_SIDE) / TITLE_COLUMN);
  if (room < Math.min(LEAST_COLUMNS, wide(label))) return '';
  return /[\]⟵←]$/.test(label) ? tail(label, room) : head(label, room);
}

/** A free place for a title; null where there is none. */
function plateFor(
  brush: Brush,
  sheet: Sheet,
  index: number,
  text: string,
  placed: readonly Rect[],
  held: ReadonlyMap<number, number[]>,
): Rect | null {
  const { zoom } = brush;
  const frame = inSight(brush, sheet, index);
  const h = Math.max(TITLE_HEIGHT / zoom, Math.min(FRAME.title, sheet.columns.h[index]!));
  if (h > frame.h * MOST_OF_HEIGHT && h > FRAME.title) return null;
  const w = (wide(text) * TITLE_COLUMN + 2 * TITLE_SIDE) / zoom;
  const { x, y } = sheet.columns;
  const isFree = (plate: Rect) =>
    !(held.get(index) ?? []).some((box) => {
      const [bw, bh] = [sheet.columns.w[box]!, sheet.columns.h[box]!];
      return overlap(plate, { x: x[box]!, y: y[box]!, w: bw, h: bh });
    });
  for (
    let row = 0;
    row <= MOST_ROWS_DOWN && (row + 1) * h <= Math.max(h, frame.h * MOST_OF_HEIGHT);
    row++
  ) {
    const at = (x: number): Rect => ({ x, y: frame.y + row * h, w, h });
    const after = behind(at(frame.x), placed) + TITLE_GAP / zoom;
    const plates = [frame.x, after, frame.x + frame.w - w, frame.x + (frame.w - w) / 2]
      .filter((left) => left + w <= frame.x + frame.w)
      .map(at)
      .filter((plate) => !placed.some((other) => overlap(plate, other)));
    const found = plates.find(isFree) ?? plates[0];
    if (found) return found;
  }
  return null;
}

/** The x at which the titles end that stand in the row of a plate, from its left side on without a
 * gap. */
function behind(plate: Rect, placed: readonly Rect[]): number {
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

/** Whether two rectangles overlap. */
const overlap = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

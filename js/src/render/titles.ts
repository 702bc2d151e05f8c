import { FRAME, head, columns as wide } from '../layout/measure';
import { each, type Indices } from './columns';
import { type Brush, boxOf, isPale, paintFor, type Sheet } from './sheet';

/** A title in an overview, CSS px: its text, its height, and the space at its sides. */
const FONT = 10;
const HEIGHT = 14;
const SIDE = 4;
const COLUMN = 0.6 * FONT;
/** The least that a title says, columns. */
const LEAST = 3;
/** It takes at most this part of its frame's height. */
const SHARE = 0.4;
/** A title gives way downwards to that of what encloses it, so often. */
const TRIES = 4;

interface Plate {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The titles of open boxes, as large as can be read: in the upper left corner of what is seen of
 * each, the outer ones first, never over one another. */
export function paintTitles(brush: Brush, sheet: Sheet, seen: Indices): void {
  const placed: Plate[] = [];
  each(seen, (index) => {
    if (sheet.columns.open[index] === 1) title(brush, sheet, index, placed);
  });
}

function title(brush: Brush, sheet: Sheet, index: number, placed: Plate[]): void {
  const { ctx, theme, zoom } = brush;
  const { x, y, w, h } = sheet.columns;
  const left = Math.max(x[index]!, brush.left);
  const top = Math.max(y[index]!, brush.top);
  const right = Math.min(x[index]! + w[index]!, brush.right);
  const bottom = Math.min(y[index]! + h[index]!, brush.bottom);
  const height = Math.max(HEIGHT / zoom, Math.min(FRAME.title, h[index]!));
  if (height > (bottom - top) * SHARE && height > FRAME.title) return;
  const room = Math.floor(((right - left) * zoom - 2 * SIDE) / COLUMN);
  const { label } = boxOf(sheet, index);
  if (room < Math.min(LEAST, wide(label))) return;
  const text = head(label, room);
  const width = (wide(text) * COLUMN + 2 * SIDE) / zoom;
  const plate = { x: left, y: top, w: width, h: height };
  for (let attempt = 0; placed.some((other) => overlap(plate, other)); attempt++) {
    plate.y += height;
    if (attempt === TRIES || plate.y + height > top + (bottom - top) * SHARE) return;
  }
  placed.push(plate);
  const pale = isPale(sheet.marks, index);
  const selected = index === sheet.marks.selected;
  ctx.fillStyle = selected ? theme.selected.fill : paintFor(sheet, index).fill;
  ctx.fillRect(plate.x, plate.y, plate.w, plate.h);
  ctx.font = `${(FONT / zoom).toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.fillStyle = pale ? (theme.pale ?? theme).ink : theme.ink;
  ctx.fillText(text, plate.x + SIDE / zoom, plate.y + height / 2);
}

const overlap = (a: Plate, b: Plate): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

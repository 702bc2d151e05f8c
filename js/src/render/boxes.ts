import { isPill } from '../layout/caption';
import { APART, BOX, CHIP, FOLD, FONT, FRAME, PILL, SMALL, textWidth } from '../layout/measure';
import type { Box } from '../layout/scene';
import { titleStart } from './hit';
import { type Brush, boxOf, classFor, inView, isPale, paintFor, type Sheet, TYPES } from './sheet';

const ROUND = 4;
/** The line around what a link leads to, CSS px. */
const LINK = { out: 3, width: 2, dashes: [5, 4] };
/** The strip in a closed box that shows the classes of what it holds, px. */
const STRIP = { height: 3, side: 5, bottom: 3 };
/** The line around a closed call, px. */
const CALL = [4, 3];
/** Between two lines aslant, px. */
const HATCH = 7;
/** A label alone, CSS px: at most, and at least so that it can be read; few sizes, as each costs. */
const LABEL = { most: 9, least: 5, step: 0.5 };

/** A box with its texts, or an open one's border and title. */
export function paintBox(brush: Brush, sheet: Sheet, index: number): void {
  const { ctx, theme } = brush;
  const { marks, columns } = sheet;
  const box = boxOf(sheet, index);
  const { fill, line } = paintFor(sheet, index);
  const [x, y, w, h] = [columns.x[index]!, columns.y[index]!, columns.w[index]!, columns.h[index]!];
  const selected = index === marks.selected;
  const round = roundOf(box);
  if (marks.matches.has(index)) paintRing(brush, sheet, index);
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, round);
  ctx.fillStyle = box.open ? theme.ground : selected ? theme.selected.fill : fill;
  ctx.fill();
  if (!box.open && isUnreported(sheet, index)) hatch(brush, sheet, index);
  if (box.open) band(brush, x, y, w, selected ? theme.selected.fill : fill);
  const share = marks.colours?.lengths?.[index];
  if (!box.open && share !== undefined) bar(brush, sheet, index, share);
  else if (!box.open) strip(brush, sheet, index);
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, round);
  ctx.strokeStyle = selected ? theme.selected.line : line;
  ctx.lineWidth = selected ? 2 : index === marks.hovered ? 1.75 : 1;
  ctx.setLineDash(dashOf(sheet, index, box));
  ctx.stroke();
  ctx.setLineDash([]);
  const inked = isPale(marks, index) ? { ...brush, theme: theme.pale ?? theme } : brush;
  if (brush.zoom >= TYPES) texts(inked, box, x, y, w, h);
  else if (!box.open) label(inked, box, x, y, w, h);
}

/** How the line around a box is broken: the colours may say that; else that of a closed call is. */
function dashOf(sheet: Sheet, index: number, { item, open }: Box): readonly number[] {
  return classFor(sheet, index)?.dash ?? (item.family === 'call' && !open ? CALL : []);
}

function roundOf({ item, open }: Box): number {
  if (open) return ROUND;
  return isPill(item) ? PILL.height / 2 : item.free ? CHIP.height / 2 : ROUND;
}

const isUnreported = ({ marks: { colours } }: Sheet, index: number): boolean =>
  colours?.classes[colours.of[index]!]?.paint === 'unreported';

/** Lines aslant, of what nothing is known of. */
function hatch({ ctx, zoom }: Brush, sheet: Sheet, index: number): void {
  const { x, y, w, h } = sheet.columns;
  const [left, top, wide, high] = [x[index]!, y[index]!, w[index]!, h[index]!];
  ctx.beginPath();
  for (let at = HATCH; at < wide + high; at += HATCH) {
    ctx.moveTo(left + Math.max(0, at - high), top + Math.min(at, high));
    ctx.lineTo(left + Math.min(at, wide), top + Math.max(0, at - wide));
  }
  ctx.strokeStyle = paintFor(sheet, index).shades[3] ?? paintFor(sheet, index).line;
  ctx.lineWidth = 0.75 / Math.min(1, zoom);
  ctx.stroke();
}

/** The strip behind an open box's title. Edges enter above it and go on below it. */
function band({ ctx }: Brush, x: number, y: number, w: number, fill: string): void {
  ctx.beginPath();
  ctx.roundRect(x, y, w, FRAME.title, [ROUND, ROUND, 0, 0]);
  ctx.fillStyle = fill;
  ctx.fill();
}

/** How much of the whole a box has, as a bar in the colour of that. */
function bar({ ctx }: Brush, sheet: Sheet, index: number, share: number): void {
  const { x, y, w, h } = sheet.columns;
  const length = (w[index]! - 2 * STRIP.side) * share;
  if (!(length >= 2)) return;
  ctx.fillStyle = paintFor(sheet, index).line;
  const top = y[index]! + h[index]! - STRIP.bottom - STRIP.height;
  ctx.fillRect(x[index]! + STRIP.side, top, length, STRIP.height);
}

/** What a closed box holds, each class as long as it has eqns. */
function strip({ ctx }: Brush, sheet: Sheet, index: number): void {
  const held = sheet.marks.colours?.within[index];
  if (!held) return;
  const { x, y, w, h } = sheet.columns;
  const whole = held.reduce((sum, count) => sum + count, 0);
  const length = w[index]! - 2 * STRIP.side;
  const paints = isPale(sheet.marks, index) ? sheet.pale : sheet.paints;
  let at = x[index]! + STRIP.side;
  const top = y[index]! + h[index]! - STRIP.bottom - STRIP.height;
  held.forEach((count, one) => {
    const part = (length * count) / whole;
    if (part > 0) {
      ctx.fillStyle = paints[one]!.line;
      ctx.fillRect(at, top, part, STRIP.height);
    }
    at += part;
  });
}

/** Says that a box is selected, hovered or found, at any zoom. */
export function paintRing(brush: Brush, sheet: Sheet, index: number): void {
  const { ctx, theme, zoom } = brush;
  const { marks, columns } = sheet;
  const found = marks.matches.has(index);
  const wide =
    (index === marks.match ? 3 : found || index === marks.selected ? 2 : 1.5) / Math.min(zoom, 1);
  const out = found ? Math.max(3, 3 / zoom) : 0;
  ctx.beginPath();
  ctx.roundRect(
    columns.x[index]! - out,
    columns.y[index]! - out,
    columns.w[index]! + 2 * out,
    columns.h[index]! + 2 * out,
    ROUND + out,
  );
  ctx.strokeStyle = found
    ? theme.match
    : index === marks.selected
      ? theme.selected.line
      : theme.hovered;
  ctx.lineWidth = wide;
  ctx.stroke();
}

/** Says that a selection elsewhere is linked to a box: two lines around it, dashes for a guess. */
export function paintLink(
  { ctx, theme, zoom, ...bounds }: Brush,
  sheet: Sheet,
  index: number,
): void {
  const { x, y, w, h } = sheet.columns;
  const scale = 1 / Math.min(zoom, 1);
  const [left, top, wide, high] = [x[index]!, y[index]!, w[index]!, h[index]!];
  if (!inView(bounds, { x: left, y: top, w: wide, h: high })) return;
  const out = LINK.out * scale;
  ctx.beginPath();
  ctx.roundRect(left - out, top - out, wide + 2 * out, high + 2 * out, ROUND + out);
  ctx.strokeStyle = theme.selected.line;
  ctx.lineWidth = LINK.width * scale;
  ctx.setLineDash(sheet.marks.guesses.has(index) ? LINK.dashes.map((one) => one * scale) : []);
  ctx.stroke();
  ctx.setLineDash([]);
}

function texts(brush: Brush, box: Box, x: number, y: number, w: number, h: number): void {
  const { ctx, theme } = brush;
  const { side } = isPill(box.item) ? PILL : box.item.free ? CHIP : BOX;
  const size = box.item.free ? SMALL : FONT;
  const middle = y + (box.open ? FRAME.title : h) / 2 + 0.5;
  const fold = box.item.foldable ? FOLD : 0;
  const label = textWidth(box.label, size);
  const whole = label + (box.note === '' ? 0 : APART + textWidth(box.note));
  const begin = titleStart(box.open, x, w, brush.left);
  const aligned = box.item.foldable || box.count !== '';
  const start = begin + (aligned ? side + fold : Math.max(side, (w - whole) / 2));
  if (fold > 0) triangle(brush, begin + side, middle, box.open);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.font = `${size}px ${theme.font}`;
  ctx.fillStyle = theme.ink;
  ctx.fillText(box.label, start, middle, label);
  ctx.fillStyle = theme.faint;
  if (box.note !== '') ctx.fillText(box.note, start + label + APART, middle, textWidth(box.note));
  if (box.open || box.count === '') return;
  ctx.textAlign = 'right';
  ctx.fillText(box.count, x + w - side, middle, textWidth(box.count));
}

/** The label alone, as large as the box allows, where that can be read. */
export function label(
  { ctx, theme, zoom }: Brush,
  box: Box,
  x: number,
  y: number,
  w: number,
  h: number,
): void {
  const fits = (w - APART) / textWidth(box.label, 1);
  const size =
    Math.floor(Math.min(0.8 * h * zoom, LABEL.most, fits * zoom) / LABEL.step) * LABEL.step;
  if (size < LABEL.least) return;
  ctx.font = `${(size / zoom).toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.fillStyle = theme.ink;
  ctx.fillText(box.label, x + w / 2, y + h / 2, w - APART);
}

function triangle({ ctx, theme }: Brush, x: number, middle: number, open: boolean): void {
  ctx.beginPath();
  if (open) {
    ctx.moveTo(x - 1, middle - 2.5);
    ctx.lineTo(x + 7, middle - 2.5);
    ctx.lineTo(x + 3, middle + 3);
  } else {
    ctx.moveTo(x, middle - 4);
    ctx.lineTo(x + 6, middle);
    ctx.lineTo(x, middle + 4);
  }
  ctx.fillStyle = theme.faint;
  ctx.fill();
}

/** The type of what flows out, beside where it leaves. */
export function paintType({ ctx, theme }: Brush, sheet: Sheet, index: number): void {
  const { type, typeX, typeY } = boxOf(sheet, index);
  if (type === '') return;
  ctx.font = `${SMALL}px ${theme.font}`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = theme.ground;
  ctx.lineWidth = 3;
  const width = textWidth(type, SMALL);
  ctx.strokeText(type, typeX, typeY, width);
  ctx.fillStyle = theme.faint;
  ctx.fillText(type, typeX, typeY, width);
}

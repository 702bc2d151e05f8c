import { isPill } from '../layout/caption';
import { APART, BOX, FOLD, FONT, FRAME, PILL, SMALL, textWidth } from '../layout/measure';
import type { Box } from '../layout/scene';
import { titleStart } from './hit';
import type { Brush, Marks } from './paint';
import { TYPES } from './paint';
import type { Paint, Theme } from './theme';

const ROUND = 4;
/** Text in the overview, CSS px: at most, and at least so that it can be read. */
const BLOCK_FONT = 9;
const LEAST_FONT = 5.5;

function paintOf(theme: Theme, { item }: Box): Paint {
  if (isPill(item)) return theme.pill;
  return item.family === null ? theme.group : theme.family[item.family];
}

/** A box with its texts, or an open one's border and title. */
export function paintBox(brush: Brush, box: Box, index: number, marks: Marks): void {
  const { ctx, theme } = brush;
  const { fill, line } = paintOf(theme, box);
  const selected = index === marks.selected;
  const round = isPill(box.item) && !box.open ? PILL.height / 2 : ROUND;
  ring(brush, box, index, marks, round);
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, round);
  ctx.fillStyle = box.open ? theme.ground : selected ? theme.selected.fill : fill;
  ctx.fill();
  if (box.open) band(brush, box, selected ? theme.selected.fill : fill, round);
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, box.h, round);
  ctx.strokeStyle = selected ? theme.selected.line : line;
  ctx.lineWidth = selected ? 2 : index === marks.hovered ? 1.75 : 1;
  ctx.setLineDash(box.item.family === 'call' && !box.open ? [4, 3] : []);
  ctx.stroke();
  ctx.setLineDash([]);
  texts(brush, box);
}

/** A box as a block of colour, for the overview. */
export function paintBlock(brush: Brush, box: Box, index: number, marks: Marks): void {
  const { ctx, theme, zoom } = brush;
  const { fill, line } = paintOf(theme, box);
  const selected = index === marks.selected;
  if (marks.matches.has(index)) ring(brush, box, index, marks, ROUND);
  ctx.fillStyle = selected ? theme.selected.line : box.open ? theme.ground : fill;
  ctx.fillRect(box.x, box.y, box.w, box.h);
  if (box.open && !selected) {
    ctx.fillStyle = fill;
    ctx.fillRect(box.x, box.y, box.w, FRAME.title);
  }
  ctx.strokeStyle = selected ? theme.selected.line : line;
  ctx.lineWidth = Math.min(1 / zoom, 3);
  ctx.strokeRect(box.x, box.y, box.w, box.h);
  blockLabel(brush, box);
}

/** The label of a block as large as the block allows, where that can be read. */
function blockLabel({ ctx, theme, zoom }: Brush, box: Box): void {
  const height = box.open ? FRAME.title : box.h;
  const room = (box.w - APART) / textWidth(box.label, 1);
  const tall = box.open ? 1.4 : 0.85;
  const size = Math.min(tall * height, BLOCK_FONT / zoom, room);
  if (size * zoom < LEAST_FONT) return;
  ctx.font = `${size}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = box.open ? 'left' : 'center';
  ctx.fillStyle = theme.ink;
  const x = box.open ? box.x + APART : box.x + box.w / 2;
  ctx.fillText(box.label, x, box.y + height / 2, box.w - APART);
}

/** The strip behind an open box's title. Edges enter above it and go on below it. */
function band({ ctx }: Brush, box: Box, fill: string, round: number): void {
  ctx.beginPath();
  ctx.roundRect(box.x, box.y, box.w, FRAME.title, [round, round, 0, 0]);
  ctx.fillStyle = fill;
  ctx.fill();
}

function ring(brush: Brush, box: Box, index: number, marks: Marks, round: number): void {
  if (!marks.matches.has(index)) return;
  const { ctx, theme, zoom } = brush;
  const current = index === marks.match;
  const out = Math.max(3, 3 / zoom);
  ctx.beginPath();
  ctx.roundRect(box.x - out, box.y - out, box.w + 2 * out, box.h + 2 * out, round + out);
  ctx.strokeStyle = theme.match;
  ctx.lineWidth = (current ? 3 : 1.5) / Math.min(zoom, 1);
  ctx.stroke();
}

function texts(brush: Brush, box: Box): void {
  const { ctx, theme } = brush;
  const side = isPill(box.item) ? PILL.side : BOX.side;
  const middle = box.y + (box.open ? FRAME.title : box.h) / 2 + 0.5;
  const fold = box.item.foldable ? FOLD : 0;
  const label = textWidth(box.label);
  const whole = label + (box.note === '' ? 0 : APART + textWidth(box.note));
  const begin = titleStart(box, brush.left);
  const start = begin + (box.item.foldable ? side + fold : Math.max(side, (box.w - whole) / 2));
  if (fold > 0) triangle(brush, begin + side, middle, box.open);
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.font = `${FONT}px ${theme.font}`;
  ctx.fillStyle = theme.ink;
  ctx.fillText(box.label, start, middle, label);
  ctx.fillStyle = theme.faint;
  if (box.note !== '') ctx.fillText(box.note, start + label + APART, middle, textWidth(box.note));
  if (box.open || box.count === '' || brush.zoom < TYPES) return;
  ctx.textAlign = 'right';
  ctx.fillText(box.count, box.x + box.w - side, middle, textWidth(box.count));
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
export function paintType({ ctx, theme }: Brush, box: Box): void {
  if (box.type === '') return;
  ctx.font = `${SMALL}px ${theme.font}`;
  ctx.textBaseline = 'top';
  ctx.textAlign = 'left';
  ctx.lineJoin = 'round';
  ctx.strokeStyle = theme.ground;
  ctx.lineWidth = 3;
  const x = box.typeX;
  const y = box.y + box.h + 4;
  const width = textWidth(box.type, SMALL);
  ctx.strokeText(box.type, x, y, width);
  ctx.fillStyle = theme.faint;
  ctx.fillText(box.type, x, y, width);
}

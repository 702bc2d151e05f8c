import { signsOf } from '../facts/colours/colouring';
import { SMALL, textWidth } from '../layout/measure';
import { BADGE, LAP } from '../picture/looks';
import { isPale } from '../picture/marks';
import type { Brush, Sheet } from './sheet';
import type { Paint } from './theme';

/** It is read at this size from afar too, CSS px, as long as it is no larger than its box. */
const AFAR = 9;
const LEAST = 5.5;

/** What a box's class is called by a sign, or how many it holds of each class that has one. */
export function paintBadge(brush: Brush, sheet: Sheet, index: number): void {
  const parts = partsOf(sheet, index);
  if (parts.length === 0) return;
  const { ctx, theme, zoom } = brush;
  const { x, y, h } = sheet.columns;
  const most = (h[index]! * SMALL) / BADGE.height;
  const font = Math.max(SMALL, Math.min(AFAR / zoom, most));
  if (font * zoom < LEAST) return;
  const scale = font / SMALL;
  const height = BADGE.height * scale;
  const wide = parts.length > 1 || (parts[0]?.text.length ?? 0) > 1;
  let left = x[index]! + LAP.right - height;
  const top = y[index]! + (wide ? LAP.wide : LAP.down) - height;
  ctx.font = `bold ${font.toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  for (const { text, paint } of parts) {
    const width = Math.max(height, textWidth(text, font) + 2 * BADGE.side * scale);
    ctx.beginPath();
    ctx.roundRect(left, top, width, height, 3 * scale);
    ctx.fillStyle = paint.line;
    ctx.fill();
    ctx.fillStyle = theme.ground;
    ctx.fillText(text, left + width / 2, top + height / 2 + 0.5 * scale, width);
    left += width + scale;
  }
}

function partsOf(sheet: Sheet, index: number): { text: string; paint: Paint }[] {
  const { colours } = sheet.marks;
  const paints = isPale(sheet.marks, index) ? sheet.pale : sheet.paints;
  if (!colours) return [];
  return signsOf(colours, index).map((sign) => ({
    text: sign.text,
    paint: paints[sign.class] as Paint,
  }));
}

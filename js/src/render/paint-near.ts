/** Paints boxes and edges on a canvas, with their texts, strips, signs and rings. */
import { signsOf } from '../facts/colours/colouring';
import { APART, FRAME, SMALL, textWidth } from '../layout/measure';
import type { Box, Edge, Mention } from '../layout/scene';
import {
  BADGE,
  badgeAt,
  badgeWidth,
  classOf,
  DASHES,
  dashOf,
  isOdd,
  isPale,
  isQuiet,
  LABEL_APART,
  LIT_SCALE,
  ROUND,
  roundOf,
  STRIP,
  sheetsBehind,
  stripOf,
  textsOf,
  titleStart,
} from '../picture/appearance';
import { arrowhead, curve, foldTriangle, hatch } from '../picture/pen';
import { type Brush, boxOf, inView, paintFor, type Sheet, TYPES_ZOOM } from './sheet';
import type { Paint, Theme } from './theme';

/** The ring around a linked box, CSS px: its distance and its width. */
const LINK_RING = { out: 3, width: 2 };
/** The font size of a label that stands alone, CSS px: at most, and at least so that it can be read. It changes in
 * steps, because each new size costs time. */
const LABEL_SIZE = { most: 9, least: 5, step: 0.5 };

/** A box with its texts, or an open one's border and title. */
export function paintBox(brush: Brush, sheet: Sheet, index: number): void {
  const { ctx, theme } = brush;
  const { marks, columns } = sheet;
  const box = boxOf(sheet, index);
  const { fill, line } = paintFor(sheet, index);
  const [x, y, w, h] = [columns.x[index]!, columns.y[index]!, columns.w[index]!, columns.h[index]!];
  const selected = index === marks.selected;
  const odd = isOdd(box);
  const round = roundOf(box);
  if (marks.matches.has(index)) paintRing(brush, sheet, index);
  sheets(brush, sheet, index);
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, round);
  ctx.fillStyle = box.open ? theme.ground : selected ? theme.selected.fill : fill;
  ctx.fill();
  if (!box.open && classOf(marks, index)?.paint === 'unreported') aslant(brush, sheet, index);
  if (box.open) band(brush, x, y, w, selected ? theme.selected.fill : fill);
  const below = box.open ? 0 : strip(brush, sheet, index);
  ctx.beginPath();
  ctx.roundRect(x, y, w, h, round);
  ctx.strokeStyle = selected ? theme.selected.line : odd ? inkOf(brush, sheet, index).odd : line;
  ctx.lineWidth = selected || odd ? 2 : index === marks.hovered ? 1.75 : 1;
  ctx.setLineDash(dashOf(box, classOf(marks, index)));
  ctx.stroke();
  ctx.setLineDash([]);
  const inked = { ...brush, theme: inkOf(brush, sheet, index) };
  if (brush.zoom >= TYPES_ZOOM) texts(inked, box, x, y, w, h);
  else if (!box.open) label(inked, box, x, y, w, h - below);
}

/** The theme of a box: pale if it is faint. */
const inkOf = ({ theme }: Brush, { marks }: Sheet, index: number): Theme =>
  (isPale(marks, index) && theme.pale) || theme;

/** The sheets behind a closed run of equal groups. */
function sheets({ ctx }: Brush, sheet: Sheet, index: number): void {
  const { x, y, w, h } = sheet.columns;
  const { fill, line } = paintFor(sheet, index);
  const at = { x: x[index]!, y: y[index]!, w: w[index]!, h: h[index]! };
  for (const one of sheetsBehind({ ...boxOf(sheet, index), ...at })) {
    ctx.beginPath();
    ctx.roundRect(one.x, one.y, one.w, one.h, ROUND);
    ctx.fillStyle = fill;
    ctx.fill();
    ctx.strokeStyle = line;
    ctx.lineWidth = 1;
    ctx.stroke();
  }
}

/** Slanting lines across a box about which nothing is reported. */
function aslant({ ctx, zoom }: Brush, sheet: Sheet, index: number): void {
  const { x, y, w, h } = sheet.columns;
  ctx.beginPath();
  hatch(ctx, { x: x[index]!, y: y[index]!, w: w[index]!, h: h[index]! });
  ctx.strokeStyle = paintFor(sheet, index).shades[3] ?? paintFor(sheet, index).line;
  ctx.lineWidth = 0.75 / Math.min(1, zoom);
  ctx.stroke();
}

/** The band behind the title of an open box. Edges enter above it and continue below it. */
function band({ ctx }: Brush, x: number, y: number, w: number, fill: string): void {
  ctx.beginPath();
  ctx.roundRect(x, y, w, FRAME.title, [ROUND, ROUND, 0, 0]);
  ctx.fillStyle = fill;
  ctx.fill();
}

/** The strip in a closed box: its classes, or its share of the whole. Returns the height, px, that it takes from
 * texts. */
function strip({ ctx }: Brush, sheet: Sheet, index: number): number {
  const { colours } = sheet.marks;
  if (!colours) return 0;
  const { x, y, w, h } = sheet.columns;
  const paints = isPale(sheet.marks, index) ? sheet.pale : sheet.paints;
  const top = y[index]! + h[index]! - STRIP.bottom - STRIP.height;
  const parts = stripOf(boxOf(sheet, index), colours, index, w[index]!);
  for (const { class: one, from, length } of parts) {
    ctx.fillStyle = paints[one]!.line;
    ctx.fillRect(x[index]! + from, top, length, STRIP.height);
  }
  return parts.length > 0 ? STRIP.bottom + STRIP.height : 0;
}

/** The ring around a selected, hovered or found box, visible at any zoom. */
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

/** The ring around a linked box, dashed for a guess. */
export function paintLink(
  { ctx, theme, zoom, ...bounds }: Brush,
  sheet: Sheet,
  index: number,
): void {
  const { x, y, w, h } = sheet.columns;
  const scale = 1 / Math.min(zoom, 1);
  const [left, top, wide, high] = [x[index]!, y[index]!, w[index]!, h[index]!];
  if (!inView(bounds, { x: left, y: top, w: wide, h: high })) return;
  const out = LINK_RING.out * scale;
  ctx.beginPath();
  ctx.roundRect(left - out, top - out, wide + 2 * out, high + 2 * out, ROUND + out);
  ctx.strokeStyle = theme.selected.line;
  ctx.lineWidth = LINK_RING.width * scale;
  ctx.setLineDash(sheet.marks.guesses.has(index) ? DASHES.map((one) => one * scale) : []);
  ctx.stroke();
  ctx.setLineDash([]);
}

/** The triangle, label, note and count of a box. */
function texts(brush: Brush, box: Box, x: number, y: number, w: number, h: number): void {
  const { ctx, theme } = brush;
  const middle = y + (box.open ? FRAME.title : h) / 2 + 0.5;
  const begin = titleStart(box.open, x, w, brush.left);
  const at = textsOf(box, w);
  ctx.fillStyle = theme.faint;
  if (at.triangle !== null) {
    ctx.beginPath();
    foldTriangle(ctx, begin + at.triangle, middle, box.open);
    ctx.fill();
  }
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  ctx.font = `${at.size}px ${theme.font}`;
  ctx.fillStyle = isQuiet(box.item) ? theme.faint : theme.ink;
  ctx.fillText(box.label, begin + at.label, middle, textWidth(box.label, at.size));
  ctx.fillStyle = theme.faint;
  if (box.note !== '') ctx.fillText(box.note, begin + at.note, middle, textWidth(box.note));
  if (box.open || box.count === '') return;
  ctx.textAlign = 'right';
  ctx.fillText(box.count, x + at.count, middle, textWidth(box.count));
}

/** The label alone, as large as the box allows, if that can be read. */
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
    Math.floor(Math.min(0.8 * h * zoom, LABEL_SIZE.most, fits * zoom) / LABEL_SIZE.step) *
    LABEL_SIZE.step;
  if (size < LABEL_SIZE.least) return;
  ctx.font = `${(size / zoom).toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.fillStyle = theme.ink;
  ctx.fillText(box.label, x + w / 2, y + h / 2, w - APART);
}

/** The type of a box's result, beside where it leaves the box. */
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

/** The font size of a badge in an overview, CSS px, unless the badge would be larger than its box. */
const AFAR_BADGE = 9;
/** A badge whose font would be smaller than this is not drawn, CSS px. */
const LEAST_BADGE = 5.5;

/** The badges of a box: the sign of its colour class, or for each class with a sign the number of its boxes inside. */
export function paintBadge(brush: Brush, sheet: Sheet, index: number): void {
  const parts = badgeParts(sheet, index);
  if (parts.length === 0) return;
  const { ctx, theme, zoom } = brush;
  const { h } = sheet.columns;
  const texts = parts.map(({ text }) => text);
  const most = (h[index]! * SMALL) / BADGE.height;
  const font = Math.max(SMALL, Math.min(AFAR_BADGE / zoom, most));
  if (font * zoom < LEAST_BADGE) return;
  const scale = font / SMALL;
  const height = BADGE.height * scale;
  const { x, y: top } = badgeAt(sheet.scene, index, texts, font);
  let left = x;
  ctx.font = `bold ${font.toFixed(2)}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  for (const { text, paint } of parts) {
    const width = badgeWidth(text, font);
    ctx.beginPath();
    ctx.roundRect(left, top, width, height, 3 * scale);
    ctx.fillStyle = paint.line;
    ctx.fill();
    ctx.fillStyle = theme.ground;
    ctx.fillText(text, left + width / 2, top + height / 2 + 0.5 * scale, width);
    left += width + scale;
  }
}

function badgeParts(sheet: Sheet, index: number): { text: string; paint: Paint }[] {
  const { colours } = sheet.marks;
  const paints = isPale(sheet.marks, index) ? sheet.pale : sheet.paints;
  if (!colours) return [];
  return signsOf(colours, index).map((sign) => ({
    text: sign.text,
    paint: paints[sign.class] as Paint,
  }));
}

// Edges, arrowheads, and the texts beside them.

/** The zoom below which there are no arrowheads: they would be dots. */
const ARROWHEADS_ZOOM = 0.3;
/** The least opacity of edges, in the farthest overview, where they would cover the boxes. */
const LEAST_OPACITY = 0.25;

/** Paints unmarked edges in two strokes: solid lines, and dashed ones. */
export function paintQuiet({ ctx, theme, zoom }: Brush, edges: readonly Edge[]): void {
  ctx.strokeStyle = theme.edge;
  ctx.lineWidth = Math.max(1, 0.5 / zoom);
  ctx.globalAlpha = Math.min(1, LEAST_OPACITY + 2 * zoom);
  for (const dashed of [false, true]) {
    const some = edges.filter((edge) => edge.dashed === dashed);
    if (some.length === 0) continue;
    ctx.beginPath();
    for (const { points } of some) curve(ctx, points);
    ctx.setLineDash(dashed ? DASHES : []);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  if (zoom < ARROWHEADS_ZOOM) return;
  ctx.beginPath();
  for (const edge of edges) if (edge.arrow) arrowhead(ctx, edge);
  ctx.fillStyle = theme.edge;
  ctx.fill();
}

/** Paints the edges of the selected or hovered box: thick, and cut ones too. */
export function paintLit({ ctx, theme, zoom }: Brush, edges: readonly Edge[]): void {
  ctx.strokeStyle = theme.selected.line;
  ctx.fillStyle = theme.selected.line;
  ctx.lineWidth = 2 / Math.min(1, zoom);
  for (const edge of edges) {
    ctx.beginPath();
    ctx.setLineDash(edge.cut ? [6, 4] : []);
    curve(ctx, edge.points);
    ctx.stroke();
    ctx.beginPath();
    if (edge.arrow && !edge.cut) arrowhead(ctx, edge, LIT_SCALE);
    ctx.fill();
  }
  ctx.setLineDash([]);
}

export function paintMentions(brush: Brush, mentions: readonly Mention[]): void {
  const { ctx, theme } = brush;
  ctx.font = `${SMALL}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.fillStyle = theme.faint;
  for (const mention of mentions) {
    if (!inView(brush, mention)) continue;
    ctx.fillText(mention.text, mention.x + mention.w / 2, mention.y + mention.h / 2, mention.w);
  }
}

/** The texts above and below an edge between lanes. */
export function paintLabels(brush: Brush, edges: readonly Edge[]): void {
  const { ctx, theme } = brush;
  ctx.font = `${SMALL}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.fillStyle = theme.faint;
  for (const { label, note, labelX, labelY } of edges) {
    if (label === '' || labelX < brush.left - 200 || labelX > brush.right + 200) continue;
    if (labelY < brush.top || labelY > brush.bottom) continue;
    ctx.fillText(label, labelX, labelY - LABEL_APART);
    if (note !== '') ctx.fillText(note, labelX, labelY + LABEL_APART);
  }
}

/** Paints boxes as blocks of colour, from so far away that their texts cannot be read. */
import { FRAME } from '../layout/measure';
import { isPale } from '../picture/looks';
import { label, paintRing } from './boxes';
import { each, type Indices } from './scene-columns';
import { type Brush, boxOf, paintFor, paleOf, type Sheet } from './sheet';
import { type Paint, SHADES } from './theme';

/** Between these zooms the colour of a block goes from that of its line to that of its fill, on
 * which text can be read. */
const LINE_COLOUR_ZOOM = 0.1;
const FILL_COLOUR_ZOOM = 0.25;
/** The least side of a block, CSS px, so that none is lost. */
const LEAST_BLOCK = 1.5;
/** Blocks smaller than this have no outline, and open boxes smaller than this are not drawn, CSS
 * px. */
const LEAST_OUTLINED = 4;

/** Paints boxes as blocks: first the open ones, then what `between` paints, then the closed ones. */
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

/** The index of the shade of a paint that blocks have at a zoom. */
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

/** Memory for the sorting, used again for each frame. */
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

/** An open box: a thin line around what it holds. */
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

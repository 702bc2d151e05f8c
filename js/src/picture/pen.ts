/** Writes SVG, and draws paths (edges, arrowheads, triangles) with a pen: a canvas, or a writer of SVG. All texts are
 * escaped here, so that no text of a program becomes markup. */
import type { Rect } from '../layout/measure';
import { oneLine } from '../layout/measure';
import type { Edge } from '../layout/scene';
import { diagonals, type Line } from './shapes';

/** The fonts of a picture: monospaced, as its texts are measured in columns. */
export const FAMILY = "ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace";

/** The characters that are markup in SVG. */
const ENTITIES = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

/** A text without markup. */
export const escaped = (text: string): string =>
  text.replace(/[&<>]/g, (char) => ENTITIES.get(char) ?? char);

/** The escaped text on one line. */
export const oneLined = (text: string): string => escaped(oneLine(text));

/** A length to a tenth of a px, as text. */
export const px = (length: number): string => String(Math.round(length * 10) / 10);

/** A point, as a path has it. */
const at = (x: number, y: number): string => `${px(x)} ${px(y)}`;

/** A text. Its baseline begins at (x, y); the class `kind` may centre it there, or end it there. */
export const text = (kind: string, x: number, y: number, own: string): string =>
  `<text class="${kind}" x="${px(x)}" y="${px(y)}">${oneLined(own)}</text>`;

/** The dashes of a line as an attribute; empty for a solid line. */
export const broken = (dash: readonly number[]): string =>
  dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;

/** The part of a canvas context that draws paths. `SvgPen` writes them as SVG. */
export interface Pen {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void;
  closePath(): void;
}

/** Writes a path as SVG. */
class SvgPen implements Pen {
  written = '';
  private x = '';
  private y = '';

  moveTo(x: number, y: number): void {
    this.to(x, y, `M${at(x, y)}`);
  }

  lineTo(x: number, y: number): void {
    const level = px(y) === this.y ? `H${px(x)}` : `L${at(x, y)}`;
    this.to(x, y, px(x) === this.x ? `V${px(y)}` : level);
  }

  bezierCurveTo(x1: number, y1: number, x2: number, y2: number, x: number, y: number): void {
    this.to(x, y, `C${at(x1, y1)} ${at(x2, y2)} ${at(x, y)}`);
  }

  closePath(): void {
    this.written += 'z';
  }

  private to(x: number, y: number, step: string): void {
    this.x = px(x);
    this.y = px(y);
    this.written += step;
  }
}

/** The path that `draw` draws, as the `d` of an SVG path. */
export function pathOf(draw: (pen: Pen) => void): string {
  const pen = new SvgPen();
  draw(pen);
  return pen.written;
}

/** The radius of an edge's corners, px. */
const CORNER_RADIUS = 7;
/** The distance of a cubic's control points from its ends that makes it nearly a quarter of a unit circle. */
const QUARTER_CIRCLE = 0.5523;
/** The length and half the width of an arrowhead, px. */
const ARROWHEAD = { length: 7, half: 3.2 };

/** Draws an edge: straight where it runs level or upright, with rounded corners; else as a cubic. */
export function curve(pen: Pen, points: readonly number[]): void {
  pen.moveTo(points[0]!, points[1]!);
  for (let k = 2; k < points.length; k += 2) {
    const [fromX, fromY, x, y] = [points[k - 2]!, points[k - 1]!, points[k]!, points[k + 1]!];
    const middle = (fromY + y) / 2;
    if (fromX !== x && fromY !== y) pen.bezierCurveTo(fromX, middle, x, middle, x, y);
    else if (k + 2 < points.length) turn(pen, points, k);
    else pen.lineTo(x, y);
  }
}

/** Draws to the point at `k`. If the path turns there by a right angle, the corner is rounded. */
function turn(pen: Pen, points: readonly number[], k: number): void {
  const [fromX, fromY, x, y] = [points[k - 2]!, points[k - 1]!, points[k]!, points[k + 1]!];
  const [onX, onY] = [points[k + 2]!, points[k + 3]!];
  const isCorner = (fromX === x) !== (onX === x) && (onX === x) !== (onY === y);
  if (!isCorner) {
    pen.lineTo(x, y);
    return;
  }
  const before = Math.abs(x - fromX) + Math.abs(y - fromY);
  const after = Math.abs(onX - x) + Math.abs(onY - y);
  const round = Math.min(CORNER_RADIUS, before / 2, after / 2);
  const [inX, inY] = [Math.sign(x - fromX), Math.sign(y - fromY)];
  const [outX, outY] = [Math.sign(onX - x), Math.sign(onY - y)];
  const near = round * (1 - QUARTER_CIRCLE);
  pen.lineTo(x - inX * round, y - inY * round);
  pen.bezierCurveTo(
    x - inX * near,
    y - inY * near,
    x + outX * near,
    y + outY * near,
    x + outX * round,
    y + outY * round,
  );
}

/** The direction in which an arrowhead points, as (x, y). */
const HEADINGS = { down: [0, 1], up: [0, -1], right: [1, 0], left: [-1, 0] } as const;

/** An arrowhead at the last point. */
export function arrowhead(pen: Pen, { points, direction }: Edge, scale = 1): void {
  const [x, y] = [points.at(-2)!, points.at(-1)!];
  const [dx, dy] = HEADINGS[direction];
  const [backX, backY] = [x - dx * ARROWHEAD.length * scale, y - dy * ARROWHEAD.length * scale];
  const half = ARROWHEAD.half * scale;
  pen.moveTo(x, y);
  pen.lineTo(backX - dy * half, backY + dx * half);
  pen.lineTo(backX + dy * half, backY - dx * half);
  pen.closePath();
}

/** The triangle of a box that can be opened. It points down in an open box, and right in a closed one. */
export function foldTriangle(pen: Pen, x: number, middle: number, open: boolean): void {
  const [left, top] = open ? [x - 1, middle - 2.5] : [x, middle - 4];
  pen.moveTo(left, top);
  if (open) pen.lineTo(left + 8, top);
  pen.lineTo(open ? left + 4 : left + 6, open ? top + 5.5 : middle);
  if (!open) pen.lineTo(left, top + 8);
  pen.closePath();
}

/** Px between two slanting lines. */
const HATCH_APART = 7;

/** Slanting lines across a box. */
export const hatch = (pen: Pen, box: Rect): void => straight(pen, diagonals(box, HATCH_APART));

/** Straight lines through points. A line through more than two is closed. */
export function straight(pen: Pen, lines: readonly Line[]): void {
  for (const line of lines) {
    pen.moveTo(line[0]!, line[1]!);
    for (let at = 2; at < line.length; at += 2) pen.lineTo(line[at]!, line[at + 1]!);
    if (line.length > 4) pen.closePath();
  }
}

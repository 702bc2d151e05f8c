import { SMALL } from '../layout/measure';
import type { Edge, Mention } from '../layout/scene';
import { type Brush, inView } from './paint';

const ARROW = { length: 7, half: 3.2 };
/** Below this zoom arrowheads are dots of a pixel. */
const ARROWS = 0.3;
/** How much of an edge shows in the farthest overview, where edges would cover the boxes. */
const FAINTEST = 0.25;

/** All edges at rest, in one stroke. Cut ones are not drawn: their mentions are. */
export function paintQuiet(brush: Brush, edges: readonly Edge[], lit: ReadonlySet<number>): void {
  const { ctx, theme, zoom } = brush;
  const heads: Edge[] = [];
  ctx.beginPath();
  edges.forEach((edge, index) => {
    if (edge.cut || lit.has(index) || !edgeInView(brush, edge.points)) return;
    curve(ctx, edge.points);
    if (edge.arrow) heads.push(edge);
  });
  ctx.strokeStyle = theme.edge;
  ctx.lineWidth = Math.max(1, 0.5 / zoom);
  ctx.globalAlpha = Math.min(1, FAINTEST + 2 * zoom);
  ctx.stroke();
  ctx.globalAlpha = 1;
  if (zoom < ARROWS) return;
  ctx.beginPath();
  for (const { points } of heads) head(ctx, points, 1);
  ctx.fillStyle = theme.edge;
  ctx.fill();
}

/** The edges of what is selected or hovered: thick, cut ones whole. */
export function paintLit(brush: Brush, edges: readonly Edge[], lit: ReadonlySet<number>): void {
  const { ctx, theme, zoom } = brush;
  ctx.strokeStyle = theme.selected.line;
  ctx.fillStyle = theme.selected.line;
  ctx.lineWidth = 2 / Math.min(1, zoom);
  for (const index of lit) {
    const edge = edges[index];
    if (!edge || !edgeInView(brush, edge.points)) continue;
    ctx.beginPath();
    ctx.setLineDash(edge.cut ? [6, 4] : []);
    curve(ctx, edge.points);
    ctx.stroke();
    ctx.beginPath();
    if (edge.arrow && !edge.cut) head(ctx, edge.points, 1.5);
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

/** Points run downwards, so the first and last give the height. */
function edgeInView(brush: Brush, points: readonly number[]): boolean {
  const last = points.length - 1;
  if (points[1]! > brush.bottom || points[last]! < brush.top) return false;
  let left = Infinity;
  let right = -Infinity;
  for (let at = 0; at < last; at += 2) {
    left = Math.min(left, points[at]!);
    right = Math.max(right, points[at]!);
  }
  return left <= brush.right && right >= brush.left;
}

function curve(ctx: CanvasRenderingContext2D, points: readonly number[]): void {
  let x = points[0]!;
  let y = points[1]!;
  ctx.moveTo(x, y);
  for (let at = 2; at < points.length; at += 2) {
    const nextX = points[at]!;
    const nextY = points[at + 1]!;
    const middle = (y + nextY) / 2;
    if (nextX === x) ctx.lineTo(nextX, nextY);
    else ctx.bezierCurveTo(x, middle, nextX, middle, nextX, nextY);
    x = nextX;
    y = nextY;
  }
}

/** An arrowhead that points down at the last point. */
function head(ctx: CanvasRenderingContext2D, points: readonly number[], scale: number): void {
  const x = points[points.length - 2]!;
  const y = points[points.length - 1]!;
  ctx.moveTo(x, y);
  ctx.lineTo(x - ARROW.half * scale, y - ARROW.length * scale);
  ctx.lineTo(x + ARROW.half * scale, y - ARROW.length * scale);
  ctx.closePath();
}

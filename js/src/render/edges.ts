import { SMALL } from '../layout/measure';
import type { Edge, Mention } from '../layout/scene';
import { DASHES, LIT } from '../picture/looks';
import { arrowhead, curve } from '../picture/pen';
import { type Brush, inView } from './sheet';

/** Below this zoom arrowheads are dots of a pixel. */
const ARROWS = 0.3;
/** How much of an edge shows in the farthest overview, where edges would cover the boxes. */
const FAINTEST = 0.25;

/** All edges at rest, in two strokes: what flows on, and what returns. Cut ones are not drawn: their
 * mentions are. */
export function paintQuiet(brush: Brush, edges: readonly Edge[], lit: ReadonlySet<number>): void {
  const { ctx, theme, zoom } = brush;
  const seen: Edge[] = [];
  const bounds = boundsOf(edges);
  for (let index = 0; index < edges.length; index++) {
    const edge = edges[index]!;
    if (!edge.cut && edgeInView(brush, bounds, index) && !lit.has(index)) seen.push(edge);
  }
  ctx.strokeStyle = theme.edge;
  ctx.lineWidth = Math.max(1, 0.5 / zoom);
  ctx.globalAlpha = Math.min(1, FAINTEST + 2 * zoom);
  for (const returns of [false, true]) {
    const some = seen.filter((edge) => edge.returns === returns);
    if (some.length === 0) continue;
    ctx.beginPath();
    for (const { points } of some) curve(ctx, points);
    ctx.setLineDash(returns ? DASHES : []);
    ctx.stroke();
  }
  ctx.setLineDash([]);
  ctx.globalAlpha = 1;
  if (zoom < ARROWS) return;
  ctx.beginPath();
  for (const edge of seen) if (edge.arrow) arrowhead(ctx, edge);
  ctx.fillStyle = theme.edge;
  ctx.fill();
}

/** The edges of what is selected or hovered: thick, cut ones whole. */
export function paintLit(brush: Brush, edges: readonly Edge[], lit: ReadonlySet<number>): void {
  const { ctx, theme, zoom } = brush;
  ctx.strokeStyle = theme.selected.line;
  ctx.fillStyle = theme.selected.line;
  ctx.lineWidth = 2 / Math.min(1, zoom);
  const bounds = boundsOf(edges);
  for (const index of lit) {
    const edge = edges[index];
    if (!edge || !edgeInView(brush, bounds, index)) continue;
    ctx.beginPath();
    ctx.setLineDash(edge.cut ? [6, 4] : []);
    curve(ctx, edge.points);
    ctx.stroke();
    ctx.beginPath();
    if (edge.arrow && !edge.cut) arrowhead(ctx, edge, LIT);
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

/** Space between the middle of a label and its line, px. */
const OFF = 9;

/** What is carried from lane to lane, above and below the edge. */
export function paintLabels(brush: Brush, edges: readonly Edge[]): void {
  const { ctx, theme } = brush;
  ctx.font = `${SMALL}px ${theme.font}`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'center';
  ctx.fillStyle = theme.faint;
  for (const { label, note, labelX, labelY } of edges) {
    if (label === '' || labelX < brush.left - 200 || labelX > brush.right + 200) continue;
    if (labelY < brush.top || labelY > brush.bottom) continue;
    ctx.fillText(label, labelX, labelY - OFF);
    if (note !== '') ctx.fillText(note, labelX, labelY + OFF);
  }
}

function edgeInView(brush: Brush, bounds: Float64Array, index: number): boolean {
  const at = 4 * index;
  return (
    bounds[at]! <= brush.right &&
    bounds[at + 1]! <= brush.bottom &&
    bounds[at + 2]! >= brush.left &&
    bounds[at + 3]! >= brush.top
  );
}

/** Of each edge its left, top, right and bottom, px. */
function boundsOf(edges: readonly Edge[]): Float64Array {
  const known = measured.get(edges);
  if (known) return known;
  const bounds = new Float64Array(4 * edges.length);
  edges.forEach(({ points }, index) => {
    const at = 4 * index;
    bounds.set([Infinity, Infinity, -Infinity, -Infinity], at);
    for (let k = 0; k < points.length; k++) {
      const low = at + (k % 2);
      bounds[low] = Math.min(bounds[low]!, points[k]!);
      bounds[low + 2] = Math.max(bounds[low + 2]!, points[k]!);
    }
  });
  measured.set(edges, bounds);
  return bounds;
}

const measured = new WeakMap<readonly Edge[], Float64Array>();

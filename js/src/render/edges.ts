/** Paints edges and arrowheads on a canvas, and the texts beside them. */
import { SMALL } from '../layout/measure';
import type { Edge, Mention } from '../layout/scene';
import { DASHES, LABEL_APART, LIT } from '../picture/looks';
import { arrowhead, curve } from '../picture/pen';
import { type Brush, inView } from './sheet';

/** The zoom below which there are no arrowheads: they would be dots. */
const ARROWHEADS_ZOOM = 0.3;
/** The least opacity of edges, in the farthest overview, where they would cover the boxes. */
const LEAST_OPACITY = 0.25;

/** All edges at rest, in two strokes: those that flow on, and those that return. Cut edges are not
 * drawn, as names stand for them. */
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
  ctx.globalAlpha = Math.min(1, LEAST_OPACITY + 2 * zoom);
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
  if (zoom < ARROWHEADS_ZOOM) return;
  ctx.beginPath();
  for (const edge of seen) if (edge.arrow) arrowhead(ctx, edge);
  ctx.fillStyle = theme.edge;
  ctx.fill();
}

/** The edges of what is selected or hovered: thick, and cut ones too. */
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

function edgeInView(brush: Brush, bounds: Float64Array, index: number): boolean {
  const at = 4 * index;
  return (
    bounds[at]! <= brush.right &&
    bounds[at + 1]! <= brush.bottom &&
    bounds[at + 2]! >= brush.left &&
    bounds[at + 3]! >= brush.top
  );
}

/** The left, top, right and bottom of each edge, px, found once for a list of edges. */
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

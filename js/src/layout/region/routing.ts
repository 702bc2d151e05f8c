/** Finds the points through which each edge of a region runs. */
import { TURN_APART } from './folding';
import type { Rows } from './layering';
import { isotonic, snap } from './placing';
import type { Layered } from './region';
import { adjacency, type Neighbours, type Region } from './region';
import type { Bands, Columns } from './stacking';

/** Edges enter a box within this share of its width, in the middle. */
const ENTRY_SHARE = 0.6;
/** Px between two edges that enter a box, if there is room. */
const ENTRY_APART = 12;

/** The px right of its target's centre at which each edge enters. If the region does not say it, the edges of a box
 * enter in the order of their origins, each as near to its origin as the others allow. */
export function enterTargets(region: Region, graph: Layered, x: Float64Array): Float64Array {
  const count = region.source.length;
  const enters = new Float64Array(count).fill(Number.NaN);
  if (region.targetX) enters.set(region.targetX);
  const into = adjacency(graph.boxes, region.target);
  const from = origins(region, graph, x);
  const byOrigin = (a: number, b: number) => from[a]! - from[b]! || a - b;
  const edges = new Int32Array(count);
  const value = new Float64Array(count);
  const weight = new Float64Array(count).fill(1);
  for (let v = 0; v < graph.boxes; v++) {
    let free = 0;
    for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
      if (Number.isNaN(enters[into.link[k]!]!)) edges[free++] = into.link[k]!;
    }
    edges.subarray(0, free).sort(byOrigin);
    const half = (region.width[v]! * ENTRY_SHARE) / 2;
    const apart = Math.min(ENTRY_APART, (2 * half) / Math.max(1, free - 1));
    // Each place must be at least `apart` right of the one before, and all within `half` of the centre. So the k-th
    // minus k * apart must only rise, which `isotonic` fits, and stay between -half and `highest`.
    const highest = half - (free - 1) * apart;
    for (let k = 0; k < free; k++) {
      value[k] = Math.min(half, Math.max(-half, from[edges[k]!]! - x[v]!)) - k * apart;
    }
    isotonic(value, weight, free);
    for (let k = 0; k < free; k++) {
      enters[edges[k]!] = snap(Math.min(highest, Math.max(-half, value[k]!)) + k * apart);
    }
  }
  return enters;
}

/** The x from which each edge reaches its target: that of its last bend, or of its source. */
function origins(region: Region, graph: Layered, x: Float64Array): Float64Array {
  return new Float64Array(region.source.length).map((_, e) => {
    const l = graph.last[e]!;
    if (l === -1) return x[region.source[e]!]! + (region.sourceX?.[e] ?? 0);
    return x[graph.source[l]!]! + graph.sourceX[l]!;
  });
}

/** The points of all edges, one edge after the other, without those in the middle of an upright line. */
class Routes {
  /** x and y in turn. */
  points = new Float64Array(64);
  /** The number of values in use: two for each point. */
  count = 0;
  /** The `count` at which the current edge begins. */
  private begin = 0;

  /** Begins the next edge. Returns the number of points before it. */
  next(): number {
    this.begin = this.count;
    return this.count / 2;
  }

  /** Continues to a point. */
  to(x: number, y: number): void {
    const { points, count } = this;
    if (count > this.begin && points[count - 2] === x && points[count - 1] === y) return;
    const upright = count - this.begin >= 4 && points[count - 2] === x && points[count - 4] === x;
    if (!upright) this.count += 2;
    if (this.count > points.length) {
      this.points = new Float64Array(2 * count);
      this.points.set(points);
    }
    this.points[this.count - 2] = x;
    this.points[this.count - 1] = y;
  }

  /** Leads a link from one column to the next, if `row` begins one: below the first, up between
   * them, and down into the second. */
  turn(
    { gutter, low, high, track }: Columns,
    row: number,
    link: number,
    from: number,
    to: number,
  ): void {
    if (Number.isNaN(gutter[row]!)) return;
    const by = TURN_APART * track[link]!;
    this.to(from, low[row]! + by);
    this.to(gutter[row]! + by, low[row]! + by);
    this.to(gutter[row]! + by, high[row]! + by);
    this.to(to, high[row]! + by);
  }
}

/** The points of every edge: upright through the bands of the rows, free between them. A cut edge leads over too many
 * ranks to be drawn (`Options.cut`): it has no links, so its `last` is -1, and only two points, its ends. `y` are the
 * centres of the boxes, `bands` those of the rows where they are drawn. */
export function routeEdges(
  region: Region,
  graph: Layered,
  near: Neighbours,
  rows: Rows,
  bands: Bands,
  columns: Columns,
  x: Float64Array,
  y: Float64Array,
  enters: Float64Array,
) {
  const edges = region.source.length;
  const routes = new Routes();
  const start = new Int32Array(edges + 1);
  const cut = new Uint8Array(edges);
  for (let e = 0; e < edges; e++) {
    start[e] = routes.next();
    const u = region.source[e]!;
    const v = region.target[e]!;
    const leaves = x[u]! + (region.sourceX?.[e] ?? 0);
    routes.to(leaves, y[u]! + region.height[u]! / 2);
    if (graph.last[e] === -1) cut[e] = 1;
    else {
      routes.to(leaves, bands.bottom[rows.row[u]!]! + bands.upright[rows.row[u]!]!);
      let from = leaves;
      for (const bend of bendsOf(graph, e)) {
        routes.turn(columns, rows.row[bend]!, near.up.link[near.up.start[bend]!]!, from, x[bend]!);
        from = x[bend]!;
        routes.to(from, bands.top[rows.row[bend]!]!);
        routes.to(from, bands.bottom[rows.row[bend]!]! + bands.upright[rows.row[bend]!]!);
      }
      routes.turn(columns, rows.row[v]!, graph.last[e]!, from, x[v]! + enters[e]!);
      routes.to(x[v]! + enters[e]!, bands.top[rows.row[v]!]!);
    }
    routes.to(x[v]! + enters[e]!, y[v]! - region.height[v]! / 2);
  }
  start[edges] = routes.next();
  return { points: routes.points.slice(0, routes.count), start, cut };
}

/** The bends that an edge passes, from its source on. */
function bendsOf(graph: Layered, e: number): readonly number[] {
  let v = graph.source[graph.last[e]!]!;
  const bends: number[] = [];
  while (v >= graph.boxes) {
    bends.push(v);
    v = graph.above[v - graph.boxes]!;
  }
  return bends.reverse();
}

/** What stands upright: trunks, the longest paths of a region, which the eye follows; and runs of nodes,
 * which are put exactly upright once all nodes are placed. */
import type { Rows } from './layering';
import type { Layered } from './region';
import { type Adjacency, degree, type Neighbours } from './region';

/** How often all runs are put upright: one that moved may have made room for another. */
const STRAIGHTENING_PASSES = 2;

/** Of each row, the least x of its first node and the greatest of its last, less their `offset`, px. */
export interface Bounds {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** Where the nodes of a region stand. */
export interface Standing {
  readonly rows: Rows;
  /** Where each node stands in the order of all rows. */
  readonly place: Int32Array;
  /** Of each node, the least distance of its centre from that of the first node of its row, px. */
  readonly offset: Float64Array;
  readonly bounds: Bounds;
  /** Of each node's centre, px; straightening changes it. */
  readonly x: Float64Array;
}

/** Puts runs of nodes upright, as far as their neighbours leave room. A run goes on along a trunk,
 * where a link is the only one, or along a chain of bends. `leans` says of each link how far right
 * of its source its target would stand, px. Returns 1 for each node of a run. */
export function straighten(
  graph: Layered,
  near: Neighbours,
  trunk: Int32Array,
  leans: Float64Array,
  standing: Standing,
): Uint8Array {
  const next = followers(graph, near, trunk);
  const heads = new Uint8Array(graph.rank.length).fill(1);
  for (const l of next) if (l !== -1) heads[graph.target[l]!] = 0;
  for (let pass = 0; pass < STRAIGHTENING_PASSES; pass++) {
    for (const head of standing.rows.order) {
      if (heads[head] === 1) straightenRun(graph, next, leans, standing, head);
    }
  }
  return heads.map((head, v) => (head === 0 || next[v] !== -1 ? 1 : 0));
}

/** Where each node stands in the order of all rows. */
export function placesIn({ order }: Rows): Int32Array {
  const place = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) place[order[i]!] = i;
  return place;
}

/** Of each node, the link by which its run goes on, or -1. */
function followers(graph: Layered, { up, down }: Neighbours, trunk: Int32Array): Int32Array {
  const next = new Int32Array(graph.rank.length).fill(-1);
  for (let u = 0; u < next.length; u++) {
    if (u < graph.boxes && trunk[u] !== -1) next[u] = trunk[u]!;
    if (next[u] !== -1) continue;
    const l = onward(graph, down, u);
    if (l !== -1 && degree(up, graph.target[l]!) === 1) next[u] = l;
  }
  return next;
}

/** The link by which a run may go on from `u`: its only one, or from a bend the one to the next
 * bend; -1 where there is none. */
function onward(graph: Layered, down: Adjacency, u: number): number {
  const begin = down.start[u]!;
  if (degree(down, u) === 1) return down.link[begin]!;
  if (u < graph.boxes) return -1;
  for (let k = begin; k < down.start[u + 1]!; k++) {
    if (graph.target[down.link[k]!]! >= graph.boxes) return down.link[k]!;
  }
  return -1;
}

/** Cuts the run into the fewest pieces that can stand upright, and stands each at its mean. */
function straightenRun(
  graph: Layered,
  next: Int32Array,
  leans: Float64Array,
  standing: Standing,
  head: number,
): void {
  let piece: number[] = [];
  let lean: number[] = [];
  let low = -Infinity;
  let high = Infinity;
  let aside = 0;
  for (let v = head; ; ) {
    const least = leftmost(standing, v) - aside;
    const most = rightmost(standing, v) - aside;
    if (Math.max(low, least) > Math.min(high, most)) {
      stand(piece, lean, low, high, standing.x);
      piece = [];
      lean = [];
      low = -Infinity;
      high = Infinity;
    }
    low = Math.max(low, least);
    high = Math.min(high, most);
    piece.push(v);
    lean.push(aside);
    const l = next[v]!;
    if (l === -1) break;
    aside += leans[l]!;
    v = graph.target[l]!;
  }
  stand(piece, lean, low, high, standing.x);
}

/** Moves a piece of a run to its mean x, between `low` and `high`. */
function stand(piece: number[], lean: number[], low: number, high: number, x: Float64Array): void {
  if (piece.length < 2) return;
  let sum = 0;
  for (let i = 0; i < piece.length; i++) sum += x[piece[i]!]! - lean[i]!;
  const mean = Math.min(high, Math.max(low, sum / piece.length));
  for (let i = 0; i < piece.length; i++) x[piece[i]!] = mean + lean[i]!;
}

/** The least x that a node may have beside its left neighbour, px. */
function leftmost({ rows, place, offset, bounds, x }: Standing, v: number): number {
  const i = place[v]!;
  const r = rows.row[v]!;
  if (i === rows.start[r]!) return bounds.low[r]! + offset[v]!;
  const u = rows.order[i - 1]!;
  return x[u]! + offset[v]! - offset[u]!;
}

/** The greatest x that a node may have beside its right neighbour, px. */
function rightmost({ rows, place, offset, bounds, x }: Standing, v: number): number {
  const i = place[v]!;
  const r = rows.row[v]!;
  if (i + 1 === rows.start[r + 1]!) return bounds.high[r]! + offset[v]!;
  const w = rows.order[i + 1]!;
  return x[w]! - (offset[w]! - offset[v]!);
}

/** Of each box, the link to the next box on the longest path through both, or -1. Such paths stand
 * upright before all others. */
export function trunks(
  graph: Layered,
  rows: Rows,
  place: Int32Array,
  { up, down }: Neighbours,
): Int32Array {
  const above = longest(graph, rows, up.start, up.link, graph.source, true);
  const below = longest(graph, rows, down.start, down.link, graph.target, false);
  const into = best(graph, place, up, graph.source, above);
  const out = best(graph, place, down, graph.target, below);
  return out.map((l, u) => (l !== -1 && into[graph.target[l]!] === l && u < graph.boxes ? l : -1));
}

/** Of each node, how many boxes the longest path that ends there (or begins there) passes. */
function longest(
  graph: Layered,
  rows: Rows,
  start: Int32Array,
  link: Int32Array,
  end: Int32Array,
  downwards: boolean,
): Int32Array {
  const length = new Int32Array(graph.rank.length);
  const { order } = rows;
  for (let i = 0; i < order.length; i++) {
    const v = order[downwards ? i : order.length - 1 - i]!;
    let most = 0;
    for (let k = start[v]!; k < start[v + 1]!; k++) most = Math.max(most, length[end[link[k]!]!]!);
    length[v] = most + (v < graph.boxes ? 1 : 0);
  }
  return length;
}

/** Of each box, the link to the neighbour with the greatest `length`; of several to that in their middle. */
function best(
  graph: Layered,
  place: Int32Array,
  { start, link }: Adjacency,
  end: Int32Array,
  length: Int32Array,
): Int32Array {
  const found = new Int32Array(graph.boxes).fill(-1);
  const placeOf = (l: number) => place[end[l]!]!;
  for (let v = 0; v < graph.boxes; v++) {
    let most = 1;
    let tied: number[] = [];
    for (let k = start[v]!; k < start[v + 1]!; k++) {
      const other = end[link[k]!]!;
      if (other >= graph.boxes || length[other]! < most) continue;
      if (length[other]! > most) tied = [];
      most = length[other]!;
      tied.push(link[k]!);
    }
    if (tied.length > 1) tied.sort((a, b) => placeOf(a) - placeOf(b));
    found[v] = tied[(tied.length - 1) >> 1] ?? -1;
  }
  return found;
}

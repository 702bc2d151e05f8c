/** Keeps paths upright: trunks, the longest paths of a region, which the eye follows; and runs of nodes, which are
 * made exactly upright once all nodes are placed. */
import type { Rows } from './layering';
import type { Layered } from './region';
import { type Adjacency, degree, type Neighbours } from './region';

/** The number of passes over all runs: a run that moved may have made room for another. */
const STRAIGHTENING_PASSES = 2;

/** The least x of each row's first node and the greatest of its last, minus their `offset`, px. */
export interface Bounds {
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/** The positions of a region's nodes, in the order of all rows. */
export interface Positions {
  readonly rows: Rows;
  /** The least distance of each node's centre from that of the first node of its row, px. */
  readonly offset: Float64Array;
  readonly bounds: Bounds;
  /** The x of each node's centre, px; straightening changes it. */
  readonly x: Float64Array;
}

/** Runs of nodes, in the order of all rows: for each node the next one of its run, or -1, and the px that it should
 * stand right of the first of its run. */
export interface Runs {
  readonly heads: readonly number[];
  readonly next: Int32Array;
  readonly aside: Float64Array;
}

/** Makes runs of nodes upright, as far as their neighbours leave room. */
export function straighten(runs: Runs, positions: Positions): void {
  for (let pass = 0; pass < STRAIGHTENING_PASSES; pass++) {
    for (const head of runs.heads) straightenRun(runs, positions, head);
  }
}

/** The position of each node in the order of all rows. */
export function placesIn({ order }: Rows): Int32Array {
  const place = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) place[order[i]!] = i;
  return place;
}

/** The runs of a region. A run continues along a trunk, along a link that is the only one of both its ends, or along
 * a chain of bends. `leans` is the px that each link's target should stand right of its source. */
export function runsOf(
  graph: Layered,
  { order }: Rows,
  place: Int32Array,
  near: Neighbours,
  trunk: Int32Array,
  leans: Float64Array,
): Runs {
  const heads: number[] = [];
  const next = new Int32Array(order.length).fill(-1);
  const aside = new Float64Array(order.length);
  const follows = new Uint8Array(order.length);
  for (let i = 0; i < order.length; i++) {
    const l = follower(graph, near, trunk, order[i]!);
    if (l === -1) continue;
    if (follows[i] === 0) heads.push(i);
    const after = place[graph.target[l]!]!;
    next[i] = after;
    aside[after] = aside[i]! + leans[l]!;
    follows[after] = 1;
  }
  return { heads, next, aside };
}

/** The link on which the run of node `u` continues, or -1. */
function follower(graph: Layered, { up, down }: Neighbours, trunk: Int32Array, u: number): number {
  if (u < graph.boxes && trunk[u] !== -1) return trunk[u]!;
  const l = onward(graph, down, u);
  return l !== -1 && degree(up, graph.target[l]!) === 1 ? l : -1;
}

/** The link on which a run may continue from `u`: its only one, or from a bend the one to the next bend; -1 if there
 * is none. */
function onward(graph: Layered, down: Adjacency, u: number): number {
  const begin = down.start[u]!;
  if (degree(down, u) === 1) return down.link[begin]!;
  if (u < graph.boxes) return -1;
  for (let k = begin; k < down.start[u + 1]!; k++) {
    if (graph.target[down.link[k]!]! >= graph.boxes) return down.link[k]!;
  }
  return -1;
}

/** Cuts the run into the fewest pieces that can stand upright, and moves each to its mean. */
function straightenRun(runs: Runs, positions: Positions, head: number): void {
  const { next, aside } = runs;
  let first = head;
  let low = -Infinity;
  let high = Infinity;
  for (let i = head; i !== -1; i = next[i]!) {
    const least = leftmost(positions, i) - aside[i]!;
    const most = rightmost(positions, i) - aside[i]!;
    if (Math.max(low, least) > Math.min(high, most)) {
      stand(runs, first, i, low, high, positions.x);
      first = i;
      low = -Infinity;
      high = Infinity;
    }
    low = Math.max(low, least);
    high = Math.min(high, most);
  }
  stand(runs, first, -1, low, high, positions.x);
}

/** Moves a piece of a run, the nodes from `first` up to, but without, `stop`, to its mean x, between `low` and
 * `high`. */
function stand(
  { next, aside }: Runs,
  first: number,
  stop: number,
  low: number,
  high: number,
  x: Float64Array,
): void {
  let sum = 0;
  let count = 0;
  for (let i = first; i !== stop; i = next[i]!, count++) sum += x[i]! - aside[i]!;
  if (count < 2) return;
  const mean = Math.min(high, Math.max(low, sum / count));
  for (let i = first; i !== stop; i = next[i]!) x[i] = mean + aside[i]!;
}

/** The least x of a node beside its left neighbour, px. */
function leftmost({ rows, offset, bounds, x }: Positions, i: number): number {
  const r = rows.row[rows.order[i]!]!;
  if (i === rows.start[r]!) return bounds.low[r]! + offset[i]!;
  return x[i - 1]! + offset[i]! - offset[i - 1]!;
}

/** The greatest x of a node beside its right neighbour, px. */
function rightmost({ rows, offset, bounds, x }: Positions, i: number): number {
  const r = rows.row[rows.order[i]!]!;
  if (i + 1 === rows.start[r + 1]!) return bounds.high[r]! + offset[i]!;
  return x[i + 1]! - (offset[i + 1]! - offset[i]!);
}

/** For each box, the link to the next box on the longest path through both, or -1. These paths become upright before
 * all others. */
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

/** The number of boxes on the longest path that ends (or begins) at each node. */
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

/** For each box, the link to the neighbour with the greatest `length`; of several, the one in the middle. */
function best(
  graph: Layered,
  place: Int32Array,
  { start, link }: Adjacency,
  end: Int32Array,
  length: Int32Array,
): Int32Array {
  const found = new Int32Array(graph.boxes).fill(-1);
  const byPlace = (a: number, b: number) => place[end[a]!]! - place[end[b]!]!;
  const tied = new Int32Array(link.length);
  for (let v = 0; v < graph.boxes; v++) {
    let most = 1;
    let count = 0;
    for (let k = start[v]!; k < start[v + 1]!; k++) {
      const other = end[link[k]!]!;
      if (other >= graph.boxes || length[other]! < most) continue;
      if (length[other]! > most) count = 0;
      most = length[other]!;
      tied[count++] = link[k]!;
    }
    tied.subarray(0, count).sort(byPlace);
    if (count > 0) found[v] = tied[(count - 1) >> 1]!;
  }
  return found;
}

/** The first stage: gives each box its rank, cuts edges into links from one rank to the next, which is all
 * that the later stages know, and splits what is connected into rows. */
import {
  type Adjacency,
  adjacency,
  degree,
  type Layered,
  type Neighbours,
  PIN,
  type Region,
} from './region';

/** An output moves down to the last rank if none of its edges then leads over more ranks than
 * this. */
const MOST_SINKING = 4;
/** A box made of inputs alone moves down to its consumers if it has at most this many. */
const MOST_CONSUMERS = 3;

/** The rank of each box: edges lead from lower to higher ranks, none longer than it need be
 * without making another longer. */
export function rankBoxes(region: Region): Int32Array {
  const boxes = region.width.length;
  const into = adjacency(boxes, region.target);
  const from = adjacency(boxes, region.source);
  const rank = longestPath(region, from);
  pullDown(region, rank, into, from);
  pinBoxes(region, rank, into);
  return rank;
}

/** The least rank of each box that is below all its sources. */
function longestPath(region: Region, from: Adjacency): Int32Array {
  const boxes = region.width.length;
  const rank = new Int32Array(boxes);
  for (let u = 0; u < boxes; u++) {
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      const v = region.target[from.link[k]!]!;
      if (rank[v]! <= rank[u]!) rank[v] = rank[u]! + 1;
    }
  }
  return rank;
}

/** Moves a box down to just above its first consumer where at least as many edges get shorter as
 * longer, so that what is made late stands beside what it is made for. Edges do not count that come from an input, or from a box that will follow: one made of inputs
 * alone, as a cast of a weight is, and its product with a step's input. */
function pullDown(region: Region, rank: Int32Array, into: Adjacency, from: Adjacency): void {
  const boxes = region.width.length;
  const follows = new Uint8Array(boxes);
  const cost = new Int32Array(boxes);
  for (let v = 0; v < boxes; v++) {
    for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
      if (!follows[region.source[into.link[k]!]!]) cost[v]!++;
    }
    const input = degree(into, v) === 0;
    follows[v] = input || (cost[v] === 0 && degree(from, v) <= MOST_CONSUMERS) ? 1 : 0;
  }
  for (let u = boxes - 1; u >= 0; u--) {
    if (degree(from, u) === 0 || degree(from, u) < cost[u]!) continue;
    let first = Infinity;
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      first = Math.min(first, rank[region.target[from.link[k]!]!]!);
    }
    rank[u] = first - 1;
  }
}

/** Moves the boxes that are kept at a border to the first or last rank. */
function pinBoxes(region: Region, rank: Int32Array, into: Adjacency): void {
  const pin = region.pin;
  if (!pin) return;
  const pinned = Array.from(pin);
  const above = pinned.includes(PIN.first) ? 1 : 0;
  let deepest = 0;
  for (let v = 0; v < rank.length; v++) {
    rank[v] = pin[v] === PIN.first ? 0 : rank[v]! + above;
    if (pin[v] !== PIN.last) deepest = Math.max(deepest, rank[v]!);
  }
  for (let v = 0; v < rank.length; v++) {
    if (pin[v] === PIN.last) rank[v] = deepest + 1;
    if (pin[v] === PIN.low && sinks(region, rank, into, v, deepest)) rank[v] = deepest;
  }
}

/** Whether an output may move down to the deepest rank. */
function sinks(region: Region, rank: Int32Array, into: Adjacency, v: number, deepest: number) {
  for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
    if (deepest - rank[region.source[into.link[k]!]!]! > MOST_SINKING) return false;
  }
  return true;
}

/** From so many long edges on that leave a box they share a chain of bends. Fewer run apart, as one
 * chain for two ends on either side of a line crosses it needlessly. */
const LEAST_SHARING = 3;

/** Gives each edge a bend on every rank that it passes; one over more than `cut` ranks is cut, and
 * has none. Many edges that leave a box at the same point share one chain of bends, up to the rank
 * above their target. */
export function chainEdges(region: Region, rank: Int32Array, cut: number): Layered {
  const chains = new Chains(region, rank);
  const from = adjacency(rank.length, region.source);
  for (let u = 0; u < rank.length; u++) {
    let chain = [u];
    let chainX = Number.NaN;
    const edges = edgesFrom(region, from, u);
    let long = 0;
    for (const e of edges) {
      const span = rank[region.target[e]!]! - rank[u]!;
      if (span > 1 && span <= cut) long++;
    }
    const share = long >= LEAST_SHARING;
    for (const e of edges) {
      if (rank[region.target[e]!]! - rank[u]! > cut) continue;
      const x = region.sourceX?.[e] ?? 0;
      if (!share || x !== chainX) chain = [u];
      chainX = x;
      chains.lay(e, chain, x);
    }
  }
  return chains.layered();
}

/** The edges that leave a box, from left to right. */
function edgesFrom({ sourceX }: Region, from: Adjacency, u: number): number[] {
  const edges: number[] = [];
  for (let k = from.start[u]!; k < from.start[u + 1]!; k++) edges.push(from.link[k]!);
  return sourceX && edges.length > 1
    ? edges.sort((a, b) => sourceX[a]! - sourceX[b]! || a - b)
    : edges;
}

/** The links and bends of a region, made edge by edge. */
class Chains {
  private readonly ranks: number[];
  private readonly above: number[] = [];
  private readonly links = { source: [] as number[], target: [] as number[] };
  private readonly linkX = { source: [] as number[], target: [] as number[] };
  private readonly last: Int32Array;

  constructor(
    private readonly region: Region,
    private readonly rank: Int32Array,
  ) {
    this.ranks = Array.from(rank);
    this.last = new Int32Array(region.source.length).fill(-1);
  }

  /** Leads an edge along a chain of nodes that begins at its source, where it leaves at `x`. The
   * chain gets the bends that it lacks. */
  lay(e: number, chain: number[], x: number): void {
    const v = this.region.target[e]!;
    const [u] = chain as [number];
    const span = this.rank[v]! - this.rank[u]!;
    while (chain.length < span) {
      const bend = this.ranks.push(this.rank[u]! + chain.length) - 1;
      this.above.push(chain[chain.length - 1]!);
      this.link(chain[chain.length - 1]!, bend, x, 0);
      chain.push(bend);
    }
    this.last[e] = this.links.source.length;
    this.link(chain[span - 1]!, v, x, this.region.targetX?.[e] || 0);
  }

  private link(source: number, target: number, sourceX: number, targetX: number): void {
    this.links.source.push(source);
    this.links.target.push(target);
    this.linkX.source.push(source < this.rank.length ? sourceX : 0);
    this.linkX.target.push(targetX);
  }

  layered(): Layered {
    return {
      boxes: this.rank.length,
      rank: new Int32Array(this.ranks),
      source: new Int32Array(this.links.source),
      target: new Int32Array(this.links.target),
      sourceX: new Float64Array(this.linkX.source),
      targetX: new Float64Array(this.linkX.target),
      last: this.last,
      above: new Int32Array(this.above),
    };
  }
}

/** The nodes of one rank of one component are a row. The rows of a component follow one another,
 * from top to bottom; components come in the order of their first boxes. */
export interface Rows {
  /** The row of each node. */
  readonly row: Int32Array;
  /** Nodes, row by row: those of row `r` are `order[start[r]]` up to `order[start[r + 1]]`. */
  readonly order: Int32Array;
  readonly start: Int32Array;
  /** The first row of each component, and behind them the number of rows. */
  readonly first: Int32Array;
}

/** Splits the nodes into connected components, and orders each row as a depth-first search meets
 * its nodes, which keeps chains together. */
export function splitRows(graph: Layered, near: Neighbours): Rows {
  const nodes = graph.rank.length;
  const row = new Int32Array(nodes).fill(-1);
  const met: number[] = [];
  const first = [0];
  for (let root = 0; root < graph.boxes; root++) {
    if (row[root] !== -1) continue;
    const begin = met.length;
    search(graph, near, root, row, met);
    let top = Infinity;
    let bottom = -Infinity;
    for (let i = begin; i < met.length; i++) {
      top = Math.min(top, graph.rank[met[i]!]!);
      bottom = Math.max(bottom, graph.rank[met[i]!]!);
    }
    const base = first[first.length - 1]!;
    for (let i = begin; i < met.length; i++) row[met[i]!] = base + graph.rank[met[i]!]! - top;
    first.push(base + bottom - top + 1);
  }
  return { row, ...fill(row, met, first[first.length - 1]!), first: Int32Array.from(first) };
}

/** Adds all nodes that are connected with `root` to `met`, depth first, and marks them in `row`. */
function search(
  graph: Layered,
  { up, down }: Neighbours,
  root: number,
  row: Int32Array,
  met: number[],
): void {
  const stack = [root];
  while (stack.length > 0) {
    const v = stack.pop()!;
    if (row[v] !== -1) continue;
    row[v] = 0;
    met.push(v);
    for (let k = down.start[v + 1]! - 1; k >= down.start[v]!; k--) {
      stack.push(graph.target[down.link[k]!]!);
    }
    for (let k = up.start[v + 1]! - 1; k >= up.start[v]!; k--) {
      stack.push(graph.source[up.link[k]!]!);
    }
  }
}

/** Sorts the nodes by row; within a row they keep the order of `met`. */
function fill(row: Int32Array, met: number[], rows: number) {
  const start = new Int32Array(rows + 1);
  for (const v of met) start[row[v]! + 1]!++;
  for (let r = 0; r < rows; r++) start[r + 1]! += start[r]!;
  const next = start.slice();
  const order = new Int32Array(met.length);
  for (const v of met) order[next[row[v]!]!++] = v;
  return { order, start };
}

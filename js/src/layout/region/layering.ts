/** The layout's first stage: gives each box its rank, and splits each connected component into rows. */
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

/** The rank of each box: edges lead from lower to higher ranks, and none can become shorter without another becoming
 * longer. */
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

/** Moves a box down to just above its first consumer if at least as many edges get shorter as longer, so that a late
 * value stands beside its use. Edges from inputs do not count. Nor do edges from boxes that move down too: those
 * that depend on inputs only, such as a cast of a weight, or its product with a step's input. */
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

/** Moves the boxes that are pinned to a border to the first or last rank. */
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

/** True if an output may move down to the deepest rank. */
function sinks(region: Region, rank: Int32Array, into: Adjacency, v: number, deepest: number) {
  for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
    if (deepest - rank[region.source[into.link[k]!]!]! > MOST_SINKING) return false;
  }
  return true;
}

/** The nodes of one rank of one component are a row. The rows of a component follow one another from top to bottom;
 * components are ordered by their first boxes. */
export interface Rows {
  /** The row of each node. */
  readonly row: Int32Array;
  /** Nodes, row by row: those of row `r` are `order[start[r]]` up to `order[start[r + 1]]`. */
  readonly order: Int32Array;
  readonly start: Int32Array;
  /** The first row of each component, and at the end the number of rows. */
  readonly first: Int32Array;
}

/** Splits the nodes into connected components, and orders each row as a depth-first search visits its nodes, which
 * keeps chains together. */
export function splitRows(graph: Layered, near: Neighbours): Rows {
  const nodes = graph.rank.length;
  const row = new Int32Array(nodes).fill(-1);
  const visited: number[] = [];
  const first = [0];
  for (let root = 0; root < graph.boxes; root++) {
    if (row[root] !== -1) continue;
    const begin = visited.length;
    search(graph, near, root, row, visited);
    let top = Infinity;
    let bottom = -Infinity;
    for (let i = begin; i < visited.length; i++) {
      top = Math.min(top, graph.rank[visited[i]!]!);
      bottom = Math.max(bottom, graph.rank[visited[i]!]!);
    }
    const base = first[first.length - 1]!;
    for (let i = begin; i < visited.length; i++)
      row[visited[i]!] = base + graph.rank[visited[i]!]! - top;
    first.push(base + bottom - top + 1);
  }
  return { row, ...fill(row, visited, first[first.length - 1]!), first: Int32Array.from(first) };
}

/** Adds all nodes that are connected with `root` to `visited`, depth first, and marks them in `row`. */
function search(
  graph: Layered,
  { up, down }: Neighbours,
  root: number,
  row: Int32Array,
  visited: number[],
): void {
  const stack = [root];
  while (stack.length > 0) {
    const v = stack.pop()!;
    if (row[v] !== -1) continue;
    row[v] = 0;
    visited.push(v);
    for (let k = down.start[v + 1]! - 1; k >= down.start[v]!; k--) {
      stack.push(graph.target[down.link[k]!]!);
    }
    for (let k = up.start[v + 1]! - 1; k >= up.start[v]!; k--) {
      stack.push(graph.source[up.link[k]!]!);
    }
  }
}

/** Sorts the nodes by row; within a row they keep the order of `visited`. */
function fill(row: Int32Array, visited: number[], rows: number) {
  const start = new Int32Array(rows + 1);
  for (const v of visited) start[row[v]! + 1]!++;
  for (let r = 0; r < rows; r++) start[r + 1]! += start[r]!;
  const next = start.slice();
  const order = new Int32Array(visited.length);
  for (const v of visited) order[next[row[v]!]!++] = v;
  return { order, start };
}

/** The nodes of one component row by row, as a breadth-first search visits them. */
export function breadthFirst(
  graph: Layered,
  { row, order, start }: Rows,
  { up, down }: Neighbours,
  top: number,
  bottom: number,
): Int32Array {
  const base = start[top]!;
  const next = start.slice(top, bottom);
  const found = new Int32Array(start[bottom]! - base);
  const visited = new Uint8Array(graph.rank.length);
  const queue = new Int32Array(found.length);
  let count = 0;
  const visit = (v: number) => {
    if (visited[v] === 1) return;
    visited[v] = 1;
    queue[count++] = v;
  };
  visit(order.subarray(base, start[bottom]!).reduce((a, b) => Math.min(a, b)));
  for (let i = 0; i < count; i++) {
    const v = queue[i]!;
    found[next[row[v]! - top]!++ - base] = v;
    for (let k = down.start[v]!; k < down.start[v + 1]!; k++) visit(graph.target[down.link[k]!]!);
    for (let k = up.start[v]!; k < up.start[v + 1]!; k++) visit(graph.source[up.link[k]!]!);
  }
  return found;
}

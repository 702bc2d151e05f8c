/** Splits a region into connected components, and each component into rows. */
import type { Layered } from './chain';
import type { Neighbours } from './neighbours';

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

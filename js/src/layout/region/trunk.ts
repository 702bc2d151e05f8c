/** Finds the trunks of a region: its longest paths, which the eye follows. */
import type { Layered } from './chain';
import type { Neighbours } from './neighbours';
import type { Rows } from './rows';

/** Of each box, the link to the next box on the longest path through both, or -1. Such paths stand
 * upright before all others. */
export function trunks(graph: Layered, rows: Rows, { up, down }: Neighbours): Int32Array {
  const above = longest(graph, rows, up.start, up.link, graph.source, true);
  const below = longest(graph, rows, down.start, down.link, graph.target, false);
  const into = best(graph, up.start, up.link, graph.source, above);
  const out = best(graph, down.start, down.link, graph.target, below);
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

/** Of each box, the link to the neighbour with the greatest `length`; of several the first. */
function best(
  graph: Layered,
  start: Int32Array,
  link: Int32Array,
  end: Int32Array,
  length: Int32Array,
): Int32Array {
  const found = new Int32Array(graph.boxes).fill(-1);
  for (let v = 0; v < graph.boxes; v++) {
    let most = 0;
    for (let k = start[v]!; k < start[v + 1]!; k++) {
      const other = end[link[k]!]!;
      if (other >= graph.boxes || length[other]! <= most) continue;
      most = length[other]!;
      found[v] = link[k]!;
    }
  }
  return found;
}

/** Finds the links above and below each node of a region. */
import { type Adjacency, adjacency, degree } from './adjacency';
import type { Layered } from './chain';

/** The links above and below each node, from left to right by where they meet it. */
export interface Neighbours {
  readonly up: Adjacency;
  readonly down: Adjacency;
}

export function neighbours(graph: Layered): Neighbours {
  const up = adjacency(graph.rank.length, graph.target);
  const down = adjacency(graph.rank.length, graph.source);
  const x = graph.targetX;
  for (let v = 0; v < graph.boxes; v++) {
    if (degree(up, v) < 2) continue;
    up.link.subarray(up.start[v]!, up.start[v + 1]!).sort((a, b) => x[a]! - x[b]! || a - b);
  }
  return { up, down };
}

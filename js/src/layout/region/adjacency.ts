/** The links of each node, in order: those of `v` are `link[start[v]]` up to, but without,
 * `link[start[v + 1]]`. Flat arrays, as a region may have many thousands of nodes. */
export interface Adjacency {
  readonly start: Int32Array;
  readonly link: Int32Array;
}

/** Gathers links by one of their ends. */
export function adjacency(nodes: number, end: ArrayLike<number>): Adjacency {
  const start = new Int32Array(nodes + 1);
  for (let l = 0; l < end.length; l++) start[end[l]! + 1]!++;
  for (let v = 0; v < nodes; v++) start[v + 1]! += start[v]!;
  const next = start.slice();
  const link = new Int32Array(end.length);
  for (let l = 0; l < end.length; l++) link[next[end[l]!]!++] = l;
  return { start, link };
}

/** How many links a node has. */
export function degree(adjacent: Adjacency, v: number): number {
  return adjacent.start[v + 1]! - adjacent.start[v]!;
}

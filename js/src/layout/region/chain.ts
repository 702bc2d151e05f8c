/** Cuts long edges of a region into links from one rank to the next, which is all that the later
 * steps of the layout know. */
import { adjacency } from './adjacency';
import type { Region } from './placement';

/** A region whose links all lead from one rank to the next. Nodes are the boxes and, behind them,
 * the bends at which a long edge passes the ranks between its ends. */
export interface Layered {
  readonly boxes: number;
  readonly rank: Int32Array;
  /** Of each link, its ends, and where it meets them, px right of their centre. */
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly sourceX: Float64Array;
  readonly targetX: Float64Array;
  /** The last link of each edge, or -1 where the edge is cut. */
  readonly last: Int32Array;
  /** Of each bend, the node before it on its chain. */
  readonly above: Int32Array;
}

/** Gives each edge a bend on every rank that it passes; one over more than `cut` ranks is cut, and
 * has none. Edges that leave a box at the same point share one chain of bends, up to the rank above
 * their target. */
export function chainEdges(region: Region, rank: Int32Array, cut: number): Layered {
  const boxes = rank.length;
  const ranks = Array.from(rank);
  const links = { source: [] as number[], target: [] as number[] };
  const linkX = { source: [] as number[], target: [] as number[] };
  const link = (source: number, target: number, sourceX: number, targetX: number) => {
    links.source.push(source);
    links.target.push(target);
    linkX.source.push(source < boxes ? sourceX : 0);
    linkX.target.push(targetX);
  };
  const above: number[] = [];
  const last = new Int32Array(region.source.length).fill(-1);
  const from = adjacency(boxes, region.source);
  const leavesAt = (e: number) => region.sourceX?.[e] ?? 0;
  for (let u = 0; u < boxes; u++) {
    const edges = Array.from(from.link.subarray(from.start[u]!, from.start[u + 1]!));
    if (region.sourceX) edges.sort((a, b) => leavesAt(a) - leavesAt(b) || a - b);
    let chain = [u];
    let chainX = Number.NaN;
    for (const e of edges) {
      const v = region.target[e]!;
      const span = rank[v]! - rank[u]!;
      if (span > cut) continue;
      const x = leavesAt(e);
      if (x !== chainX) chain = [u];
      chainX = x;
      while (chain.length < span) {
        const bend = ranks.push(rank[u]! + chain.length) - 1;
        above.push(chain[chain.length - 1]!);
        link(chain[chain.length - 1]!, bend, x, 0);
        chain.push(bend);
      }
      last[e] = links.source.length;
      link(chain[span - 1]!, v, x, region.targetX?.[e] || 0);
    }
  }
  return {
    boxes,
    rank: Int32Array.from(ranks),
    source: Int32Array.from(links.source),
    target: Int32Array.from(links.target),
    sourceX: Float64Array.from(linkX.source),
    targetX: Float64Array.from(linkX.target),
    last,
    above: Int32Array.from(above),
  };
}

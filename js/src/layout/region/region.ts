/** The data that the stages of a layout pass on: boxes and edges, then nodes and links from rank to rank, and at the
 * end their positions. */

import type { Shape } from '../measure';

/** One region: boxes in topological order and the edges between them. */
export interface Region {
  /** The size of each box, px. */
  readonly width: ArrayLike<number>;
  readonly height: ArrayLike<number>;
  /** The ends of each edge, with `source < target`; the caller merges parallel edges. */
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  /** The px right of a box's centre at which an edge leaves or enters it. Without `sourceX`, edges leave at the
   * centre. Without `targetX`, or if it is NaN, they enter as near to their origin as there is room. */
  readonly sourceX?: ArrayLike<number>;
  readonly targetX?: ArrayLike<number>;
  /** Edges that lead past the left side of their target. Their sources stand above that side if they can. */
  readonly aside?: readonly number[];
  /** The px right of each box's centre that the text below it needs. */
  readonly reach?: ArrayLike<number>;
  /** The `PIN` of each box; all are free without it. */
  readonly pin?: ArrayLike<number>;
}

/** The ranks that a box may be pinned to. */
export const PIN = {
  free: 0,
  /** On the first rank, where no other boxes are: the ports of the upper border. It has no incoming edge. */
  first: 1,
  /** On the last rank, where no other boxes are: the ports of the lower border. It has no outgoing edge. */
  last: 2,
  /** On the last rank, unless a long edge would then run through the picture: an output. */
  low: 3,
} as const;

/** True if any box is pinned to a border of the region: then all components stand side by side. */
export function isPinned(region: Region): boolean {
  const pin = region.pin;
  return pin !== undefined && Array.from(pin).some((p) => p === PIN.first || p === PIN.last);
}

export interface Options {
  /** Least space between neighbours on a rank, and between two ranks, px. */
  readonly gapX: number;
  readonly gapY: number;
  /** An edge over more ranks than this is cut: drawn as a stub at either end. */
  readonly cut: number;
  /** The shape to fit; null for any. The rows of a chain taller than `tall` px stand in columns side by side, so that
   * its width is about `aspect` times its height. A row wider than `wide` px is wrapped. */
  readonly shape: Pick<Shape, 'aspect' | 'tall' | 'wide'> | null;
}

/** The default options. */
export const OPTIONS: Options = { gapX: 24, gapY: 32, cut: 8, shape: null };
/** The space between neighbours on a rank of a tight shape, px. */
const TIGHT_X = 10;

/** The options for a shape. */
export const spacingOf = (shape: Shape): Options => ({
  ...OPTIONS,
  gapX: shape.tight ? TIGHT_X : OPTIONS.gapX,
  gapY: shape.rowGap,
  shape,
});

/** The positions of a region's boxes and edges. */
export interface Placement {
  /** Centres of the boxes, px from the region's upper left corner. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly rank: Int32Array;
  /** The column of each box, from 1; 0 if its rows are not in columns. */
  readonly column: Int32Array;
  /** The size of the whole region, px. */
  readonly width: number;
  readonly height: number;
  /** The least `wide` of a shape with the same placement; infinite if the placement depends on it. */
  readonly leastWide: number;
  /** All edges' points, x and y in turn. Edge `e` has points `[start[e], start[e + 1])`, at least
   * two: the first on the lower border of its source, the last on the upper border of its target.
   * From one to the next an edge runs upright or level, or (between two ranks, where no box is) as
   * a cubic whose tangents are vertical. A cut edge has only its two ends. */
  readonly points: Float64Array;
  readonly start: Int32Array;
  /** 1 if the edge is cut. */
  readonly cut: Uint8Array;
}

/** A region whose links all lead from one rank to the next. Nodes are the boxes and, behind them,
 * the bends at which a long edge passes the ranks between its ends. */
export interface Layered {
  readonly boxes: number;
  readonly rank: Int32Array;
  /** The ends of each link, and the px right of their centres at which it meets them. */
  readonly source: Int32Array;
  readonly target: Int32Array;
  readonly sourceX: Float64Array;
  readonly targetX: Float64Array;
  /** The last link of each edge, or -1 if the edge is cut. */
  readonly last: Int32Array;
  /** The node before each bend on its chain. */
  readonly above: Int32Array;
}

/** The links of each node, in order: those of `v` are `link[start[v]]` up to, but without, `link[start[v + 1]]`. */
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

/** The number of links of a node. */
export function degree(adjacent: Adjacency, v: number): number {
  return adjacent.start[v + 1]! - adjacent.start[v]!;
}

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

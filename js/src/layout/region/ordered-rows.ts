/** Orders the rows of a region. A region is laid out several times, with rows at different distances; its rows are
 * ordered once for all of these. */
import { orderRows } from './decrossing';
import { type Rows, splitRows } from './layering';
import {
  type Adjacency,
  adjacency,
  type Layered,
  type Neighbours,
  neighbours,
  type Region,
} from './region';

/** A region whose rows are in order. */
export interface Ordered {
  readonly graph: Layered;
  readonly near: Neighbours;
  readonly rows: Rows;
}

/** The number of regions that are cached, and the most boxes of one. */
const MOST_CACHED = 16;
const MOST_BOXES = 500;

/** The last regions, each with all numbers that its order depends on. */
const cache: { readonly of: readonly ArrayLike<number>[]; readonly ordered: Ordered }[] = [];

/** The region with its rows in order. */
export function orderedRows(region: Region, rank: Int32Array, cut: number): Ordered {
  if (rank.length > MOST_BOXES) return orderNow(region, rank, cut);
  const { width, source, target, sourceX = [], targetX = [] } = region;
  const of = [rank, [cut], source, target, width, sourceX, targetX];
  const cached = cache.find((one) => one.of.every((numbers, at) => isSame(numbers, of[at]!)));
  if (cached) return cached.ordered;
  const ordered = orderNow(region, rank, cut);
  cache.unshift({ of, ordered });
  cache.length = Math.min(cache.length, MOST_CACHED);
  return ordered;
}

function orderNow(region: Region, rank: Int32Array, cut: number): Ordered {
  const graph = chainEdges(region, rank, cut);
  const near = neighbours(graph);
  const split = splitRows(graph, near);
  return { graph, near, rows: { ...split, order: orderRows(region, graph, split, near) } };
}

function isSame(some: ArrayLike<number>, others: ArrayLike<number>): boolean {
  if (some.length !== others.length) return false;
  for (let at = 0; at < some.length; at++) if (!Object.is(some[at], others[at])) return false;
  return true;
}

// Edges are cut into links from one rank to the next. Later stages know only these links.

/** If at least this many long edges leave a box at one point, they share a chain of bends. Fewer have a chain each,
 * because a shared one may cross another edge needlessly, if its two targets are on either side of that. */
const LEAST_SHARING = 3;

/** Gives each edge a bend on every rank that it passes; an edge over more than `cut` ranks is cut, and has none. Many
 * edges that leave a box at the same point share one chain of bends, up to the rank above their target. */
function chainEdges(region: Region, rank: Int32Array, cut: number): Layered {
  const chains = new Chains(region, rank);
  const from = edgesFrom(region);
  for (let u = 0; u < rank.length; u++) {
    let long = 0;
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      const span = spanOf(region, rank, from.link[k]!);
      if (span > 1 && span <= cut) long++;
    }
    let chainX = Number.NaN;
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      const e = from.link[k]!;
      if (spanOf(region, rank, e) > cut) continue;
      const x = region.sourceX?.[e] ?? 0;
      if (long < LEAST_SHARING || x !== chainX) chains.begin(u);
      chainX = x;
      chains.lay(e, x);
    }
  }
  return chains.layered();
}

/** The number of ranks between the ends of an edge. */
function spanOf({ source, target }: Region, rank: Int32Array, e: number): number {
  return rank[target[e]!]! - rank[source[e]!]!;
}

/** The edges that leave each box, from left to right. */
function edgesFrom({ width, source, sourceX }: Region): Adjacency {
  const from = adjacency(width.length, source);
  const byX = (a: number, b: number) => sourceX![a]! - sourceX![b]! || a - b;
  for (let u = 0; sourceX && u < width.length; u++) {
    from.link.subarray(from.start[u]!, from.start[u + 1]!).sort(byX);
  }
  return from;
}

/** The links and bends of a region, made edge by edge. */
class Chains {
  private readonly ranks: number[];
  private readonly above: number[] = [];
  private readonly links = { source: [] as number[], target: [] as number[] };
  private readonly linkX = { source: [] as number[], target: [] as number[] };
  private readonly last: Int32Array;
  /** The nodes of the current chain. */
  private readonly chain: number[] = [];
  private length = 0;

  constructor(
    private readonly region: Region,
    private readonly rank: Int32Array,
  ) {
    this.ranks = Array.from(rank);
    this.last = new Int32Array(region.source.length).fill(-1);
  }

  /** Begins a chain at a box. */
  begin(u: number): void {
    this.chain[0] = u;
    this.length = 1;
  }

  /** Leads an edge along the chain from its source, which it leaves at `x`. Missing bends are added. */
  lay(e: number, x: number): void {
    const { chain } = this;
    const span = spanOf(this.region, this.rank, e);
    for (; this.length < span; this.length++) {
      const before = chain[this.length - 1]!;
      const bend = this.ranks.push(this.rank[chain[0]!]! + this.length) - 1;
      this.above.push(before);
      this.link(before, bend, x, 0);
      chain[this.length] = bend;
    }
    this.last[e] = this.links.source.length;
    this.link(chain[span - 1]!, this.region.target[e]!, x, this.region.targetX?.[e] || 0);
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

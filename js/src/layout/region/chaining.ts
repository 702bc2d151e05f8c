/** Cuts edges into links from one rank to the next, which is all that the later stages know. */
import { type Adjacency, adjacency, type Layered, type Region } from './region';

/** From so many long edges on that leave a box they share a chain of bends. Fewer run apart, as one
 * chain for two ends on either side of a line crosses it needlessly. */
const LEAST_SHARING = 3;

/** Gives each edge a bend on every rank that it passes; one over more than `cut` ranks is cut, and
 * has none. Many edges that leave a box at the same point share one chain of bends, up to the rank
 * above their target. */
export function chainEdges(region: Region, rank: Int32Array, cut: number): Layered {
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

/** How many ranks further down an edge ends than it begins. */
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
  /** The chain of nodes at hand. */
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

  /** Leads an edge along the chain from its source, which it leaves at `x`. The chain gets the bends that it
   * lacks. */
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

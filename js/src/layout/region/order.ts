import type { Layered } from './chain';
import { countCrossings } from './crossings';
import { exchange } from './exchange';
import type { Neighbours } from './neighbours';
import type { Region } from './placement';
import type { Rows } from './rows';

/** Sweeps end after this many, or this many in a row without gain; large components get fewer. */
const MOST = 24;
const LEAST = 4;
const PATIENCE = 6;
const NODES = 60_000;
/** After a sweep neighbours are exchanged in at most so many rounds. */
const ROUNDS = 3;

/** The order of the nodes on each row, with few crossings: sweeps down and up that sort by medians,
 * each followed by the exchange of neighbours, of which each component keeps the best (Gansner,
 * Koutsofios, North and Vo, 1993). */
export function orderRows(region: Region, graph: Layered, rows: Rows, near: Neighbours) {
  const sweeper = new Sweeper(region, graph, rows, near);
  for (let c = 0; c + 1 < rows.first.length; c++) {
    sweeper.improve(rows.first[c]!, rows.first[c + 1]!);
  }
  return sweeper.order;
}

class Sweeper {
  readonly order: Int32Array;
  /** Of each node, its place on its row, between 0 and 1. */
  private readonly position: Float64Array;
  private readonly key: Float64Array;
  private readonly slot: Int32Array;
  /** Of each row, how many links cross between it and the next. */
  private readonly crossed: Int32Array;
  /** Of each link, how far from the centre it meets its ends, as a share of their width. */
  private readonly leaves: Float64Array;
  private readonly enters: Float64Array;

  constructor(
    region: Region,
    private readonly graph: Layered,
    private readonly rows: Rows,
    private readonly near: Neighbours,
  ) {
    this.order = rows.order.slice();
    this.position = new Float64Array(graph.rank.length);
    this.key = new Float64Array(graph.rank.length);
    this.slot = new Int32Array(graph.source.length);
    this.crossed = new Int32Array(rows.start.length);
    const share = (x: number, v: number) => (x === 0 ? 0 : x / region.width[v]!);
    this.leaves = graph.sourceX.map((x, l) => share(x, graph.source[l]!));
    this.enters = graph.targetX.map((x, l) => share(x, graph.target[l]!));
  }

  /** Orders the rows `[top, bottom)` of one component. */
  improve(top: number, bottom: number): void {
    for (let r = top; r < bottom; r++) this.settle(r);
    let fewest = this.crossings(top, bottom);
    const { start } = this.rows;
    const from = start[top]!;
    const to = start[bottom]!;
    let best = this.order.slice(from, to);
    const most = Math.max(LEAST, Math.min(MOST, Math.floor(NODES / (to - from))));
    for (let sweep = 0, idle = 0; sweep < most && idle < PATIENCE && fewest > 0; sweep++) {
      this.sweep(top, bottom, sweep % 2 === 0);
      const crossings = this.crossings(top, bottom) - this.exchange(top, bottom, sweep % 4 < 2);
      idle++;
      if (crossings >= fewest) continue;
      fewest = crossings;
      best = this.order.slice(from, to);
      idle = 0;
    }
    this.order.set(best, from);
  }

  private sweep(top: number, bottom: number, downwards: boolean): void {
    if (downwards) for (let r = top + 1; r < bottom; r++) this.reorder(r, true);
    else for (let r = bottom - 2; r >= top; r--) this.reorder(r, false);
  }

  private crossings(top: number, bottom: number): number {
    let sum = 0;
    for (let r = top; r + 1 < bottom; r++) {
      const crossed = countCrossings(this.graph, this.rows, this.order, this.near, r, this.slot);
      this.crossed[r] = crossed;
      sum += crossed;
    }
    return sum;
  }

  /** Exchanges neighbours on the rows with crossings, and tells how many fewer there are. */
  private exchange(top: number, bottom: number, even: boolean): number {
    let saved = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const fewer = this.exchangeOnce(top, bottom, even);
      saved += fewer;
      if (fewer === 0) break;
    }
    return saved;
  }

  private exchangeOnce(top: number, bottom: number, even: boolean): number {
    let saved = 0;
    for (let r = top; r < bottom; r++) {
      const above = r > top ? this.crossed[r - 1]! : 0;
      const below = r + 1 < bottom ? this.crossed[r]! : 0;
      if (above + below === 0) continue;
      const row = this.order.subarray(this.rows.start[r]!, this.rows.start[r + 1]!);
      saved += exchange(row, this.endsAbove, this.endsBelow, even);
      this.settle(r);
    }
    return saved;
  }

  /** Where a node's links above it begin, from left to right. */
  private readonly endsAbove = (v: number): number[] => {
    const { start, link } = this.near.up;
    const ends: number[] = [];
    for (let k = start[v]!; k < start[v + 1]!; k++) ends.push(this.begins(link[k]!));
    return ends.sort((a, b) => a - b);
  };

  /** Where a node's links below it end, from left to right. */
  private readonly endsBelow = (u: number): number[] => {
    const { start, link } = this.near.down;
    const ends: number[] = [];
    for (let k = start[u]!; k < start[u + 1]!; k++) ends.push(this.ends(link[k]!));
    return ends.sort((a, b) => a - b);
  };

  private begins(l: number): number {
    const u = this.graph.source[l]!;
    return this.position[u]! + this.leaves[l]! / this.size(u);
  }

  private ends(l: number): number {
    const v = this.graph.target[l]!;
    return this.position[v]! + this.enters[l]! / this.size(v);
  }

  /** Sorts a row by the median place of each node's neighbours on the row before. Nodes without any
   * stay where they are. */
  private reorder(r: number, downwards: boolean): void {
    const from = this.rows.start[r]!;
    const to = this.rows.start[r + 1]!;
    if (to - from < 2) return;
    const key = this.key;
    const { position, order } = this;
    const { start } = downwards ? this.near.up : this.near.down;
    const led = (v: number) => start[v + 1]! > start[v]!;
    const moving = order.subarray(from, to).filter(led);
    for (const v of moving) {
      key[v] = median(downwards ? this.pullAbove(v, to - from) : this.pullBelow(v, to - from));
    }
    moving.sort((a, b) => key[a]! - key[b]! || position[a]! - position[b]!);
    for (let i = from, k = 0; i < to; i++) if (led(order[i]!)) order[i] = moving[k++]!;
    this.settle(r);
  }

  /** Where each link above a node would have it on its row of that size, from left to right. */
  private pullAbove(v: number, size: number): number[] {
    const { start, link } = this.near.up;
    const pulls: number[] = [];
    for (let k = start[v]!; k < start[v + 1]!; k++) {
      pulls.push(this.begins(link[k]!) - this.enters[link[k]!]! / size);
    }
    return pulls.sort((a, b) => a - b);
  }

  private pullBelow(u: number, size: number): number[] {
    const { start, link } = this.near.down;
    const pulls: number[] = [];
    for (let k = start[u]!; k < start[u + 1]!; k++) {
      pulls.push(this.ends(link[k]!) - this.leaves[link[k]!]! / size);
    }
    return pulls.sort((a, b) => a - b);
  }

  private size(v: number): number {
    const r = this.rows.row[v]!;
    return this.rows.start[r + 1]! - this.rows.start[r]!;
  }

  private settle(r: number): void {
    const from = this.rows.start[r]!;
    const size = this.rows.start[r + 1]! - from;
    for (let i = 0; i < size; i++) this.position[this.order[from + i]!] = (i + 0.5) / size;
  }
}

/** The middle of sorted values; of an even number, nearer to the half that stands closer together. */
function median(values: readonly number[]): number {
  const count = values.length;
  const half = count >> 1;
  const above = values[half]!;
  if (count % 2 === 1) return above;
  const below = values[half - 1]!;
  const left = below - values[0]!;
  const right = values[count - 1]! - above;
  return left + right === 0 ? (below + above) / 2 : (below * right + above * left) / (left + right);
}

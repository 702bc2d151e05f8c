/** Gives each node of a region its x: rows keep their order, and links run as upright as they
 * can. */
import type { Rows } from './layering';
import {
  type Adjacency,
  degree,
  type Layered,
  type Neighbours,
  type Options,
  type Region,
} from './region';
import {
  type Bounds,
  type Positions,
  placesIn,
  type Runs,
  runsOf,
  straighten,
  trunks,
} from './upright';

/** The number of sweeps over all rows that place the nodes. Of the first two, one looks only at the rows above and
 * one only at those below, which spreads the rows well. */
const PLACING_SWEEPS = 12;
/** After this many sweeps the widths of the rows are settled; from then on, no row extends far beyond the widest. */
const FREE_SWEEPS = 6;

/** The px that each node takes on its row, left and right of its centre. */
export interface Extent {
  readonly left: Float64Array;
  readonly right: Float64Array;
}

/** The extents of all nodes. A bend takes no room. */
export function extents(region: Region, graph: Layered): Extent {
  const left = new Float64Array(graph.rank.length);
  const right = new Float64Array(graph.rank.length);
  for (let v = 0; v < graph.boxes; v++) {
    left[v] = region.width[v]! / 2;
    right[v] = Math.max(left[v]!, region.reach?.[v] ?? 0);
  }
  return { left, right };
}

/** The left and right side of some rows, px. */
export function sidesOf(
  rows: Rows,
  extent: Extent,
  x: Float64Array,
  from: number,
  to: number,
): [number, number] {
  let left = Infinity;
  let right = -Infinity;
  for (let i = rows.start[from]!; i < rows.start[to]!; i++) {
    const v = rows.order[i]!;
    left = Math.min(left, x[v]! - extent.left[v]!);
    right = Math.max(right, x[v]! + extent.right[v]!);
  }
  return [left, right];
}

/** The least distance of each node's centre from that of the first node of its row. Nodes are in the order of all
 * rows. */
function offsets(graph: Layered, rows: Rows, extent: Extent, gap: number): Float64Array {
  const offset = new Float64Array(graph.rank.length);
  for (let r = 0; r + 1 < rows.start.length; r++) {
    for (let i = rows.start[r]! + 1; i < rows.start[r + 1]!; i++) {
      const u = rows.order[i - 1]!;
      const v = rows.order[i]!;
      const between = u < graph.boxes && v < graph.boxes ? gap : gap / 2;
      offset[i] = offset[i - 1]! + extent.right[u]! + between + extent.left[v]!;
    }
  }
  return offset;
}

/** The x of the centre of each node, px. The nodes of a row keep their order and at least `gapX` px between them;
 * links run as upright as they can, first those that lead `aside` of their target. */
export function placeNodes(
  graph: Layered,
  rows: Rows,
  near: Neighbours,
  extent: Extent,
  aside: ReadonlySet<number>,
  { gapX, gapY }: Options,
): Float64Array {
  const placer = new Placer(graph, rows, near, offsets(graph, rows, extent, gapX), aside);
  placer.sweep(true, true, false);
  placer.sweep(false, false, true);
  for (let s = 2; s < FREE_SWEEPS; s++) placer.sweep(s % 2 === 0, true, true);
  placer.bound(extent, gapY > ROWS_APART ? MOST_OUT.apart : MOST_OUT.near);
  for (let s = FREE_SWEEPS; s < PLACING_SWEEPS; s++) placer.sweep(s % 2 === 0, true, true);
  placer.straighten();
  placer.sweep(true, true, true);
  placer.sweep(false, true, true);
  placer.straighten();
  return placer.byNode();
}

/** The px that a row may extend beyond the widest row before straight edges bend: more if rows are more than
 * `ROWS_APART` px apart. */
const MOST_OUT = { near: 24, apart: 40 };
const ROWS_APART = 26;

/** The weight of a node's present place: so small that it matters only if no link pulls. */
const INERTIA = 0.05;
/** The same for nodes that stand upright, so that they stay while the others approach. */
const UPRIGHT_INERTIA = 1000;

/** Places the nodes of a region row by row, over and over. */
class Placer implements Positions {
  readonly x: Float64Array;
  private readonly pulls: Pulls;
  private readonly inertia: Float64Array;
  private readonly runs: Runs;
  /** The limits of each row's values. A value is the x of a node minus its `offset`, px. */
  readonly bounds: Bounds;
  /** The values and weights of the current row. */
  private readonly value: Float64Array;
  private readonly weight: Float64Array;

  constructor(
    graph: Layered,
    readonly rows: Rows,
    near: Neighbours,
    readonly offset: Float64Array,
    aside: ReadonlySet<number>,
  ) {
    this.x = centred(rows, offset);
    const place = placesIn(rows);
    const trunk = trunks(graph, rows, place, near);
    const links = linksOf(graph, near, trunk, aside);
    this.pulls = pullsOf(graph, rows, place, near, links);
    this.runs = runsOf(graph, rows, place, near, trunk, links.lean);
    this.inertia = new Float64Array(graph.rank.length).fill(INERTIA);
    const count = rows.start.length - 1;
    this.bounds = {
      low: new Float64Array(count).fill(-Infinity),
      high: new Float64Array(count).fill(Infinity),
    };
    this.value = new Float64Array(graph.rank.length);
    this.weight = new Float64Array(graph.rank.length);
  }

  /** The x of each node. */
  byNode(): Float64Array {
    const x = new Float64Array(this.x.length);
    for (let i = 0; i < x.length; i++) x[this.rows.order[i]!] = this.x[i]!;
    return x;
  }

  /** Places all rows, from the first to the last or back. `above` and `below` select the links that count. */
  sweep(downwards: boolean, above: boolean, below: boolean): void {
    const count = this.rows.start.length - 1;
    for (let step = 0; step < count; step++) {
      this.placeRow(downwards ? step : count - 1 - step, above, below);
    }
  }

  /** Keeps all rows of a component within the sides of its widest row, plus `out` px on each side. */
  bound({ left, right }: Extent, out: number): void {
    const { bounds, offset, rows, x } = this;
    const first = (r: number) => rows.start[r]!;
    const last = (r: number) => rows.start[r + 1]! - 1;
    const leftOf = (r: number) => left[rows.order[first(r)]!]!;
    const rightOf = (r: number) => right[rows.order[last(r)]!]!;
    const begin = (r: number) => x[first(r)]! - leftOf(r);
    const end = (r: number) => x[last(r)]! + rightOf(r);
    for (let c = 0; c + 1 < rows.first.length; c++) {
      const stop = rows.first[c + 1]!;
      let widest = rows.first[c]!;
      for (let r = widest + 1; r < stop; r++) {
        if (end(r) - begin(r) > end(widest) - begin(widest)) widest = r;
      }
      for (let r = rows.first[c]!; r < stop; r++) {
        bounds.low[r] = begin(widest) - out + leftOf(r);
        bounds.high[r] = end(widest) + out - rightOf(r) - offset[last(r)]!;
      }
    }
  }

  /** Makes runs of nodes upright, and gives them the weight to stay so. */
  straighten(): void {
    const { inertia } = this;
    const { heads, next } = this.runs;
    straighten(this.runs, this);
    for (const head of heads) {
      for (let i = head; i !== -1; i = next[i]!) inertia[i] = UPRIGHT_INERTIA;
    }
  }

  /** Moves each node of a row to the weighted mean of the places to which its links pull it, as near as the other
   * nodes allow. */
  private placeRow(r: number, above: boolean, below: boolean): void {
    const { rows, x, offset, inertia, value, weight } = this;
    const { start, end, pull, lean } = this.pulls;
    const from = rows.start[r]!;
    const size = rows.start[r + 1]! - from;
    for (let i = 0; i < size; i++) {
      const at = from + i;
      let mass = inertia[at]!;
      let sum = x[at]! * mass;
      const stop = start[2 * at + (below ? 2 : 1)]!;
      for (let k = start[2 * at + (above ? 0 : 1)]!; k < stop; k++) {
        sum += pull[k]! * (x[end[k]!]! + lean[k]!);
        mass += pull[k]!;
      }
      value[i] = sum / mass - offset[at]!;
      weight[i] = mass;
    }
    isotonic(value, weight, size);
    const low = this.bounds.low[r]!;
    const high = this.bounds.high[r]!;
    for (let i = 0; i < size; i++) {
      x[from + i] = Math.max(low, Math.min(high, value[i]!)) + offset[from + i]!;
    }
  }
}

/** The x of each node if all rows are centred and as narrow as possible. */
function centred({ start }: Rows, offset: Float64Array): Float64Array {
  const x = new Float64Array(offset.length);
  for (let r = 0; r + 1 < start.length; r++) {
    const middle = offset[start[r + 1]! - 1]! / 2;
    for (let i = start[r]!; i < start[r + 1]!; i++) x[i] = offset[i]! - middle;
  }
  return x;
}

/** Rounds a length in px to the nearest 64th. Sums of these are exact, so that what is upright
 * stays so. */
export function snap(length: number): number {
  return Math.floor(length * 64 + 0.5) / 64;
}

// The places of boxes on a row must rise: the boxes keep their order.

/**
 * Least-squares fit of a rising sequence, by pooling adjacent violators (Barlow et al., 1972): turns the first `size`
 * of `value` into the `z` with `z[i] <= z[i + 1]` that is nearest to them under `weight`. Linear.
 *
 * A row of boxes is a case of it: with `offset[i]` the least distance of box `i` from box 0, `x[i] - offset[i]` must
 * rise.
 */
export function isotonic(value: Float64Array, weight: Float64Array, size = value.length): void {
  if (rises(value, size)) return;
  if (pooled.stop.length < size) pooled = poolsOf(2 * size);
  const { sum, mass, stop } = pooled;
  let pools = 0;
  for (let i = 0; i < size; i++) {
    sum[pools] = value[i]! * weight[i]!;
    mass[pools] = weight[i]!;
    stop[pools] = i + 1;
    pools++;
    while (pools > 1 && sum[pools - 2]! / mass[pools - 2]! > sum[pools - 1]! / mass[pools - 1]!) {
      pools--;
      sum[pools - 1]! += sum[pools]!;
      mass[pools - 1]! += mass[pools]!;
      stop[pools - 1] = stop[pools]!;
    }
  }
  for (let pool = 0, i = 0; pool < pools; pool++) {
    const mean = sum[pool]! / mass[pool]!;
    for (; i < stop[pool]!; i++) value[i] = mean;
  }
}

/** The pools of a fit. */
const poolsOf = (size: number) => ({
  sum: new Float64Array(size),
  mass: new Float64Array(size),
  stop: new Int32Array(size),
});
let pooled = poolsOf(64);

/** True if the sequence rises already. */
function rises(value: Float64Array, size: number): boolean {
  for (let i = 1; i < size; i++) if (value[i - 1]! > value[i]!) return false;
  return true;
}

// The force with which links pull the nodes at their ends.

/** The force with which a link pulls its ends together, by the number of its ends that are bends (Gansner et al.,
 * 1993). */
const PULL_BY_BENDS = [1, 2, 8] as const;
/** The same for a link of a trunk. */
const TRUNK_PULL = 8;
/** The most px that a trunk's link may lead sideways between its ports. Beyond that its boxes are centred below each
 * other, since a chain of wide boxes would otherwise be a staircase. A first or last link that meets the centre of
 * its outer box, as that of an input or result does, keeps its ports. */
const MOST_LEAN = 40;

/** For each link, the force with which it pulls its ends together, and the px that its target should stand right of
 * its source. */
export interface Links {
  readonly pull: Float64Array;
  readonly lean: Float64Array;
}

function linksOf(
  graph: Layered,
  near: Neighbours,
  trunk: Int32Array,
  aside: ReadonlySet<number>,
): Links {
  const { boxes, source, target, sourceX, targetX } = graph;
  const pull = new Float64Array(source.length);
  const lean = new Float64Array(source.length);
  for (let l = 0; l < source.length; l++) {
    pull[l] = PULL_BY_BENDS[(source[l]! < boxes ? 0 : 1) + (target[l]! < boxes ? 0 : 1)]!;
    lean[l] = sourceX[l]! - targetX[l]!;
  }
  for (const l of aside) if (l !== -1) pull[l] = TRUNK_PULL;
  for (const l of trunk) {
    if (l === -1 || aside.has(l)) continue;
    pull[l] = TRUNK_PULL;
    const begins = degree(near.up, source[l]!) === 0 && sourceX[l] === 0;
    const ends = degree(near.down, target[l]!) === 0 && targetX[l] === 0;
    if (!begins && !ends && Math.abs(lean[l]!) > MOST_LEAN) lean[l] = 0;
  }
  return { pull, lean };
}

/** The links of each node, next to each other because each sweep reads them all: the other end of each, its force,
 * and the px that the node should stand right of that end. Nodes are in the order of all rows: the links above the
 * one at `i` begin at `start[2 * i]`, those below it at `start[2 * i + 1]`. */
export interface Pulls extends Links {
  readonly start: Int32Array;
  readonly end: Int32Array;
}

function pullsOf(
  graph: Layered,
  { order }: Rows,
  place: Int32Array,
  { up, down }: Neighbours,
  links: Links,
): Pulls {
  const count = graph.source.length;
  const start = new Int32Array(2 * order.length + 1);
  const end = new Int32Array(2 * count);
  const pull = new Float64Array(2 * count);
  const lean = new Float64Array(2 * count);
  let at = 0;
  const add = (v: number, { start, link }: Adjacency, other: Int32Array, sign: number) => {
    for (let k = start[v]!; k < start[v + 1]!; k++, at++) {
      const l = link[k]!;
      end[at] = place[other[l]!]!;
      pull[at] = links.pull[l]!;
      lean[at] = sign * links.lean[l]!;
    }
  };
  for (let i = 0; i < order.length; i++) {
    add(order[i]!, up, graph.source, 1);
    start[2 * i + 1] = at;
    add(order[i]!, down, graph.target, -1);
    start[2 * i + 2] = at;
  }
  return { start, end, pull, lean };
}

/** Gives each node of a region its x: rows keep their order, and links run as upright as they
 * can. */
import { isotonic } from './isotonic';
import type { Rows } from './layering';
import { degree, type Layered, type Neighbours, type Options, type Region } from './region';
import { type Bounds, placesIn, type Standing, straighten, trunks } from './upright';

/** How many sweeps over all rows place the nodes. Of the first two, one looks only at the rows
 * above and one only at those below, which spreads the rows well. */
const PLACING_SWEEPS = 12;
/** After so many of them it is known how wide the rows are, and none stands out far beyond the widest. */
const FREE_SWEEPS = 6;

/** How hard a link pulls its ends together, by how many of them are bends (Gansner et al., 1993). */
const PULL_BY_BENDS = [1, 2, 8] as const;
/** The same for a link on a trunk. */
const TRUNK_PULL = 8;
/** The most px that a link of a trunk may lead aside between its ports. Beyond that its boxes stand
 * centre below centre, as a chain of wide boxes would otherwise be a staircase; but not the first and the
 * last, if they are as an input or a result is: these stand where they enter and where they come from. */
const MOST_LEAN = 40;

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

/** The x of the left and right side of some rows, px. */
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

/** Of each node, the least distance of its centre from that of the first node of its row. */
function offsets(graph: Layered, rows: Rows, extent: Extent, gap: number): Float64Array {
  const offset = new Float64Array(graph.rank.length);
  for (let r = 0; r + 1 < rows.start.length; r++) {
    for (let i = rows.start[r]! + 1; i < rows.start[r + 1]!; i++) {
      const u = rows.order[i - 1]!;
      const v = rows.order[i]!;
      const between = u < graph.boxes && v < graph.boxes ? gap : gap / 2;
      offset[v] = offset[u]! + extent.right[u]! + between + extent.left[v]!;
    }
  }
  return offset;
}

/** The x of the centre of each node, px. The nodes of a row keep their order and at least `gap` px
 * between them; links run as upright as they can. */
export function placeNodes(
  graph: Layered,
  rows: Rows,
  near: Neighbours,
  extent: Extent,
  { gapX, gapY }: Options,
): Float64Array {
  const placer = new Placer(graph, rows, near, offsets(graph, rows, extent, gapX));
  placer.sweep(true, true, false);
  placer.sweep(false, false, true);
  for (let s = 2; s < FREE_SWEEPS; s++) placer.sweep(s % 2 === 0, true, true);
  placer.bound(extent, gapY > ROWS_APART ? MOST_OUT.apart : MOST_OUT.near);
  for (let s = FREE_SWEEPS; s < PLACING_SWEEPS; s++) placer.sweep(s % 2 === 0, true, true);
  placer.straighten();
  placer.sweep(true, true, true);
  placer.sweep(false, true, true);
  placer.straighten();
  return placer.x;
}

/** A row may stand out beyond the widest one by so many px, as it would else bend what runs upright: by more
 * where the rows are so far apart that there is room. */
const MOST_OUT = { near: 24, apart: 40 };
const ROWS_APART = 26;

/** How hard a node is held where it is: so little that it matters only where nothing pulls. */
const INERTIA = 0.05;
/** The same for nodes that stand upright, so that they stay while the others come near. */
const UPRIGHT_INERTIA = 1000;

/** Places the nodes of a region row by row, over and over. */
class Placer implements Standing {
  readonly x: Float64Array;
  /** Of each link, how far right of its source its target would stand, px. */
  private readonly lean: Float64Array;
  private readonly pulls: Pulls;
  private readonly trunk: Int32Array;
  private readonly inertia: Float64Array;
  readonly place: Int32Array;
  /** Between which values each row keeps: a value is the x of a node less its `offset`, px. */
  readonly bounds: Bounds;
  /** The values and weights of one row, as long as the widest, so that none is made for each. */
  private readonly value: Float64Array;
  private readonly weight: Float64Array;

  constructor(
    private readonly graph: Layered,
    readonly rows: Rows,
    private readonly near: Neighbours,
    readonly offset: Float64Array,
  ) {
    this.x = centred(rows, offset);
    const pull = graph.source.map((u, l) => {
      const bends = (u < graph.boxes ? 0 : 1) + (graph.target[l]! < graph.boxes ? 0 : 1);
      return PULL_BY_BENDS[bends]!;
    });
    this.lean = graph.sourceX.map((from, l) => from - graph.targetX[l]!);
    this.place = placesIn(rows);
    this.trunk = trunks(graph, rows, this.place, near);
    for (const l of this.trunk) {
      if (l === -1) continue;
      pull[l] = TRUNK_PULL;
      const begins = degree(near.up, graph.source[l]!) === 0 && graph.sourceX[l] === 0;
      const ends = degree(near.down, graph.target[l]!) === 0 && graph.targetX[l] === 0;
      if (!begins && !ends && Math.abs(this.lean[l]!) > MOST_LEAN) this.lean[l] = 0;
    }
    this.pulls = pullsOf(graph, near, pull, this.lean);
    this.inertia = new Float64Array(graph.rank.length).fill(INERTIA);
    const count = rows.start.length - 1;
    this.bounds = {
      low: new Float64Array(count).fill(-Infinity),
      high: new Float64Array(count).fill(Infinity),
    };
    let widest = 0;
    for (let r = 0; r < count; r++) {
      widest = Math.max(widest, rows.start[r + 1]! - rows.start[r]!);
    }
    this.value = new Float64Array(widest);
    this.weight = new Float64Array(widest);
  }

  /** Places all rows, from the first to the last or back. `above` and `below` say which links
   * count. */
  sweep(downwards: boolean, above: boolean, below: boolean): void {
    const count = this.rows.start.length - 1;
    for (let step = 0; step < count; step++) {
      this.placeRow(downwards ? step : count - 1 - step, above, below);
    }
  }

  /** Keeps the rows of each component within its widest one as it stands now, and `out` px beyond. */
  bound({ left, right }: Extent, out: number): void {
    const { bounds, offset, rows, x } = this;
    const first = (r: number) => rows.order[rows.start[r]!]!;
    const last = (r: number) => rows.order[rows.start[r + 1]! - 1]!;
    const begin = (r: number) => x[first(r)]! - left[first(r)]!;
    const end = (r: number) => x[last(r)]! + right[last(r)]!;
    for (let c = 0; c + 1 < rows.first.length; c++) {
      const stop = rows.first[c + 1]!;
      let widest = rows.first[c]!;
      for (let r = widest + 1; r < stop; r++) {
        if (end(r) - begin(r) > end(widest) - begin(widest)) widest = r;
      }
      for (let r = rows.first[c]!; r < stop; r++) {
        bounds.low[r] = begin(widest) - out + left[first(r)]! - offset[first(r)]!;
        bounds.high[r] = end(widest) + out - right[last(r)]! - offset[last(r)]!;
      }
    }
  }

  /** Puts runs of nodes upright, and holds them there. */
  straighten(): void {
    const upright = straighten(this.graph, this.near, this.trunk, this.lean, this);
    upright.forEach((one, v) => {
      if (one === 1) this.inertia[v] = UPRIGHT_INERTIA;
    });
  }

  /** Puts each node of a row at the weighted mean of where its links would have it, as near as the
   * others let it. */
  private placeRow(r: number, above: boolean, below: boolean): void {
    const { rows, x, offset, inertia, value, weight } = this;
    const { start, end, pull, lean } = this.pulls;
    const { order } = rows;
    const from = rows.start[r]!;
    const size = rows.start[r + 1]! - from;
    for (let i = 0; i < size; i++) {
      const v = order[from + i]!;
      let mass = inertia[v]!;
      let sum = x[v]! * mass;
      const stop = start[2 * v + (below ? 2 : 1)]!;
      for (let k = start[2 * v + (above ? 0 : 1)]!; k < stop; k++) {
        sum += pull[k]! * (x[end[k]!]! + lean[k]!);
        mass += pull[k]!;
      }
      value[i] = sum / mass - offset[v]!;
      weight[i] = mass;
    }
    isotonic(value, weight, size);
    const low = this.bounds.low[r]!;
    const high = this.bounds.high[r]!;
    for (let i = 0; i < size; i++) {
      const v = order[from + i]!;
      x[v] = Math.max(low, Math.min(high, value[i]!)) + offset[v]!;
    }
  }
}

/** The links of each node, side by side in memory, as each sweep reads them all: the other end of each, how
 * hard it pulls, and how far from that end it would have the node, px. Those above node `v` begin at
 * `start[2 * v]`, those below it at `start[2 * v + 1]`. */
interface Pulls {
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly pull: Int32Array;
  readonly lean: Float64Array;
}

function pullsOf(
  graph: Layered,
  { up, down }: Neighbours,
  pulls: Int32Array,
  leans: Float64Array,
): Pulls {
  const nodes = graph.rank.length;
  const links = graph.source.length;
  const start = new Int32Array(2 * nodes + 1);
  const end = new Int32Array(2 * links);
  const pull = new Int32Array(2 * links);
  const lean = new Float64Array(2 * links);
  let at = 0;
  for (let v = 0; v < nodes; v++) {
    for (let k = up.start[v]!; k < up.start[v + 1]!; k++, at++) {
      const l = up.link[k]!;
      end[at] = graph.source[l]!;
      pull[at] = pulls[l]!;
      lean[at] = leans[l]!;
    }
    start[2 * v + 1] = at;
    for (let k = down.start[v]!; k < down.start[v + 1]!; k++, at++) {
      const l = down.link[k]!;
      end[at] = graph.target[l]!;
      pull[at] = pulls[l]!;
      lean[at] = -leans[l]!;
    }
    start[2 * v + 2] = at;
  }
  return { start, end, pull, lean };
}

/** The x of each node where all rows stand centred, as close as they may. */
function centred(rows: Rows, offset: Float64Array): Float64Array {
  const x = new Float64Array(offset.length);
  for (let r = 0; r + 1 < rows.start.length; r++) {
    const middle = offset[rows.order[rows.start[r + 1]! - 1]!]! / 2;
    for (let i = rows.start[r]!; i < rows.start[r + 1]!; i++) {
      x[rows.order[i]!] = offset[rows.order[i]!]! - middle;
    }
  }
  return x;
}

/** Rounds a length in px to the nearest 64th. Sums of these are exact, so that what is upright
 * stays so. */
export function snap(length: number): number {
  return Math.floor(length * 64 + 0.5) / 64;
}

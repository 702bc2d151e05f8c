/** Gives each node of a region its x: rows keep their order, and links run as upright as they
 * can. */
import type { Layered } from './chain';
import { isotonic } from './isotonic';
import type { Neighbours } from './neighbours';
import type { Region } from './placement';
import type { Rows } from './rows';
import { straighten } from './straighten';
import { trunks } from './trunk';

/** How many sweeps over all rows place the nodes. Of the first two, one looks only at the rows
 * above and one only at those below, which spreads the rows well. */
const PLACING_SWEEPS = 12;

/** How hard a link pulls its ends together, by how many of them are bends (Gansner et al., 1993). */
const PULL_BY_BENDS = [1, 2, 8] as const;
/** The same for a link on a trunk. */
const TRUNK_PULL = 8;
/** The most px that a link of a trunk may lead aside between its ports. Beyond that its boxes stand
 * centre below centre, as a chain of wide boxes would otherwise be a staircase. */
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
  gap: number,
): Float64Array {
  const offset = offsets(graph, rows, extent, gap);
  const x = new Float64Array(graph.rank.length);
  for (let r = 0; r + 1 < rows.start.length; r++) {
    const middle = offset[rows.order[rows.start[r + 1]! - 1]!]! / 2;
    for (let i = rows.start[r]!; i < rows.start[r + 1]!; i++) {
      x[rows.order[i]!] = offset[rows.order[i]!]! - middle;
    }
  }
  const pull = graph.source.map((u, l) => {
    const bends = (u < graph.boxes ? 0 : 1) + (graph.target[l]! < graph.boxes ? 0 : 1);
    return PULL_BY_BENDS[bends]!;
  });
  const lean = graph.sourceX.map((from, l) => from - graph.targetX[l]!);
  const trunk = trunks(graph, rows, near);
  for (const l of trunk) {
    if (l === -1) continue;
    pull[l] = TRUNK_PULL;
    if (Math.abs(lean[l]!) > MOST_LEAN) lean[l] = 0;
  }
  const inertia = new Float64Array(graph.rank.length).fill(INERTIA);
  const scratch = scratchFor(rows);
  const sweep = (downwards: boolean, above: boolean, below: boolean) => {
    for (let step = 0; step + 1 < rows.start.length; step++) {
      const r = downwards ? step : rows.start.length - 2 - step;
      placeRow(graph, rows, near, pull, lean, inertia, offset, x, scratch, r, above, below);
    }
  };
  for (let s = 0; s < PLACING_SWEEPS; s++)
    sweep(s % 2 === 0, s > 1 || s % 2 === 0, s > 1 || s % 2 === 1);
  const upright = straighten(graph, rows, near, trunk, lean, offset, x);
  for (let v = 0; v < upright.length; v++) if (upright[v] === 1) inertia[v] = UPRIGHT_INERTIA;
  sweep(true, true, true);
  sweep(false, true, true);
  straighten(graph, rows, near, trunk, lean, offset, x);
  return x;
}

/** Arrays for one row, as long as the widest, so that none is made for each. */
interface Scratch {
  value: Float64Array;
  weight: Float64Array;
}

function scratchFor({ start }: Rows): Scratch {
  let widest = 0;
  for (let r = 0; r + 1 < start.length; r++) widest = Math.max(widest, start[r + 1]! - start[r]!);
  return { value: new Float64Array(widest), weight: new Float64Array(widest) };
}

/** How hard a node is held where it is: so little that it matters only where nothing pulls. */
const INERTIA = 0.05;
/** The same for nodes that stand upright, so that they stay while the others come near. */
const UPRIGHT_INERTIA = 1000;

/** Puts each node of a row at the weighted mean of where its links would have it, as near as the
 * others let it. `above` and `below` say which links count. */
function placeRow(
  graph: Layered,
  rows: Rows,
  { up, down }: Neighbours,
  pull: Int32Array,
  lean: Float64Array,
  inertia: Float64Array,
  offset: Float64Array,
  x: Float64Array,
  { value, weight }: Scratch,
  r: number,
  above: boolean,
  below: boolean,
): void {
  const from = rows.start[r]!;
  const size = rows.start[r + 1]! - from;
  for (let i = 0; i < size; i++) {
    const v = rows.order[from + i]!;
    let mass = inertia[v]!;
    let sum = x[v]! * mass;
    for (let k = up.start[v]!; above && k < up.start[v + 1]!; k++) {
      const l = up.link[k]!;
      sum += pull[l]! * (x[graph.source[l]!]! + lean[l]!);
      mass += pull[l]!;
    }
    for (let k = down.start[v]!; below && k < down.start[v + 1]!; k++) {
      const l = down.link[k]!;
      sum += pull[l]! * (x[graph.target[l]!]! - lean[l]!);
      mass += pull[l]!;
    }
    value[i] = sum / mass - offset[v]!;
    weight[i] = mass;
  }
  isotonic(value, weight, size);
  for (let i = 0; i < size; i++) {
    const v = rows.order[from + i]!;
    x[v] = value[i]! + offset[v]!;
  }
}

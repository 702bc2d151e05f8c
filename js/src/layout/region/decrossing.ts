/** Orders the nodes on each row of a region so that few links cross. */
import { breadthFirst, type Rows } from './layering';
import { type Adjacency, degree, type Layered, type Neighbours, type Region } from './region';

/** The most sweeps over a stretch of rows, and the number that even the largest stretch gets. */
const MOST_SWEEPS = 24;
const LEAST_SWEEPS = 4;
/** Sweeps end after this many in a row without improvement. */
const MOST_IDLE_SWEEPS = 6;
/** The most nodes that all sweeps over a stretch visit, so that a large one stays quick. */
const MOST_VISITS = 60_000;
/** The most rounds in which neighbours are exchanged after a sweep. */
const EXCHANGE_ROUNDS = 3;
/** Rows that are more than this many rows from every crossing stay as they are. */
const ROWS_AROUND = 8;

/** The order of the nodes on each row, with few crossings (Gansner, Koutsofios, North and Vo, 1993). Sweeps up and
 * down sort rows by medians, and exchange neighbours afterwards. Each component keeps its best order. The first
 * sweep goes up, because the nodes that lead to one result are mostly a tree. A component that still has crossings
 * is tried from a second start. */
export function orderRows(region: Region, graph: Layered, rows: Rows, near: Neighbours) {
  const sweeper = new Sweeper(region, graph, rows, near);
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const [top, bottom] = [rows.first[c]!, rows.first[c + 1]!];
    const fewest = sweeper.improve(top, bottom);
    if (fewest > 0) sweeper.retry(top, bottom, fewest);
  }
  return sweeper.order;
}

/** The links of all nodes to the row above, or to the row below. */
interface Side extends Adjacency {
  /** The node at the other end of each link. */
  readonly end: Int32Array;
  /** The place at which each link meets that node, and the place at which it meets its own: the distance from the
   * node's centre, as a share of its width. */
  readonly far: Float64Array;
  readonly own: Float64Array;
}

/** Orders the rows of a region, one component after the other. */
class Sweeper {
  readonly order: Int32Array;
  /** The place of each node on its row, between 0 and 1. */
  private readonly position: Float64Array;
  private readonly key: Float64Array;
  private readonly byKey = (a: number, b: number) =>
    this.key[a]! - this.key[b]! || this.position[a]! - this.position[b]!;
  /** The nodes of one row that have neighbours on the row before. */
  private readonly moving: Int32Array;
  private readonly slot: Int32Array;
  /** The number of crossings between each row and the next. */
  private readonly crossed: Int32Array;
  /** The number of changes of each row's order. A count of crossings, or a sort from above or below, is valid as long
   * as the sum of the changes of its two rows stays the same. */
  private readonly changes: Int32Array;
  private readonly counted: Int32Array;
  private readonly sorted: { readonly above: Int32Array; readonly below: Int32Array };
  private readonly links: { readonly up: Side; readonly down: Side };
  /** The places at which the links of the current row meet the rows above and below. */
  private readonly above: Ends;
  private readonly below: Ends;

  constructor(
    region: Region,
    private readonly graph: Layered,
    private readonly rows: Rows,
    private readonly near: Neighbours,
  ) {
    this.order = rows.order.slice();
    this.position = new Float64Array(graph.rank.length);
    this.key = new Float64Array(graph.rank.length);
    this.moving = new Int32Array(graph.rank.length);
    this.slot = new Int32Array(graph.source.length);
    this.crossed = new Int32Array(rows.start.length);
    this.changes = new Int32Array(rows.start.length);
    const never = () => new Int32Array(rows.start.length).fill(-1);
    this.counted = never();
    this.sorted = { above: never(), below: never() };
    const share = (x: number, v: number) => (x === 0 ? 0 : x / region.width[v]!);
    const ends = () => ({
      start: new Int32Array(graph.rank.length + 1),
      value: new Float64Array(graph.source.length),
    });
    this.above = ends();
    this.below = ends();
    const { source, target } = graph;
    const leaves = graph.sourceX.map((x, l) => share(x, source[l]!));
    const enters = graph.targetX.map((x, l) => share(x, target[l]!));
    this.links = {
      up: { ...near.up, end: source, far: leaves, own: enters },
      down: { ...near.down, end: target, far: enters, own: leaves },
    };
  }

  /** Orders the rows of one component from a breadth-first search, and keeps that order if it has fewer crossings. */
  retry(top: number, bottom: number, fewest: number): void {
    const { start } = this.rows;
    const [from, to] = [start[top]!, start[bottom]!];
    const best = this.order.slice(from, to);
    this.order.set(breadthFirst(this.graph, this.rows, this.near, top, bottom), from);
    if (this.improve(top, bottom) >= fewest) this.order.set(best, from);
  }

  /** Orders the rows `[top, bottom)` of one component, one stretch of rows around crossings after the other. Returns
   * the number of crossings. */
  improve(top: number, bottom: number): number {
    for (let r = top; r < bottom; r++) this.settle(r);
    let crossings = this.crossings(top, bottom);
    let end = top;
    for (let r = top; r + 1 < bottom; r++) {
      if (this.crossed[r] === 0) continue;
      const begin = Math.max(end, r - ROWS_AROUND);
      for (let next = r + 1; next + 1 < bottom && next <= r + 2 * ROWS_AROUND; next++) {
        if (this.crossed[next]! > 0) r = next;
      }
      end = Math.min(bottom, r + 2 + ROWS_AROUND);
      crossings -= this.improveStretch(top, bottom, begin, end);
      r = end - 1;
    }
    return crossings;
  }

  /** Orders the rows `[begin, end)`, while those around them stay. Returns the number of crossings removed. */
  private improveStretch(top: number, bottom: number, begin: number, end: number): number {
    const first = Math.max(top, begin - 1);
    const stop = Math.min(bottom, end + 1);
    const before = this.crossings(first, stop);
    let fewest = before;
    const { start } = this.rows;
    const from = start[begin]!;
    const to = start[end]!;
    let best = this.order.slice(from, to);
    const most = Math.max(
      LEAST_SWEEPS,
      Math.min(MOST_SWEEPS, Math.floor(MOST_VISITS / (to - from))),
    );
    for (let sweep = 0, idle = 0; sweep < most && idle < MOST_IDLE_SWEEPS && fewest > 0; sweep++) {
      if (sweep % 2 === 0) for (let r = stop - 2; r >= begin; r--) this.reorder(r, false);
      else for (let r = first + 1; r < end; r++) this.reorder(r, true);
      const counted = this.crossings(first, stop);
      const crossings = counted - this.exchange(begin, end, top, bottom, sweep % 4 < 2);
      idle++;
      if (crossings >= fewest) continue;
      fewest = crossings;
      best = this.order.slice(from, to);
      idle = 0;
    }
    this.order.set(best, from);
    for (let r = begin; r < end; r++) this.settle(r);
    return before - fewest;
  }

  /** Counts the crossings between the rows `[top, bottom)`. */
  private crossings(top: number, bottom: number): number {
    let sum = 0;
    for (let r = top; r + 1 < bottom; r++) {
      const at = this.changes[r]! + this.changes[r + 1]!;
      if (this.counted[r] !== at) {
        this.counted[r] = at;
        this.crossed[r] = countCrossings(
          this.graph,
          this.rows,
          this.order,
          this.near,
          r,
          this.slot,
        );
      }
      sum += this.crossed[r]!;
    }
    return sum;
  }

  /** Exchanges neighbours on the rows with crossings. Returns the number of crossings removed. */
  private exchange(begin: number, end: number, top: number, bottom: number, even: boolean): number {
    let saved = 0;
    for (let round = 0; round < EXCHANGE_ROUNDS; round++) {
      const before = saved;
      for (let r = begin; r < end; r++) {
        const above = r > top ? this.crossed[r - 1]! : 0;
        const below = r + 1 < bottom ? this.crossed[r]! : 0;
        if (above + below > 0) saved += this.exchangeOn(r, even);
      }
      if (saved === before) break;
    }
    return saved;
  }

  private exchangeOn(r: number, even: boolean): number {
    const row = this.order.subarray(this.rows.start[r]!, this.rows.start[r + 1]!);
    this.gather(row, this.above, this.links.up, this.size(r - 1));
    this.gather(row, this.below, this.links.down, this.size(r + 1));
    const saved = exchange(row, this.above, this.below, even);
    if (saved < 0) return 0;
    this.settle(r);
    return saved;
  }

  /** Fills `ends` with the places at which the links of a row's nodes meet the row beside it, of `size` nodes. */
  private gather(row: Int32Array, ends: Ends, side: Side, size: number): void {
    const { start, link, end, far } = side;
    const { position } = this;
    const { value } = ends;
    let count = 0;
    for (let i = 0; i < row.length; i++) {
      const first = count;
      const stop = start[row[i]! + 1]!;
      for (let k = start[row[i]!]!; k < stop; k++) {
        const l = link[k]!;
        value[count++] = position[end[l]!]! + far[l]! / size;
      }
      if (count > first + 1) value.subarray(first, count).sort();
      ends.start[i + 1] = count;
    }
  }

  /** Sorts a row by the median place of each node's neighbours on the row before. Nodes without such neighbours stay
   * where they are. */
  private reorder(r: number, downwards: boolean): void {
    const from = this.rows.start[r]!;
    const to = this.rows.start[r + 1]!;
    if (to - from < 2) return;
    const { changes, key, moving, order } = this;
    const next = downwards ? r - 1 : r + 1;
    const beside = changes[next]!;
    const sorted = downwards ? this.sorted.above : this.sorted.below;
    if (sorted[r] === changes[r]! + beside) return;
    sorted[r] = changes[r]! + beside;
    const links = downwards ? this.links.up : this.links.down;
    const size = this.size(next);
    let last = -Infinity;
    let rises = true;
    let count = 0;
    for (let i = from; i < to; i++) {
      const v = order[i]!;
      if (degree(links, v) === 0) continue;
      moving[count++] = v;
      key[v] = this.middle(links, v, size, to - from);
      rises &&= key[v]! >= last;
      last = key[v]!;
    }
    if (rises) return;
    moving.subarray(0, count).sort(this.byKey);
    for (let i = from, k = 0; i < to; i++) {
      if (degree(links, order[i]!) > 0) order[i] = moving[k++]!;
    }
    this.settle(r);
    sorted[r]!++;
  }

  /** The best place of a node on its row: the median of the places at which one of its links would be upright. The
   * node's row has `ownSize` nodes, that at the other ends of the links has `farSize`. */
  private middle(side: Side, v: number, farSize: number, ownSize: number): number {
    const { value } = this.above;
    const first = side.start[v]!;
    const count = side.start[v + 1]! - first;
    for (let k = 0; k < count; k++) {
      const l = side.link[first + k]!;
      value[k] = this.position[side.end[l]!]! + side.far[l]! / farSize - side.own[l]! / ownSize;
    }
    if (count > 1) value.subarray(0, count).sort();
    return median(value, count);
  }

  private size(r: number): number {
    return this.rows.start[r + 1]! - this.rows.start[r]!;
  }

  /** Updates the place of each node of a row after the row was ordered. */
  private settle(r: number): void {
    this.changes[r]!++;
    const from = this.rows.start[r]!;
    const size = this.rows.start[r + 1]! - from;
    for (let i = 0; i < size; i++) this.position[this.order[from + i]!] = (i + 0.5) / size;
  }
}

/** The middle of `count` sorted values; of an even number, nearer to the denser half. */
function median(values: Float64Array, count: number): number {
  const half = count >> 1;
  const above = values[half]!;
  if (count % 2 === 1) return above;
  const below = values[half - 1]!;
  const left = below - values[0]!;
  const right = values[count - 1]! - above;
  return left + right === 0 ? (below + above) / 2 : (below * right + above * left) / (left + right);
}

// Crossings of links between two rows: orders are compared by their number, and exchanging
// neighbours removes some.

/** Counts the crossings of the links between row `r` and the next. Links that share an end do not
 * cross. */
function countCrossings(
  graph: Layered,
  rows: Rows,
  order: Int32Array,
  { up, down }: Neighbours,
  r: number,
  slot: Int32Array,
): number {
  const slots = numberEnds(graph, rows, order, up, r + 1, slot);
  return anyCross(graph, rows, order, down, r, slot)
    ? sumCrossings(graph, rows, order, down, r, slot, slots)
    : 0;
}

/** True if any links cross: one ends left of another that begins left of it. */
function anyCross(
  { sourceX }: Layered,
  { start }: Rows,
  order: Int32Array,
  down: Adjacency,
  r: number,
  slot: Int32Array,
): boolean {
  let before = 0;
  let furthest = 0;
  for (let i = start[r]!; i < start[r + 1]!; i++) {
    let from = Number.NaN;
    for (let k = down.start[order[i]!]!; k < down.start[order[i]! + 1]!; k++) {
      const l = down.link[k]!;
      if (sourceX[l] !== from) before = furthest;
      from = sourceX[l]!;
      if (slot[l]! < before) return true;
      if (slot[l]! > furthest) furthest = slot[l]!;
    }
  }
  return false;
}

/** The sum of crossings, by a Fenwick tree over the lower ends (Barth, Jünger and Mutzel, 2004). */
function sumCrossings(
  graph: Layered,
  rows: Rows,
  order: Int32Array,
  down: Adjacency,
  r: number,
  slot: Int32Array,
  slots: number,
): number {
  const tree = new Int32Array(slots + 1);
  let counted = 0;
  let crossings = 0;
  for (let i = rows.start[r]!; i < rows.start[r + 1]!; i++) {
    const u = order[i]!;
    let k = down.start[u]!;
    while (k < down.start[u + 1]!) {
      const stop = sameEnd(graph.sourceX, down, u, k);
      for (let j = k; j < stop; j++) {
        crossings += counted - sumTo(tree, slot[down.link[j]!]! + 1);
      }
      for (let j = k; j < stop; j++) addAt(tree, slot[down.link[j]!]! + 1);
      counted += stop - k;
      k = stop;
    }
  }
  return crossings;
}

/** Numbers the points of a row at which links arrive, from left to right, in `slot`. Returns the number of points. */
function numberEnds(
  graph: Layered,
  rows: Rows,
  order: Int32Array,
  up: Adjacency,
  r: number,
  slot: Int32Array,
): number {
  let slots = 0;
  for (let i = rows.start[r]!; i < rows.start[r + 1]!; i++) {
    const v = order[i]!;
    let k = up.start[v]!;
    while (k < up.start[v + 1]!) {
      const stop = sameEnd(graph.targetX, up, v, k);
      for (; k < stop; k++) slot[up.link[k]!] = slots;
      slots++;
    }
  }
  return slots;
}

/** The position after `k` of the first link that meets node `v` at another point than link `k`. */
function sameEnd(x: Float64Array, adjacent: Adjacency, v: number, k: number): number {
  let stop = k + 1;
  while (stop < adjacent.start[v + 1]! && x[adjacent.link[stop]!] === x[adjacent.link[k]!]) stop++;
  return stop;
}

/** Adds 1 at a position of a Fenwick tree. */
function addAt(tree: Int32Array, at: number): void {
  for (let i = at; i < tree.length; i += i & -i) tree[i]!++;
}

/** The sum up to a position of a Fenwick tree. */
function sumTo(tree: Int32Array, at: number): number {
  let sum = 0;
  for (let i = at; i > 0; i -= i & -i) sum += tree[i]!;
  return sum;
}

/** The places at which the links of a row's nodes meet the row above or below. Those of the node that was at `i` when
 * this was made are `value[start[i]]` up to `value[start[i + 1]]`, from left to right. */
export interface Ends {
  readonly start: Int32Array;
  readonly value: Float64Array;
}

/** Goes along a row and exchanges neighbours if fewer links cross afterwards. If `even`, it also exchanges them if as
 * many links cross, which leads out of dead ends. Returns the number of crossings removed; -1 if no node moved. */
function exchange(row: Int32Array, above: Ends, below: Ends, even: boolean): number {
  let saved = -1;
  let left = 0;
  for (let i = 1; i < row.length; i++) {
    const now = crossing(above, left, i) + crossing(below, left, i);
    const then = now === 0 ? 0 : crossing(above, i, left) + crossing(below, i, left);
    if (then < now || (even && then === now && now > 0)) {
      [row[i - 1], row[i]] = [row[i]!, row[i - 1]!];
      saved = Math.max(saved, 0) + now - then;
    } else left = i;
  }
  return saved;
}

/** The number of crossings between the links of two neighbours. */
function crossing({ start, value }: Ends, left: number, right: number): number {
  const stop = start[right + 1]!;
  let next = start[right]!;
  let sum = 0;
  for (let k = start[left]!; k < start[left + 1]!; k++) {
    while (next < stop && value[next]! < value[k]!) next++;
    sum += next - start[right]!;
  }
  return sum;
}

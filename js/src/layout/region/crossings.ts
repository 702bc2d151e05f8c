/** Counts the crossings of links between two rows, by which orders of the rows are compared, and takes
 * some away by exchanging neighbours. */
import type { Rows } from './layering';
import type { Adjacency, Layered, Neighbours } from './region';

/** Counts the crossings of the links between row `r` and the next. Links that share an end do not
 * cross. */
export function countCrossings(
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

/** Whether any links cross: whether one ends left of another that begins left of it. */
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

/** Numbers the points of a row at which links arrive, from left to right, in `slot`. Returns how
 * many there are. */
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

/** Where the links of the nodes of a row meet the row above or below: those of the node that was at
 * `i` when this was made are `value[start[i]]` up to `value[start[i + 1]]`, from left to right. */
export interface Ends {
  readonly start: Int32Array;
  readonly value: Float64Array;
}

/** Goes along a row and exchanges neighbours where fewer links cross then; if `even`, also where as
 * many do, which leads out of dead ends. Returns how many crossings fewer there are; -1 where all stay. */
export function exchange(row: Int32Array, above: Ends, below: Ends, even: boolean): number {
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

/** How many links of two neighbours cross. */
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

/** The rows of a region in order. A region is laid out several times, until its rows stand as far apart as there
 * is room for: they are ordered once for all of these. */
import { chainEdges } from './chaining';
import { orderRows } from './decrossing';
import { type Rows, splitRows } from './layering';
import { type Layered, type Neighbours, neighbours, type Region } from './region';

/** A region whose rows are in order. */
export interface Ordered {
  readonly graph: Layered;
  readonly near: Neighbours;
  readonly rows: Rows;
}

/** How many are kept, and the most boxes of one that is. */
const MOST_KEPT = 16;
const MOST_BOXES = 500;

/** The last ones, and all that they follow from. */
const kept: { readonly of: readonly ArrayLike<number>[]; readonly ordered: Ordered }[] = [];

/** The region with its rows in order. */
export function orderedRows(region: Region, rank: Int32Array, cut: number): Ordered {
  if (rank.length > MOST_BOXES) return orderedNow(region, rank, cut);
  const { width, source, target, sourceX = [], targetX = [] } = region;
  const of = [rank, [cut], source, target, width, sourceX, targetX];
  const known = kept.find((one) => one.of.every((numbers, at) => isSame(numbers, of[at]!)));
  if (known) return known.ordered;
  const ordered = orderedNow(region, rank, cut);
  kept.unshift({ of, ordered });
  kept.length = Math.min(kept.length, MOST_KEPT);
  return ordered;
}

function orderedNow(region: Region, rank: Int32Array, cut: number): Ordered {
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

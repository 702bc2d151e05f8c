/** Gives each box of a region its rank, counted from 0 at the top. */
import { type Adjacency, adjacency, degree } from './adjacency';
import { PIN, type Region } from './placement';

/** An output moves down to the last rank if none of its edges then leads over more ranks than
 * this. */
const MOST_SINKING = 4;
/** A box made of inputs alone moves down to its consumers if it has at most this many. */
const MOST_CONSUMERS = 3;

/** The rank of each box: edges lead from lower to higher ranks, none longer than it need be
 * without making another longer. */
export function rankBoxes(region: Region): Int32Array {
  const boxes = region.width.length;
  const into = adjacency(boxes, region.target);
  const from = adjacency(boxes, region.source);
  const rank = longestPath(region, from);
  pullDown(region, rank, into, from);
  pinBoxes(region, rank, into);
  return rank;
}

/** The least rank of each box that is below all its sources. */
function longestPath(region: Region, from: Adjacency): Int32Array {
  const boxes = region.width.length;
  const rank = new Int32Array(boxes);
  for (let u = 0; u < boxes; u++) {
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      const v = region.target[from.link[k]!]!;
      if (rank[v]! <= rank[u]!) rank[v] = rank[u]! + 1;
    }
  }
  return rank;
}

/** Moves a box down to just above its first consumer where more edges get shorter than longer.
 * Edges do not count that come from an input, or from a box that will follow: one made of inputs
 * alone, as a cast of a weight is, and its product with a step's input. */
function pullDown(region: Region, rank: Int32Array, into: Adjacency, from: Adjacency): void {
  const boxes = region.width.length;
  const follows = new Uint8Array(boxes);
  const cost = new Int32Array(boxes);
  for (let v = 0; v < boxes; v++) {
    for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
      if (!follows[region.source[into.link[k]!]!]) cost[v]!++;
    }
    const input = degree(into, v) === 0;
    follows[v] = input || (cost[v] === 0 && degree(from, v) <= MOST_CONSUMERS) ? 1 : 0;
  }
  for (let u = boxes - 1; u >= 0; u--) {
    if (degree(from, u) <= cost[u]!) continue;
    let first = Infinity;
    for (let k = from.start[u]!; k < from.start[u + 1]!; k++) {
      first = Math.min(first, rank[region.target[from.link[k]!]!]!);
    }
    rank[u] = first - 1;
  }
}

/** Moves the boxes that are kept at a border to the first or last rank. */
function pinBoxes(region: Region, rank: Int32Array, into: Adjacency): void {
  const pin = region.pin;
  if (!pin) return;
  const pinned = Array.from(pin);
  const above = pinned.includes(PIN.first) ? 1 : 0;
  let deepest = 0;
  for (let v = 0; v < rank.length; v++) {
    rank[v] = pin[v] === PIN.first ? 0 : rank[v]! + above;
    if (pin[v] !== PIN.last) deepest = Math.max(deepest, rank[v]!);
  }
  for (let v = 0; v < rank.length; v++) {
    if (pin[v] === PIN.last) rank[v] = deepest + 1;
    if (pin[v] === PIN.low && sinks(region, rank, into, v, deepest)) rank[v] = deepest;
  }
}

/** Whether an output may move down to the deepest rank. */
function sinks(region: Region, rank: Int32Array, into: Adjacency, v: number, deepest: number) {
  for (let k = into.start[v]!; k < into.start[v + 1]!; k++) {
    if (deepest - rank[region.source[into.link[k]!]!]! > MOST_SINKING) return false;
  }
  return true;
}

/** How links pull the nodes at their ends. */
import type { Rows } from './layering';
import { type Adjacency, degree, type Layered, type Neighbours } from './region';

/** How hard a link pulls its ends together, by how many of them are bends (Gansner et al., 1993). */
const PULL_BY_BENDS = [1, 2, 8] as const;
/** The same for a link on a trunk. */
const TRUNK_PULL = 8;
/** The most px that a link of a trunk may lead aside between its ports. Beyond that its boxes stand
 * centre below centre, as a chain of wide boxes would otherwise be a staircase; but not the first and the
 * last, if they are as an input or a result is: these stand where they enter and where they come from. */
const MOST_LEAN = 40;

/** Of each link, how hard it pulls its ends together, and how far right of its source its target would stand, px. */
export interface Links {
  readonly pull: Float64Array;
  readonly lean: Float64Array;
}

export function linksOf(graph: Layered, near: Neighbours, trunk: Int32Array): Links {
  const { boxes, source, target, sourceX, targetX } = graph;
  const pull = new Float64Array(source.length);
  const lean = new Float64Array(source.length);
  for (let l = 0; l < source.length; l++) {
    pull[l] = PULL_BY_BENDS[(source[l]! < boxes ? 0 : 1) + (target[l]! < boxes ? 0 : 1)]!;
    lean[l] = sourceX[l]! - targetX[l]!;
  }
  for (const l of trunk) {
    if (l === -1) continue;
    pull[l] = TRUNK_PULL;
    const begins = degree(near.up, source[l]!) === 0 && sourceX[l] === 0;
    const ends = degree(near.down, target[l]!) === 0 && targetX[l] === 0;
    if (!begins && !ends && Math.abs(lean[l]!) > MOST_LEAN) lean[l] = 0;
  }
  return { pull, lean };
}

/** The links of each node, side by side in memory, as each sweep reads them all: the other end of each, how
 * hard it pulls, and how far from that end it would have the node, px. Nodes stand in the order of all rows: the
 * links above the one at `i` begin at `start[2 * i]`, those below it at `start[2 * i + 1]`. */
export interface Pulls extends Links {
  readonly start: Int32Array;
  readonly end: Int32Array;
}

export function pullsOf(
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
  const add = (v: number, { start, link }: Adjacency, other: Int32Array, way: number) => {
    for (let k = start[v]!; k < start[v + 1]!; k++, at++) {
      const l = link[k]!;
      end[at] = place[other[l]!]!;
      pull[at] = links.pull[l]!;
      lean[at] = way * links.lean[l]!;
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

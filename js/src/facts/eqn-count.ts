/** How many eqns there are, as everything that we show counts them: a body that is held several
 * times counts once, as it stands once in the text, however often it runs. So the count of a whole
 * stage is that of the lines of its text that compute something. `eqns_held` of
 * `jaxviz/schema/graph.py` counts the same. */

import type { Graph, Stage } from '../schema';
import { cached } from './cached';

/** The eqns of a graph that hold bodies, in order. */
const holdersIn = cached(({ eqns }: Graph): number[] =>
  eqns.flatMap(({ bodies }, at) => (bodies.length > 0 ? [at] : [])),
);

/** Where the numbers from `least` on begin in an ascending list. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The graphs that eqns `[start, stop)` of a graph hold, in their bodies and the bodies in these,
 * each once and without those that are in `known` already, which are then in it too. They go by identity: in the
 * kernel's engine a set of many numbers is slow. */
export function graphsHeld(
  stage: Stage,
  graph: Graph,
  start = 0,
  stop = graph.eqns.length,
  known = new Set<Graph>(),
): number[] {
  const found: number[] = [];
  const look = (one: Graph, from: number, to: number) => {
    const holders = holdersIn(one);
    for (let next = firstFrom(holders, from); (holders[next] ?? to) < to; next++) {
      for (const { graph: held } of one.eqns[holders[next]!]!.bodies) {
        const inner = stage.graphs[held];
        if (!inner || known.has(inner)) continue;
        found.push(held);
        known.add(inner);
      }
    }
  };
  look(graph, start, stop);
  for (let at = 0; at < found.length; at++) {
    const inner = stage.graphs[found[at]!];
    if (inner) look(inner, 0, inner.eqns.length);
  }
  return found;
}

/** How many eqns graphs have, by their numbers. */
const lengthOf = (stage: Stage, graphs: readonly number[]): number =>
  graphs.reduce((sum, one) => sum + (stage.graphs[one]?.eqns.length ?? 0), 0);

/** Eqns `[start, stop)` of a graph with those of their bodies, but for bodies in `known`. */
export const eqnsHeld = (
  stage: Stage,
  graph: Graph,
  start: number,
  stop: number,
  known = new Set<Graph>(),
): number => stop - start + lengthOf(stage, graphsHeld(stage, graph, start, stop, known));

/** The eqns of the graph of this number, with those of its bodies. */
export function eqnsIn(stage: Stage, number: number): number {
  const graph = stage.graphs[number];
  return graph ? eqnsHeld(stage, graph, 0, graph.eqns.length) : 0;
}

/** All eqns of a stage. */
export const allEqns = cached((stage: Stage): number => eqnsIn(stage, 0));

/** Counts the eqns of each class (of a family, a dtype, a kind of difference) in a stage, in each
 * graph and in each item. The classes of colour and the comparison of programs count with it. */

import type { Graph, Stage } from '../schema';
import { innermostFirst } from './graph';
import { parse } from './ids';
import type { Item } from './outline';

/** The class of each eqn of a stage, and how many of each class each graph holds. */
export interface Census {
  stage: Stage;
  /** For each graph, the class of each of its eqns. */
  of: readonly Uint8Array[];
  /** For each graph, its eqns in each class, all bodies included. */
  totals: readonly Uint32Array[];
  /** The index of each graph in `stage.graphs`. */
  index: ReadonlyMap<Graph, number>;
}

/** Counts the eqns of a stage. Takes time linear in the eqns of all graphs: a shared body is
 * counted once and its count reused. */
export function censusOf(
  stage: Stage,
  classes: number,
  classOf: (graph: Graph, eqn: number) => number,
): Census {
  const census: Census = {
    stage,
    of: stage.graphs.map((graph) => Uint8Array.from(graph.eqns, (_, at) => classOf(graph, at))),
    totals: stage.graphs.map(() => new Uint32Array(classes)),
    index: new Map(stage.graphs.map((graph, index) => [graph, index])),
  };
  for (const index of innermostFirst(stage)) {
    const { eqns } = stage.graphs[index] as Graph;
    add(census, index, 0, eqns.length, census.totals[index] as Uint32Array);
  }
  return census;
}

/** How many eqns of each class an item holds, itself included. */
export function heldBy(census: Census, graph: Graph, item: Item): Uint32Array {
  const index = census.index.get(graph) ?? -1;
  const held = new Uint32Array(census.totals[index]?.length ?? 0);
  const { step } = parse(item.id);
  if (step.kind !== 'body') add(census, index, item.start, item.stop, held);
  else {
    const body = graph.eqns[step.eqn]?.bodies[step.index];
    addTo(held, census.totals[body?.graph ?? -1] ?? held);
  }
  return held;
}

/** Adds the counts of eqns `[start, stop)` of a graph, with their bodies, to `into`. */
function add(
  { stage, of, totals }: Census,
  index: number,
  start: number,
  stop: number,
  into: Uint32Array,
): void {
  const classes = of[index] as Uint8Array;
  for (let at = start; at < stop; at++) {
    into[classes[at]!]! += 1;
    for (const body of stage.graphs[index]?.eqns[at]?.bodies ?? []) {
      addTo(into, totals[body.graph] as Uint32Array);
    }
  }
}

/** Adds counts to others, class by class, in place. */
export function addTo(into: Uint32Array, counts: Uint32Array): void {
  for (let one = 0; one < into.length; one++) into[one]! += counts[one]!;
}

/** Counts the eqns of each class (of a family, a dtype, a kind of difference) in a stage, in each
 * graph and in each item. The classes of colour and the comparison of programs count with it. */
import type { Graph, Stage } from '../../schema';
import { graphsHeld } from '../graph';
import { parse } from '../ids';
import type { Item } from '../outline';

/** The class of each eqn of a stage, and the number of eqns of each class in each graph. */
export interface Census {
  stage: Stage;
  /** For each graph, the class of each of its eqns. */
  of: readonly Uint8Array[];
  /** For each graph, its eqns in each class, without those of its bodies. */
  own: readonly Uint32Array[];
  /** The index of each graph in `stage.graphs`. */
  index: ReadonlyMap<Graph, number>;
}

/** Counts the eqns of each graph of a stage. */
export function censusOf(
  stage: Stage,
  classes: number,
  classOf: (graph: Graph, eqn: number) => number,
): Census {
  const of = stage.graphs.map((graph) =>
    new Uint8Array(graph.eqns.length).map((_, at) => classOf(graph, at)),
  );
  return {
    stage,
    of,
    own: of.map((each) => tally(each, classes)),
    index: new Map(stage.graphs.map((graph, index) => [graph, index])),
  };
}

function tally(each: Uint8Array, classes: number): Uint32Array {
  const counts = new Uint32Array(classes);
  for (const one of each) counts[one]! += 1;
  return counts;
}

/** The number of eqns of each class in an item, itself included. A body that occurs several times counts once, as in
 * `eqnsHeld`. */
export function countsIn(census: Census, graph: Graph, item: Item): Uint32Array {
  const { stage, of, own, index } = census;
  const { step } = parse(item.id);
  const body = step.kind === 'body' ? graph.eqns[step.eqn]?.bodies[step.index] : undefined;
  const whole = body && stage.graphs[body.graph];
  if (body && whole) return summed(census, [body.graph, ...graphsHeld(stage, whole)]);
  const counts = summed(census, graphsHeld(stage, graph, item.start, item.stop));
  const number = index.get(graph) ?? -1;
  if (item.stop - item.start === graph.eqns.length) addTo(counts, own[number] ?? counts);
  else for (const one of of[number]?.subarray(item.start, item.stop) ?? []) counts[one]! += 1;
  return counts;
}

/** The number of eqns of each class in the stage. */
export const countsOfStage = (census: Census): Uint32Array => {
  const [root] = census.stage.graphs;
  return summed(census, root ? [0, ...graphsHeld(census.stage, root)] : []);
};

/** The number of eqns of each class in some graphs. */
function summed({ own }: Census, graphs: readonly number[]): Uint32Array {
  const sum = new Uint32Array(own[0]?.length ?? 0);
  for (const one of graphs) addTo(sum, own[one]!);
  return sum;
}

/** Adds counts to others, class by class, in place. */
function addTo(into: Uint32Array, counts: Uint32Array): void {
  for (let one = 0; one < into.length; one++) into[one]! += counts[one]!;
}

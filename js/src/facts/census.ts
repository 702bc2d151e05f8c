import type { Graph, Stage } from '../schema';
import { parse } from './ids';
import type { Item } from './outline';

/** How many eqns of each class the graphs of a stage hold. */
export interface Census {
  stage: Stage;
  /** By graph, the class of each eqn. */
  of: readonly Uint8Array[];
  /** By graph, how many of each class it holds with all its bodies. */
  totals: readonly Uint32Array[];
  index: ReadonlyMap<Graph, number>;
}

/** Linear in the eqns of all graphs: a shared body is looked at once. */
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

/** What an item holds, itself included. */
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

/** Adds what eqns `[start, stop)` of a graph hold, themselves too. */
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

/** All graphs, each behind those that its eqns hold. */
export function innermostFirst(stage: Stage): number[] {
  const order: number[] = [];
  const seen = new Uint8Array(stage.graphs.length);
  const done = new Uint8Array(stage.graphs.length);
  const stack = stage.graphs.map((_, index) => index).reverse();
  while (stack.length > 0) {
    const at = stack[stack.length - 1] as number;
    if (seen[at] === 0) {
      seen[at] = 1;
      for (const { bodies } of stage.graphs[at]?.eqns ?? []) {
        for (const { graph } of bodies) if (seen[graph] === 0) stack.push(graph);
      }
      continue;
    }
    stack.pop();
    if (done[at] === 0) order.push(at);
    done[at] = 1;
  }
  return order;
}

/** Adds up counts by class. */
export function addTo(into: Uint32Array, counts: Uint32Array): void {
  for (let one = 0; one < into.length; one++) into[one]! += counts[one]!;
}

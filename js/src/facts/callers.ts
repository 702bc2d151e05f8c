import type { Stage } from '../schema';
import { firstPaths, graphAt } from './graph';
import { eqnId, type Id, parse, ROOT } from './ids';

const called = new WeakMap<Stage, Id[][]>();

/** For each graph the eqns that hold it, each where the graph around it is seen first. */
function callsOf(stage: Stage): Id[][] {
  const known = called.get(stage);
  if (known) return known;
  const calls: Id[][] = stage.graphs.map(() => []);
  const paths = firstPaths(stage);
  stage.graphs.forEach((graph, number) => {
    const path = paths[number];
    if (path === null || path === undefined) return;
    graph.eqns.forEach(({ bodies }, index) => {
      for (const held of new Set(bodies.map((body) => body.graph))) {
        calls[held]?.push(eqnId(path, index));
      }
    });
  });
  called.set(stage, calls);
  return calls;
}

/**
 * The eqns that call what an id stands for: those with the same body as an eqn, or those that hold
 * the graph in which anything else lies. Empty in the root graph.
 */
export function calls(stage: Stage, id: Id): Id[] {
  if (id === ROOT) return [];
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  const index = step.kind === 'eqn' ? step.index : step.kind === 'body' ? step.eqn : -1;
  const bodies = graph?.eqns[index]?.bodies ?? [];
  const body = bodies[step.kind === 'body' ? step.index : 0];
  const number = body?.graph ?? (graph ? stage.graphs.indexOf(graph) : -1);
  return number <= 0 ? [] : (callsOf(stage)[number] ?? []);
}

/** The inputs, outputs and consts of a graph. */
import type { Graph } from '../schema';
import type { Binder, Step } from './ids';
import { within } from './pytree';

/** The vars of a graph's inputs, outputs or consts, and the user's paths of them. */
export function bindersOf(graph: Graph, binder: Binder): { vars: number[]; paths: string[] } {
  if (binder === 'in') return { vars: graph.invars, paths: graph.args };
  if (binder === 'out') return { vars: graph.outvars, paths: graph.results };
  if (binder === 'fixed') return { vars: [], paths: [] };
  return { vars: graph.constvars, paths: graph.constvars.map(() => '') };
}

/** Of a graph's inputs, outputs or consts those that a step of an id names: one, or all below a
 * prefix. */
export function bindersNamed(
  graph: Graph,
  step: Extract<Step, { binder: Binder }>,
): { vars: number[]; paths: string[] } {
  const { vars, paths } = bindersOf(graph, step.binder);
  const isNamed = (path: string, index: number) =>
    step.kind === 'binder' ? index === step.index : within(path, step.prefix);
  return {
    vars: vars.filter((_, index) => isNamed(paths[index] ?? '', index)),
    paths: paths.filter(isNamed),
  };
}

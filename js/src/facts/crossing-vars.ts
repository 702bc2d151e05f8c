import type { Stage } from '../schema';
import { flowOf, graphAt } from './graph';
import { type Id, parse } from './ids';
import { bindersOf } from './outline';
import { within } from './pytree';

/** The vars that an item takes from outside of itself, and those of it that are used outside. */
export function ends(stage: Stage, id: Id): { used: number[]; made: number[] } {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return { used: [], made: [] };
  if (step.kind === 'binder' || step.kind === 'gathered') {
    const { vars, paths } = bindersOf(graph, step.binder);
    const own = vars.filter((_, index) =>
      step.kind === 'binder' ? index === step.index : within(paths[index] ?? '', step.prefix),
    );
    return step.binder === 'out' ? { used: own, made: [] } : { used: [], made: own };
  }
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const index = step.kind === 'eqn' ? step.index : step.kind === 'body' ? step.eqn : -1;
  const start = group?.start ?? index;
  const stop = group?.stop ?? index + 1;
  const eqns = graph.eqns.slice(start, stop);
  const { producer, users: using } = flowOf(graph);
  const inside = (eqn: number) => start <= eqn && eqn < stop;
  const returned = new Set(graph.outvars);
  const used = eqns.flatMap((eqn) =>
    eqn.invars.filter((one) => !graph.vars[one]?.literal && !inside(producer[one] ?? -1)),
  );
  const made = eqns.flatMap((eqn) =>
    eqn.outvars.filter((one) => returned.has(one) || using[one]?.some((eqn) => !inside(eqn))),
  );
  return { used: [...new Set(used)], made };
}

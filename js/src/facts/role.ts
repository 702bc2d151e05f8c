import type { Stage } from '../schema';
import { graphAt } from './graph';
import { innermostGroups } from './hiding';
import { enclosingEqn, type Id, parse, ROOT } from './ids';

/** The part that an item has in a training step, by the groups around it or around the eqns that
 * hold it: `forward`, `backward`, `optimizer`, `recompute`; empty where it has none. */
export function roleOf(stage: Stage, id: Id): string {
  for (let at: Id | null = id; at !== null && at !== ROOT; ) {
    const { path, step } = parse(at);
    const graph = graphAt(stage, path);
    if (!graph) return '';
    const eqn = step.kind === 'eqn' ? step.index : step.kind === 'body' ? step.eqn : -1;
    const group = step.kind === 'group' ? step.index : (innermostGroups(graph)[eqn] ?? -1);
    const role = graph.groups[group]?.role ?? '';
    if (role !== '') return role;
    at = enclosingEqn(path);
  }
  return '';
}

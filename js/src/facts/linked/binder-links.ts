/** Inputs and outputs of the whole program are the same in every stage that knows the user's paths. */
import type { Stage } from '../../schema';
import { binderId, graphPath, type Id, parse, ROOT } from '../ids';
import { bindersOf } from '../outline';
import { within } from '../pytree';

/** Inputs or outputs of the whole program, by the user's paths. */
export interface Binders {
  binder: 'in' | 'out';
  paths: ReadonlySet<string>;
}

/** Those that an id names; null where it names something else, or one without a path. */
export function bindersAt(stages: readonly Stage[], kind: string, id: Id): Binders | null {
  const graph = stages.find((one) => one.kind === kind)?.graphs[0];
  const { step } = parse(id);
  if (graphPath(id) !== ROOT || !graph || !('binder' in step) || step.binder === 'const') {
    return null;
  }
  const { paths } = bindersOf(graph, step.binder);
  const own = paths.filter((path, index) =>
    step.kind === 'binder' ? index === step.index : within(path, step.prefix),
  );
  const named = new Set(own.filter((path) => path !== ''));
  return named.size === 0 ? null : { binder: step.binder, paths: named };
}

/** The same in a stage: none where an argument is not used, null where the stage has no paths. */
export function sameBinders(stage: Stage, { binder, paths }: Binders): Id[] | null {
  const graph = stage.graphs[0];
  const all = graph ? bindersOf(graph, binder).paths : [];
  if (all.every((one) => one === '')) return null;
  return all.flatMap((one, index) => (paths.has(one) ? [binderId(ROOT, binder, index)] : []));
}

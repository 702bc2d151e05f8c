/** What the user calls the values that go into graphs and out of them. */
import type { Stage } from '../schema';
import { graphAt } from './graph';
import { type Binder, type Id, parse, ROOT } from './ids';
import type { Branch } from './pytree';

/** The root of the paths of results to which the user's code gives no name. */
export const RESULT = 'result';

/** What the user calls an input, a result or a constant of a graph; empty where that is not known. An
 * input of a body that has no name of its own has that of the value which it always stands for. */
export function usersName(stage: Stage, path: Id, binder: Binder, index: number): string {
  let [at, kind, place] = [path, binder, index];
  for (;;) {
    const own = ownName(stage, at, kind, place);
    const outer = own === '' && kind === 'in' && at !== ROOT ? fedBy(stage, at, place) : null;
    if (!outer) return own;
    [at, kind, place] = outer;
  }
}

function ownName(stage: Stage, path: Id, binder: Binder, index: number): string {
  const graph = graphAt(stage, path);
  const call = path === ROOT ? stage.call : null;
  if (binder === 'in') return graph?.args[index] ?? '';
  if (binder === 'out') return call?.results[index] || (graph?.results[index] ?? '');
  return binder === 'const' ? (call?.consts[index] ?? '') : '';
}

/** Roles of operands that a body sees changed or in parts. */
const CHANGING = new Set(['carry', 'xs']);

/** The input or constant of the graph outside that feeds an input of a body, unchanged in each run of it;
 * null for any other value. */
function fedBy(stage: Stage, path: Id, input: number): [Id, Binder, number] | null {
  const { path: outer, step } = parse(path);
  const graph = graphAt(stage, outer);
  const eqn = step.kind === 'body' ? graph?.eqns[step.eqn] : undefined;
  if (!graph || !eqn || step.kind !== 'body') return null;
  const operand = eqn.bodies[step.index]?.inputs[input] ?? -1;
  const variable = eqn.invars[operand];
  if (variable === undefined || CHANGING.has(eqn.roles[operand] ?? '')) return null;
  const constant = graph.constvars.indexOf(variable);
  if (constant >= 0) return [outer, 'const', constant];
  const argument = graph.invars.indexOf(variable);
  return argument < 0 ? null : [outer, 'in', argument];
}

/** What the user calls the pytree with these leaves: the beginning that their names share; else its
 * path. `paths` are those of all leaves. */
export function nameOfBranch(
  stage: Stage,
  path: Id,
  binder: Binder,
  { prefix, leaves }: Branch,
): string {
  const names = leaves.map((leaf) => usersName(stage, path, binder, leaf));
  const graph = graphAt(stage, path);
  const results = binder === 'out' && path === ROOT ? (graph?.results ?? []) : [];
  const begins = leaves.map((leaf, at) => {
    const rest = (results[leaf] ?? '').slice(prefix.length);
    const name = names[at] ?? '';
    return name.endsWith(rest) ? name.slice(0, name.length - rest.length) : prefix;
  });
  const [first = prefix] = begins;
  return begins.every((one) => one === first) ? first || prefix : prefix;
}

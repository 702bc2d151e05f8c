/** Where a value comes from and where it is used, as links that the details pane lists. */
import type { Stage } from '../schema';
import { bindersNamed, bindersOf } from './binders';
import { labelOf } from './describe';
import { flowOf, givenBy, takenBy } from './flow';
import { graphAt } from './graph';
import { type Binder, binderId, eqnId, eqnOfStep, type Id, parse, ROOT } from './ids';
import { usersName } from './users-names';

/** The name of an item and where a click on it leads. */
export interface Link {
  text: string;
  id: Id;
}

/** The name of an input, output or const in a sentence: the user's, or which one it is. */
export function binderLabel(stage: Stage, path: Id, binder: Binder, index: number): string {
  const plain = { in: 'input', out: 'output', const: 'const', fixed: 'fixed' } as const;
  return usersName(stage, path, binder, index) || plain[binder];
}

/** Where a value comes from, nearest first: the eqn that makes it; or the input of its graph, then
 * what feeds that input, and so on outwards. Empty for a literal. */
export function origins(stage: Stage, path: Id, variable: number): Link[] {
  const found: Link[] = [];
  let [at, wanted]: [Id, number | undefined] = [path, variable];
  while (wanted !== undefined) {
    const graph = graphAt(stage, at);
    if (!graph) break;
    const producer = flowOf(graph).producer[wanted] ?? -1;
    const made = graph.eqns[producer];
    if (made) {
      found.push({ text: labelOf(made), id: eqnId(at, producer) });
      break;
    }
    const held = graph.constvars.indexOf(wanted);
    if (held >= 0)
      found.push({
        text: binderLabel(stage, at, 'const', held),
        id: binderId(at, 'const', held),
      });
    const input = graph.invars.indexOf(wanted);
    if (input < 0) break;
    found.push({ text: binderLabel(stage, at, 'in', input), id: binderId(at, 'in', input) });
    [at, wanted] = fedBy(stage, at, input);
  }
  return found;
}

/** The var outside of a body that feeds one of its inputs, and the path of the graph it is in. */
function fedBy(stage: Stage, path: Id, input: number): [Id, number | undefined] {
  if (path === ROOT) return [path, undefined];
  const { path: outer, step } = parse(path);
  if (step.kind !== 'body') return [outer, undefined];
  const eqn = graphAt(stage, outer)?.eqns[step.eqn];
  const operand = eqn?.bodies[step.index]?.inputs[input] ?? -1;
  return [outer, eqn?.invars[operand]];
}

/** The eqns of a value's own graph that use it, and the outputs that return it. */
export function users(stage: Stage, path: Id, variable: number): Link[] {
  const graph = graphAt(stage, path);
  if (!graph) return [];
  const eqns = [...flowOf(graph).users(variable)].map((index) => {
    const eqn = graph.eqns[index];
    return { text: eqn ? labelOf(eqn) : '', id: eqnId(path, index) };
  });
  const { vars } = bindersOf(graph, 'out');
  const outputs: Link[] = [];
  for (let at = vars.indexOf(variable); at >= 0; at = vars.indexOf(variable, at + 1)) {
    outputs.push({ text: binderLabel(stage, path, 'out', at), id: binderId(path, 'out', at) });
  }
  return [...eqns, ...outputs];
}

/** The vars that an item takes from outside (`used`), and the vars of it that are used outside
 * (`made`). */
export function ends(stage: Stage, id: Id): { used: number[]; made: number[] } {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return { used: [], made: [] };
  if (step.kind === 'binder' || step.kind === 'gathered') {
    const { vars: own } = bindersNamed(graph, step);
    return step.binder === 'out' ? { used: own, made: [] } : { used: [], made: own };
  }
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const index = eqnOfStep(step);
  const start = group?.start ?? index;
  const stop = group?.stop ?? index + 1;
  return { used: takenBy(graph, start, stop), made: givenBy(graph, start, stop) };
}

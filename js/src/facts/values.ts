import type { Aval, Stage } from '../schema';
import { labelOf } from './describe';
import { flowOf, graphAt } from './graph';
import { type Binder, binderId, eqnId, type Id, parse, ROOT } from './ids';
import { bindersOf } from './outline';

/** A name of something on the page that one can go to. */
export interface Link {
  text: string;
  id: Id;
}

/** What a binder is called where it is spoken of: the user's path, or what it is. */
export function binderLabel(paths: readonly string[], binder: Binder, index: number): string {
  const plain = { in: 'input', out: 'output', const: 'const' } as const;
  return paths[index] || plain[binder];
}

/**
 * Where a value comes from, nearest first: the eqn that makes it, or the input of its graph and
 * then what feeds that, outwards through the eqns that hold the graph. Empty for a literal.
 */
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
    if (held >= 0) found.push({ text: 'const', id: binderId(at, 'const', held) });
    const input = graph.invars.indexOf(wanted);
    if (input < 0) break;
    found.push({ text: binderLabel(graph.args, 'in', input), id: binderId(at, 'in', input) });
    [at, wanted] = fedBy(stage, at, input);
  }
  return found;
}

/** The variable outside of a body that feeds one of its inputs, with the path of its graph. */
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
  const eqns = (flowOf(graph).users[variable] ?? []).map((index) => {
    const eqn = graph.eqns[index];
    return { text: eqn ? labelOf(eqn) : '', id: eqnId(path, index) };
  });
  const { vars, paths } = bindersOf(graph, 'out');
  const outputs = vars.flatMap((one, index) =>
    one === variable
      ? [{ text: binderLabel(paths, 'out', index), id: binderId(path, 'out', index) }]
      : [],
  );
  return [...eqns, ...outputs];
}

/** What is out of the ordinary about a value, a word each. */
export function badgesOf(aval: Aval): string[] {
  const kind = aval.kind === 'array' ? [] : [aval.kind];
  return [
    ...(aval.weak_type ? ['weak type'] : []),
    ...kind,
    ...(aval.sharding === null ? [] : [`sharding ${aval.sharding}`]),
    ...(aval.memory === null ? [] : [`memory ${aval.memory}`]),
    ...(aval.layout === null ? [] : [`layout ${aval.layout}`]),
  ];
}

/** `2.3 KiB`; empty where the size is not a number. */
export function bytesText(bytes: number | null): string {
  if (bytes === null) return '';
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let [size, unit] = [bytes, bytes === 1 ? 'byte' : 'bytes'];
  for (const larger of units) {
    if (size < 1024) break;
    size /= 1024;
    unit = larger;
  }
  return `${size < 1024 && !unit.startsWith('byte') ? size.toFixed(1) : size} ${unit}`;
}

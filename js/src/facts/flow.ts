/** The flow of values: the eqns of a graph that make and use each var, and the links to them that
 * the details list. */
import type { Graph, Stage } from '../schema';
import { bindersNamed, bindersOf, graphAt, usersName } from './graph';
import { type Binder, binderId, eqnId, eqnOfStep, type Id, parse, ROOT } from './ids';
import { cached } from './maps';
import { labelOf } from './text/describe';

/** Lists of numbers in one array: list n is `all` from `begins[n]` to `begins[n + 1]`. */
class Lists {
  readonly begins: Int32Array;
  readonly all: Int32Array;

  constructor(lists: readonly (readonly number[])[]) {
    const begins = new Int32Array(lists.length + 1);
    lists.forEach((list, at) => {
      begins[at + 1] = begins[at]! + list.length;
    });
    const all = new Int32Array(begins[lists.length]!);
    let end = 0;
    lists.forEach((list) => {
      for (const one of list) all[end++] = one;
    });
    [this.begins, this.all] = [begins, all];
  }

  /** The numbers in lists `[start, stop)`. */
  within(start: number, stop: number): Int32Array {
    return this.all.subarray(this.begins[start] ?? 0, this.begins[stop] ?? 0);
  }
}

/** The eqn that makes each var of a graph, and the eqns that use it. In a comparison, those that used
 * it in the earlier program count, too. */
class Flow {
  /** For each var the eqn that makes it, or -1 (an input, a const or a literal). */
  readonly producer: Int32Array;
  /** The vars that each eqn uses, and those that it makes. */
  readonly taken: Lists;
  readonly made: Lists;
  /** The users of all vars in one array, and where those of each var begin and end. */
  readonly #users: Int32Array;
  readonly #begins: Int32Array;
  readonly #ends: Int32Array;

  constructor({ vars, eqns }: Graph) {
    this.taken = new Lists(
      eqns.map(({ invars, was }) => (was?.length ? [...invars, ...was] : invars)),
    );
    this.made = new Lists(eqns.map(({ outvars }) => outvars));
    const producer = new Int32Array(vars.length).fill(-1);
    eqns.forEach(({ outvars }, eqn) => {
      for (const variable of outvars) producer[variable] = eqn;
    });
    const begins = new Int32Array(vars.length + 1);
    this.taken.all.forEach((variable) => {
      begins[variable + 1]! += 1;
    });
    vars.forEach((_, at) => {
      begins[at + 1]! += begins[at]!;
    });
    const ends = begins.slice();
    const users = new Int32Array(this.taken.all.length);
    eqns.forEach((_, eqn) => {
      for (const variable of this.taken.within(eqn, eqn + 1)) {
        const end = ends[variable]!;
        if (end > begins[variable]! && users[end - 1] === eqn) continue;
        users[end] = eqn;
        ends[variable] = end + 1;
      }
    });
    this.producer = producer;
    [this.#users, this.#begins, this.#ends] = [users, begins, ends];
  }

  /** The eqns that use a var, in order, each once. */
  users(variable: number): Int32Array {
    return this.#users.subarray(this.#begins[variable] ?? 0, this.#ends[variable] ?? 0);
  }

  /** The last eqn that uses a var, or -1. */
  lastUser(variable: number): number {
    const end = this.#ends[variable] ?? 0;
    return end > (this.#begins[variable] ?? 0) ? (this.#users[end - 1] as number) : -1;
  }
}

export const flowOf = cached((graph: Graph): Flow => new Flow(graph));

/** The vars of a merged graph that only the earlier program has and uses. */
const formerOf = cached(
  ({ eqns }: Graph): ReadonlySet<number> => new Set(eqns.flatMap(({ was = [] }) => was)),
);

/** True if only the earlier of two compared programs has these vars. */
export const areFormer = (graph: Graph, vars: readonly number[]): boolean =>
  vars.length > 0 && vars.every((variable) => formerOf(graph).has(variable));

const returnedBy = cached((graph: Graph): ReadonlySet<number> => new Set(graph.outvars));

export const isReturned = (graph: Graph, variable: number): boolean =>
  returnedBy(graph).has(variable);

/** The eqns of a jaxpr whose results nothing needs, not even by way of other eqns: XLA removes them. The kernel counts
 * nothing for them. In a comparison an eqn of the earlier program has no cost, so it is never among them. */
export const unusedEqns = cached((graph: Graph): ReadonlySet<number> => {
  const [flow, unused] = [flowOf(graph), new Set<number>()];
  const isNeeded = (variable: number) =>
    isReturned(graph, variable) || flow.users(variable).some((user) => !unused.has(user));
  for (let at = graph.eqns.length - 1; at >= 0; at -= 1) {
    const { outvars, cost, effects } = graph.eqns[at]!;
    const runs = !cost || cost.least || cost.flops || cost.transcendentals || cost.bytes;
    if (runs || outvars.length === 0 || effects.length > 0 || outvars.some(isNeeded)) continue;
    unused.add(at);
  }
  return unused;
});

/** Returns a test for vars made by an eqn before `stop`: true if they are used from there on, or returned. */
export function leaving(graph: Graph, stop: number): (variable: number) => boolean {
  const [flow, returned] = [flowOf(graph), returnedBy(graph)];
  return (variable) => flow.lastUser(variable) >= stop || returned.has(variable);
}

/** The vars from outside that eqns `[start, stop)` use, each once. */
export function takenBy(graph: Graph, start: number, stop: number): number[] {
  const { producer, taken } = flowOf(graph);
  const isOutside = (one: number) => {
    const maker = producer[one] ?? -1;
    return (maker < start || maker >= stop) && !graph.vars[one]?.literal;
  };
  return [...new Set(taken.within(start, stop).filter(isOutside))];
}

/** The vars that eqns `[start, stop)` make and that are used after them. */
export const givenBy = (graph: Graph, start: number, stop: number): number[] => [
  ...flowOf(graph).made.within(start, stop).filter(leaving(graph, stop)),
];

/** The name of an item, and the id that a click on it leads to. */
export interface Link {
  text: string;
  id: Id;
}

/** The name of an input, output or const in a sentence: the user's, or its kind. */
export function binderLabel(stage: Stage, path: Id, binder: Binder, index: number): string {
  const plain = { in: 'input', out: 'output', const: 'const', fixed: 'fixed' } as const;
  return usersName(stage, path, binder, index) || plain[binder];
}

/** The origins of a value, nearest first: the eqn that makes it; or the input of its graph, then the value outside
 * that feeds this input, and so on outwards. Empty for a literal. */
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
    const constant = graph.constvars.indexOf(wanted);
    if (constant >= 0)
      found.push({
        text: binderLabel(stage, at, 'const', constant),
        id: binderId(at, 'const', constant),
      });
    const input = graph.invars.indexOf(wanted);
    if (input < 0) break;
    found.push({ text: binderLabel(stage, at, 'in', input), id: binderId(at, 'in', input) });
    [at, wanted] = fedBy(stage, at, input);
  }
  return found;
}

/** The nearest origin of a value: the eqn that makes it, or the input of its graph. Empty for a literal. */
export const nearestOrigin = (stage: Stage, path: Id, variable: number): Link[] =>
  origins(stage, path, variable).slice(0, 1);

/** The var outside a body that feeds one of its inputs, and the path of its graph. */
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

/** The vars from outside that an item uses (`used`), and its vars that are used outside (`made`). */
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

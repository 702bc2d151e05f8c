/** Finds the item of an id in a program, and describes a graph as a whole: its inputs and outputs,
 * their names, the count of its eqns, and its groups. */
import type { Aval, Body, Eqn, Graph, Group, Stage } from '../schema';
import { type Binder, eqnId, groupId, type Id, parse, ROOT, type Step } from './ids';
import { cached } from './maps';
import { type Branch, within } from './text/pytree';

/** An eqn, by the number of its graph and its index there. */
export interface EqnPlace {
  graph: number;
  eqn: number;
}

/** An eqn at one of its places: its graph can be open under several paths. */
export interface Place {
  graph: Graph;
  path: Id;
  index: number;
  eqn: Eqn;
}

/** The graph at a path; null if there is none. */
export function graphAt(stage: Stage, path: Id): Graph | null {
  let graph = stage.graphs[0];
  if (path === ROOT) return graph ?? null;
  for (const step of path.split('/')) {
    const [eqn, body] = step.split('.');
    const next = graph?.eqns[Number(eqn)]?.bodies[Number(body)]?.graph;
    graph = next === undefined ? undefined : stage.graphs[next];
  }
  return graph ?? null;
}

/** The eqn that an id names; null if it names something else. */
export function eqnAt(stage: Stage, id: Id): Place | null {
  if (id === ROOT) return null;
  const { path, step } = parse(id);
  const graph = step.kind === 'eqn' ? graphAt(stage, path) : null;
  if (!graph || step.kind !== 'eqn') return null;
  const eqn = graph.eqns[step.index];
  return eqn ? { graph, path, index: step.index, eqn } : null;
}

export function avalOf(stage: Stage, graph: Graph, variable: number): Aval {
  return stage.avals[graph.vars[variable]?.aval ?? -1] as Aval;
}

/** The indices of all graphs, each after those that its eqns call. */
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

/** For each graph the path of its first instance, the one nearest the root; null if no eqn calls it. */
export const firstPaths = cached((stage: Stage): (Id | null)[] => {
  const paths: (Id | null)[] = stage.graphs.map(() => null);
  if (paths.length === 0) return paths;
  paths[0] = ROOT;
  const queue = [0];
  for (let head = 0; head < queue.length; head++) {
    const at = queue[head] as number;
    const path = paths[at] as Id;
    stage.graphs[at]?.eqns.forEach((eqn, index) => {
      eqn.bodies.forEach((body, number) => {
        if (paths[body.graph] !== null) return;
        paths[body.graph] = path === ROOT ? `${index}.${number}` : `${path}/${index}.${number}`;
        queue.push(body.graph);
      });
    });
  }
  return paths;
});

/** A value of a loop's carry: the output of the body that becomes an input of the next iteration. */
export interface Carried {
  input: number;
  output: number;
}

/** The carry of body `number` of a loop; empty if that body has none. */
export function carryOf({ bodies, roles }: Eqn, number: number): Carried[] {
  const body = bodies[number];
  if (body?.label !== 'body' || !roles.includes('carry')) return [];
  const inputs = body.inputs.flatMap((operand, input) =>
    roles[operand] === 'carry' ? [input] : [],
  );
  return inputs.slice(0, body.outputs.length).map((input, output) => ({ input, output }));
}

/** The title of a branch: `if true`, `case 2`. Other bodies are titled with their role: `condition`. */
export function titleOfBody({ label }: Body): string {
  if (label === 'true') return 'if true';
  if (label === 'false') return 'if false';
  const [, number] = /^branch (\d+)$/.exec(label) ?? [];
  return number === undefined ? label : `case ${number}`;
}

/** The numbers of an eqn's bodies in the order in which they are drawn: `if true` before `if false`. */
export const bodiesInOrder = ({ bodies }: Eqn): number[] =>
  bodies.map((_, number) => number).sort((a, b) => rankOf(bodies[a]) - rankOf(bodies[b]));

const rankOf = (body: Body | undefined): number => (body?.label === 'true' ? -1 : 0);

/** The var that picks the branch of a choice, as a number or as a condition; undefined for any other eqn. */
export const pickedBy = ({ invars, roles }: Eqn): number | undefined =>
  invars[roles.findIndex((role) => role === 'index' || role === 'pred')];

/** The eqns that cast the user's condition to the number of a branch, each just before its choice. They have no box:
 * the condition itself leads to the choice. */
export const conditionCasts = cached(({ eqns, groups, outvars }: Graph): ReadonlySet<number> => {
  const casts = eqns.flatMap((eqn, choice) => {
    const before = eqns[choice - 1];
    const isCast = before?.op === 'convert_element_type' && before.outvars[0] === pickedBy(eqn);
    return isCast && eqn.bodies.some(({ label }) => label === 'true') ? [choice - 1] : [];
  });
  if (casts.length === 0) return NO_CASTS;
  const borders = new Set(groups.flatMap(({ start, stop }) => [start, stop]));
  const uses = new Map<number, number>();
  for (const one of [...eqns.flatMap(({ invars }) => [...new Set(invars)]), ...outvars]) {
    uses.set(one, (uses.get(one) ?? 0) + 1);
  }
  return new Set(
    casts.filter((cast) => !borders.has(cast + 1) && uses.get(eqns[cast]!.outvars[0]!) === 1),
  );
});
const NO_CASTS: ReadonlySet<number> = new Set();

/** The var that picks the branch of a choice, before it is cast to a number; undefined for any other eqn. */
export function pickIn(graph: Graph, choice: number): number | undefined {
  const eqn = graph.eqns[choice];
  const picks = eqn && pickedBy(eqn);
  return conditionCasts(graph).has(choice - 1) ? graph.eqns[choice - 1]?.invars[0] : picks;
}

/** True if the value that picks the branch of a choice is also an operand of its branches. */
export function isPassedOn(graph: Graph, choice: number): boolean {
  const pick = pickIn(graph, choice);
  const uses = graph.eqns[choice]!.invars.filter((one) => one === pick).length;
  return uses > (conditionCasts(graph).has(choice - 1) ? 0 : 1);
}

interface Nesting {
  /** The groups directly inside each group, by the index of their first eqn; outermost groups under
   * `IN_NO_GROUP`. */
  inside: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** The number of groups directly inside each group. A section inside it counts as the groups in the section, or as
   * one without groups. The section that a static picture leaves out does not count. */
  members: Int32Array;
}

export const IN_NO_GROUP = -1;

/** The name of the section in which a static picture gathers what it leaves out. */
export const LEFT_OUT = '…';

export const nestingOf = cached(({ groups }: Graph): Nesting => {
  const inside = new Map<number, Map<number, number>>();
  const members = new Int32Array(groups.length);
  groups.forEach(({ parent, start }, index) => {
    const outer = parent ?? IN_NO_GROUP;
    inside.set(outer, (inside.get(outer) ?? new Map<number, number>()).set(start, index));
  });
  for (let index = groups.length - 1; index >= 0; index--) {
    const { kind, name, parent } = groups[index] as Group;
    const isSection = kind === 'section';
    if (parent === null || (isSection && name === LEFT_OUT)) continue;
    members[parent]! += isSection ? members[index]! || 1 : 1;
  }
  return { inside, members };
});

/** The items that open and close together with one: for a forward group its backward groups, for a backward group its
 * forward one. The same for calls that are the only eqn of such a group. */
export function pairOf(stage: Stage, id: Id): Id[] {
  if (id === ROOT) return [];
  const { path, step } = parse(id);
  if (step.kind !== 'group' && step.kind !== 'eqn') return [];
  const graph = graphAt(stage, path);
  if (!graph) return [];
  if (step.kind === 'eqn') {
    const call = callPairsIn(graph).get(step.index);
    return call === undefined ? [] : [eqnId(path, call)];
  }
  return (partnersIn(graph)[step.index] ?? []).map((index) => groupId(path, index));
}

/** Pairs of calls that are the only eqn of a forward group and of its backward group. */
const callPairsIn = cached(({ eqns, groups }: Graph): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  for (const { role, twin, start, stop } of groups) {
    const forward = role === 'backward' && twin !== null ? groups[twin] : undefined;
    if (!forward || stop - start !== 1 || forward.stop - forward.start !== 1) continue;
    if ([start, forward.start].some((at) => eqns[at]?.bodies.length !== 1)) continue;
    found.set(start, forward.start).set(forward.start, start);
  }
  return found;
});

/** For each group of a graph, the groups that open and close together with it. */
const partnersIn = cached(({ groups }: Graph): number[][] => {
  const found: number[][] = groups.map(() => []);
  groups.forEach(({ role, twin }, index) => {
    if (role !== 'backward' || twin === null) return;
    found[twin]?.push(index);
    found[index]?.push(twin);
  });
  return found;
});

/** The vars of a graph's inputs, outputs or consts, and the user's paths of them. */
export function bindersOf(graph: Graph, binder: Binder): { vars: number[]; paths: string[] } {
  if (binder === 'in') return { vars: graph.invars, paths: graph.args };
  if (binder === 'out') return { vars: graph.outvars, paths: graph.results };
  if (binder === 'fixed') return { vars: [], paths: [] };
  return { vars: graph.constvars, paths: graph.constvars.map(() => '') };
}

/** The inputs, outputs or consts that a step of an id names: one, or all below a prefix. */
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

/** The eqns of a graph with bodies, in order. */
const holdersIn = cached(({ eqns }: Graph): number[] =>
  eqns.flatMap(({ bodies }, at) => (bodies.length > 0 ? [at] : [])),
);

/** The index of the first number of an ascending list that is at least `least`. */
function firstFrom(numbers: readonly number[], least: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (numbers[middle]! < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The graphs in the bodies of eqns `[start, stop)` of a graph, and in the bodies inside them, each once. Graphs in
 * `seen` are left out, and new ones are added to it. It contains graphs, not their numbers: in the kernel's engine
 * a set of many numbers is slow. */
export function graphsHeld(
  stage: Stage,
  graph: Graph,
  start = 0,
  stop = graph.eqns.length,
  seen = new Set<Graph>(),
): number[] {
  const found: number[] = [];
  const addBodies = (one: Graph, from: number, to: number) => {
    const holders = holdersIn(one);
    for (let next = firstFrom(holders, from); (holders[next] ?? to) < to; next++) {
      for (const { graph: number } of one.eqns[holders[next]!]!.bodies) {
        const inner = stage.graphs[number];
        if (!inner || seen.has(inner)) continue;
        found.push(number);
        seen.add(inner);
      }
    }
  };
  addBodies(graph, start, stop);
  for (let at = 0; at < found.length; at++) {
    const inner = stage.graphs[found[at]!];
    if (inner) addBodies(inner, 0, inner.eqns.length);
  }
  return found;
}

/** The number of eqns of some graphs. */
const lengthOf = (stage: Stage, graphs: readonly number[]): number =>
  graphs.reduce((sum, one) => sum + (stage.graphs[one]?.eqns.length ?? 0), 0);

/** The number of eqns `[start, stop)` of a graph, with those of their bodies except bodies in `seen`. */
export const eqnsHeld = (
  stage: Stage,
  graph: Graph,
  start: number,
  stop: number,
  seen = new Set<Graph>(),
): number => stop - start + lengthOf(stage, graphsHeld(stage, graph, start, stop, seen));

/** The number of eqns of a graph, by its number, with those of its bodies. */
export function eqnsIn(stage: Stage, number: number): number {
  const graph = stage.graphs[number];
  return graph ? eqnsHeld(stage, graph, 0, graph.eqns.length) : 0;
}

/** The number of all eqns of a stage. */
export const allEqns = cached((stage: Stage): number => eqnsIn(stage, 0));

/** The root of the paths of results that the user's code does not name. */
export const RESULT = 'result';
/** Follows the name of an argument that a result replaces, as in `jaxviz/schema/program.py`. */
const NEW = ' (new)';

/** The most bodies around each other through which the name of a result is found. */
const MOST_AROUND = 4;

/** The user's name of an input, a result or a constant of a graph; empty if there is none. An input of a body without
 * a name of its own has the name of the value that it always stands for, and a result that of the program's result. */
export function usersName(stage: Stage, path: Id, binder: Binder, index: number): string {
  if (binder === 'out' && path !== ROOT) return nameOfResult(stage, path, index);
  let [at, kind, place] = [path, binder, index];
  for (;;) {
    const own = ownName(stage, at, kind, place);
    const outer = own === '' && kind === 'in' && at !== ROOT ? fedBy(stage, at, place) : null;
    if (!outer) return own;
    [at, kind, place] = outer;
  }
}

/** The name of a body's result: that of the program's result that it is, else `next i` or its path, else `result`. */
function nameOfResult(stage: Stage, path: Id, index: number): string {
  let outer: readonly [Id, number] | null = [path, index];
  for (let around = 0; outer && outer[0] !== ROOT && around < MOST_AROUND; around++)
    outer = returnedAs(stage, ...outer);
  const named = outer?.[0] === ROOT ? stage.call?.results[outer[1]] : '';
  const graph = graphAt(stage, path);
  const numbered = (graph?.outvars.length ?? 0) > 1 ? `${RESULT}[${index}]` : RESULT;
  return named || ownName(stage, path, 'out', index) || numbered;
}

function ownName(stage: Stage, path: Id, binder: Binder, index: number): string {
  const graph = graphAt(stage, path);
  const call = path === ROOT ? stage.call : null;
  if (binder === 'in') return graph?.args[index] ?? '';
  if (binder === 'out') {
    return call?.results[index] || nextOf(stage, path, index) || (graph?.results[index] ?? '');
  }
  return binder === 'const' ? (call?.consts[index] ?? '') : '';
}

/** The name of an output of a loop's body that is an input of the next iteration: `next i`; empty for any other. */
function nextOf(stage: Stage, path: Id, output: number): string {
  if (path === ROOT) return '';
  const { path: outer, step } = parse(path);
  const eqn = step.kind === 'body' ? graphAt(stage, outer)?.eqns[step.eqn] : undefined;
  if (!eqn || step.kind !== 'body') return '';
  const carried = carryOf(eqn, step.index).find((one) => one.output === output);
  const inner = carried && graphAt(stage, path);
  if (!inner) return '';
  const { input } = carried;
  return `next ${inner.args[input] || (inner.vars[inner.invars[input] ?? -1]?.name ?? '_')}`;
}

/** Roles of operands that a body gets changed or in parts. */
const CHANGING = new Set(['carry', 'xs']);

/** The input or constant of the outer graph that feeds an input of a body unchanged in each run; null for any other
 * value. */
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

/** The result of the outer graph that a result of a body is in each run; null for any other value. */
function returnedAs(stage: Stage, path: Id, output: number): [Id, number] | null {
  const { path: outer, step } = parse(path);
  const graph = graphAt(stage, outer);
  const eqn = step.kind === 'body' ? graph?.eqns[step.eqn] : undefined;
  if (!graph || !eqn || step.kind !== 'body' || eqn.roles.some((role) => CHANGING.has(role)))
    return null;
  const variable = eqn.outvars[eqn.bodies[step.index]?.outputs[output] ?? -1];
  const result = variable === undefined ? -1 : graph.outvars.indexOf(variable);
  return result < 0 ? null : [outer, result];
}

/** The user's name of the pytree with these leaves: the common beginning of their names, else its path. */
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
    const name = names[at] ?? '';
    const end = name.endsWith(NEW) ? NEW : '';
    const rest = (results[leaf] ?? '').slice(prefix.length) + end;
    return name.endsWith(rest) ? name.slice(0, name.length - rest.length) + end : prefix;
  });
  const [first = prefix] = begins;
  return begins.every((one) => one === first) ? first || prefix : prefix;
}

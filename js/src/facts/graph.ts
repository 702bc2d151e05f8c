/** Looks up what an id names in a program, and what is true of a graph as a whole: how many eqns it
 * holds, how its groups nest and pair, what a loop carries. */

import { thousands } from '../language';
import type { Aval, Eqn, Graph, Group, Stage } from '../schema';
import { cached } from './cached';
import { eqnId, groupId, type Id, parse, ROOT } from './ids';

/** An eqn, by the number of its graph and its index there. */
export interface EqnPlace {
  graph: number;
  eqn: number;
}

/** An eqn at one of the places where it is seen: its graph can be open under several paths. */
export interface Place {
  graph: Graph;
  path: Id;
  index: number;
  eqn: Eqn;
}

/** The graph at a path, null where the path leads nowhere. */
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

/** The eqn that an id names, null where it names something else. */
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

/** The indices of all graphs, a graph after all those that its eqns hold. */
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

/** For each graph the path of its first instance, the one nearest the root; null where nothing
 * holds it. */
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

/** A loop's carry: for each value, the output of its body that comes back as an input of the next
 * round. */
export interface Carry {
  pairs: { input: number; output: number }[];
  /** `×100` for a loop of 100 rounds; empty where the number is not known. */
  turns: string;
}

/** The carry of body `number` of a loop; null where that body has none. */
export function carryOf({ bodies, roles, trips }: Eqn, number: number): Carry | null {
  const body = bodies[number];
  if (body?.label !== 'body' || !roles.includes('carry')) return null;
  const inputs = body.inputs.flatMap((operand, input) =>
    roles[operand] === 'carry' ? [input] : [],
  );
  const pairs = inputs.slice(0, body.outputs.length).map((input, output) => ({ input, output }));
  return { pairs, turns: trips === null ? '' : `×${thousands(trips)}` };
}

/** The vars of a graph that decide which body of an op runs. */
export const deciding = cached(
  ({ eqns }: Graph): ReadonlySet<number> =>
    new Set(
      eqns.flatMap(({ roles, invars }) =>
        invars.filter((_, at) => roles[at] === 'index' || roles[at] === 'pred'),
      ),
    ),
);

interface Nesting {
  /** The groups directly inside each group, by the index of their first eqn; outermost groups under
   * `IN_NO_GROUP`. */
  inside: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** For each group, how many groups are its members. A section inside it is not counted itself:
   * the groups in the section are; nor is what a picture leaves out, whose groups are. */
  members: Int32Array;
}

export const IN_NO_GROUP = -1;

/** The name of the section in which a picture that cannot be moved gathers what it leaves out. */
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

/** The items that open and close together with one: for a forward group its backward groups, for a
 * backward group its forward one. The same for calls that are the only eqn of such a group. */
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

/** For each group of a graph those that open and close together with it. */
const partnersIn = cached(({ groups }: Graph): number[][] => {
  const found: number[][] = groups.map(() => []);
  groups.forEach(({ role, twin }, index) => {
    if (role !== 'backward' || twin === null) return;
    found[twin]?.push(index);
    found[index]?.push(twin);
  });
  return found;
});

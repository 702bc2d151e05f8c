/** How the groups of a graph nest, and how many eqns lie in front of each eqn. Each is found once
 * and kept. */
import type { Eqn, Graph, Group, Stage } from '../schema';
import { totals } from './graph';

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

export function nestingOf(graph: Graph): Nesting {
  const known = nestings.get(graph) ?? nest(graph.groups);
  nestings.set(graph, known);
  return known;
}

const nestings = new WeakMap<Graph, Nesting>();

function nest(groups: readonly Group[]): Nesting {
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
}

/** For each n, how many eqns `[0, n)` of a graph there are with all their bodies. */
export function eqnsBefore(stage: Stage, graph: Graph): Float64Array {
  const known = sums.get(graph);
  if (known) return known;
  const total = totals(stage);
  const before = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, index) => {
    before[index + 1] = before[index]! + 1 + bodiesOf(eqn, total);
  });
  sums.set(graph, before);
  return before;
}

const sums = new WeakMap<Graph, Float64Array>();

export const bodiesOf = (eqn: Eqn, total: readonly number[]): number =>
  eqn.bodies.reduce((sum, body) => sum + (total[body.graph] ?? 0), 0);

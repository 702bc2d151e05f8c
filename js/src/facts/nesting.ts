import type { Eqn, Graph, Group, Stage } from '../schema';
import { totals } from './graph';

/** How the groups of a graph nest, found once. */
interface Nesting {
  /** The groups directly inside each group, by their first eqn; those in none under `NOWHERE`. */
  inside: ReadonlyMap<number, ReadonlyMap<number, number>>;
  /** Of each group how many groups are its members: those inside it, a section counting as what is
   * inside that. */
  members: Int32Array;
}

export const NOWHERE = -1;

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
    const outer = parent ?? NOWHERE;
    inside.set(outer, (inside.get(outer) ?? new Map<number, number>()).set(start, index));
  });
  for (let index = groups.length - 1; index >= 0; index--) {
    const { kind, parent } = groups[index] as Group;
    if (parent !== null) members[parent]! += kind === 'section' ? members[index]! || 1 : 1;
  }
  return { inside, members };
}

/** Of eqns `[0, n)` of a graph how many there are with all their bodies, for each n. */
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

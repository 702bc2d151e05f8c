/** Pairs the groups of a forward pass with those of the backward pass, which open and close
 * together. */
import type { Graph, Group, Stage } from '../schema';
import { graphAt } from './graph';
import { groupId, type Id, parse, ROOT } from './ids';

/** The groups that open and close together with one: for a forward group its backward groups, for a
 * backward group its forward one. */
export function pairOf(stage: Stage, id: Id): Id[] {
  if (id === ROOT) return [];
  const { path, step } = parse(id);
  const graph = step.kind === 'group' ? graphAt(stage, path) : null;
  if (!graph || step.kind !== 'group') return [];
  return partnersIn(graph, step.index).map((index) => groupId(path, index));
}

function partnersIn(graph: Graph, index: number): readonly number[] {
  const known = partners.get(graph) ?? find(graph.groups);
  partners.set(graph, known);
  return known[index] ?? [];
}

const partners = new WeakMap<Graph, number[][]>();

function find(groups: readonly Group[]): number[][] {
  const found: number[][] = groups.map(() => []);
  groups.forEach(({ role, twin }, index) => {
    if (role !== 'backward' || twin === null) return;
    found[twin]?.push(index);
    found[index]?.push(twin);
  });
  return found;
}

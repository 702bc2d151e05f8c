/** The places of a program in which boxes stand: what a group, a body or a whole graph shows. */

import { appliesBody } from '../facts/detail';
import { graphAt, pairOf } from '../facts/graph';
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import type { Graph, Group, Stage } from '../schema';

/** Groups whose contents were left out, as there was no room for them in what is drawn. */
const sealed = new WeakSet<Group>();

/** Marks a group as one that never opens at first, as its contents were left out. */
export function seal(group: Group): void {
  sealed.add(group);
}

/** The items that one group, body or graph shows, the graph that they are of, and the group itself. */
export interface Region {
  graph: Graph | null;
  group: Group | null;
  items: readonly Item[];
}

/** The region of an item: what it shows when it is open. */
export function regionOf(stage: Stage, id: Id): Region {
  const items = drawn(stage, id);
  const graph = graphAt(stage, items[0] ? parse(items[0].id).path : ROOT);
  return { graph, group: id === ROOT ? null : groupOf(graph, id), items };
}

/** Whether an item can be opened at first. Gathered inputs stay gathered. */
export const holds = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** What opens with an item of a region, itself first: a forward group and its backward group open together,
 * where both are shown. None where it does not open at first. */
export function openable(
  stage: Stage,
  { graph }: Region,
  item: Item,
  shown: ReadonlySet<Id>,
): Id[] {
  if (!holds(item)) return [];
  const together = [item.id, ...pairOf(stage, item.id).filter((id) => shown.has(id))];
  return together.some((id) => isSealed(graph, id)) ? [] : together;
}

function isSealed(graph: Graph | null, id: Id): boolean {
  const group = groupOf(graph, id);
  return group !== null && sealed.has(group);
}

export function groupOf(graph: Graph | null, id: Id): Group | null {
  const { step } = parse(id);
  return step.kind === 'group' ? (graph?.groups[step.index] ?? null) : null;
}

export const isWork = ({ kind }: Item): boolean => kind === 'eqn' || kind === 'group';

/** Whether the contents of an eqn only show how the op works inside: for a reduction how two values become
 * one, for a fusion what it was made from. */
export function isInner({ graph }: Region, { kind, start }: Item): boolean {
  const op = kind === 'eqn' ? (graph?.eqns[start]?.op ?? '') : '';
  return appliesBody(op) || (op === 'fusion' && (graph?.groups.length ?? 0) > 0);
}

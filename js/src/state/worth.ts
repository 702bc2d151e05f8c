/** What is worth opening at first, and what before what: what holds much of the program's work before what
 * holds little, and what the user named before what was cut. */

import { cached } from '../facts/cached';
import {
  ADDED,
  type Differences,
  holdsLoud,
  kindOfItem,
  kindsIn,
  REMOVED,
} from '../facts/differences';
import { familyIn } from '../facts/family';
import { innermostFirst, nestingOf } from '../facts/graph';
import type { Id } from '../facts/ids';
import type { Item } from '../facts/outline';
import { type Eqn, type Graph, type Group, MOST_REPEATS, type Stage } from '../schema';
import type { Candidate } from './opened';
import { groupOf, isInner, type Region } from './regions';

/** Whether an item is worth opening, given what is open so far. */
export type WorthOpening = (candidate: Candidate, open: ReadonlySet<Id>) => boolean;

/** An eqn that multiplies matrices tells as much as so many others. */
const CONTRACTION = 32;
/** The least share of the program that is worth being opened. */
const LEAST_SHARE = 0.04;
/** An item stays closed beside a closed one that holds so many times as much. */
const OUTWEIGHED = 2;

/** Roles of what a step does beside its passes: it opens last. */
const LATE = ['optimizer', 'state', 'metrics'];

/** What is opened first, by rank: what stands alone in its place, the passes of a step, all else, and last what
 * the step does beside them. */
export function rankOf({ item, region: { graph, group: outer }, alone }: Candidate): number {
  if (alone) return 0;
  const role = groupOf(graph, item.id)?.role ?? '';
  if (LATE.includes(role)) return 3;
  return role !== '' && !outer?.role ? 1 : 2;
}

/** How much of the program's work an item holds. */
export function weightOf(stage: Stage, { graph }: Region, { start, stop, kind }: Item): number {
  if (!graph) return 0;
  const before = weightBefore(stage, graph);
  const all = (before[stop] ?? 0) - (before[start] ?? 0);
  return kind === 'body' ? all / 2 : all;
}

const weightOfEqn = (stage: Stage, eqn: Eqn, total: readonly number[]): number =>
  (familyIn(stage, eqn) === 'contraction' ? CONTRACTION : 1) +
  eqn.bodies.reduce((sum, { graph }) => sum + (total[graph] ?? 0), 0);

/** The weight of each graph of a stage. */
const weights = cached((stage: Stage): number[] => {
  const total = stage.graphs.map(() => 0);
  for (const at of innermostFirst(stage)) {
    total[at] = (stage.graphs[at]?.eqns ?? []).reduce(
      (sum, eqn) => sum + weightOfEqn(stage, eqn, total),
      0,
    );
  }
  return total;
});

const sums = new WeakMap<Graph, Float64Array>();

/** For each n, the weight of the eqns `[0, n)` of a graph. */
function weightBefore(stage: Stage, graph: Graph): Float64Array {
  const known = sums.get(graph);
  if (known) return known;
  const total = weights(stage);
  const before = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, index) => {
    before[index + 1] = before[index]! + weightOfEqn(stage, eqn, total);
  });
  sums.set(graph, before);
  return before;
}

/** The test for a first view. Of groups that repeat one another only the first opens, and many of them are one
 * box. Of a pass of a training step only the part opens that holds most of it, as the names of the others say
 * enough, and of the backward pass only with its twin. The optimizer stays closed where the passes do, and what
 * it holds stays closed beside them. */
export function telling(stage: Stage): WorthOpening {
  return ({ item, region, alone }, open) => {
    const { graph, group: outer, items } = region;
    if (isInner(region, item)) return false;
    if (outer?.role === 'backward') return false;
    const group = groupOf(graph, item.id);
    if (alone) return !isRowOfShortTurns(graph, group);
    if (group && !isFirst(graph, items, group)) return false;
    if (group?.kind === 'repeat' && membersOf(graph, group) > MOST_REPEATS) return false;
    if (group?.role && !outer?.role) {
      return group.role !== 'optimizer' || !passesClosed(graph, items, open);
    }
    if (LATE.includes(outer?.role ?? '') && hasPasses(graph)) return false;
    const weight = weightOf(stage, region, item);
    if (weight < LEAST_SHARE * (weights(stage)[0] ?? 0)) return false;
    if (!outer?.role) return !isOutweighed(stage, region, item, weight, open);
    return 2 * weight >= weightOfAll(stage, region);
  };
}

/** Whether a forward pass tells most of what stands in its place: it may open beside a closed backward pass. */
export function tellsMost(stage: Stage, { item, region }: Candidate): boolean {
  if (groupOf(region.graph, item.id)?.role !== 'forward' || region.group?.role) return false;
  return 2 * weightOf(stage, region, item) >= weightOfAll(stage, region);
}

const weightOfAll = (stage: Stage, region: Region): number =>
  region.items.reduce((sum, item) => sum + weightOf(stage, region, item), 0);

/** Whether something that holds much more stays closed beside an item. */
const isOutweighed = (
  stage: Stage,
  region: Region,
  { id }: Item,
  weight: number,
  open: ReadonlySet<Id>,
): boolean =>
  region.items.some(
    (one) =>
      one.id !== id &&
      one.foldable &&
      !open.has(one.id) &&
      weightOf(stage, region, one) > OUTWEIGHED * weight,
  );

/** Whether a group is the first of those in its place that repeat one another. */
const isFirst = (graph: Graph | null, items: readonly Item[], group: Group): boolean =>
  group.alike < 0 ||
  items.map(({ id }) => groupOf(graph, id)).find((one) => one?.alike === group.alike) === group;

/** Whether a group is the many turns of a loop that made an eqn or two in each: their boxes tell no more than it. */
const isRowOfShortTurns = (graph: Graph | null, group: Group | null): boolean =>
  group?.kind === 'repeat' && group.stop - group.start <= 2 * membersOf(graph, group);

const membersOf = (graph: Graph | null, group: Group): number =>
  graph ? (nestingOf(graph).members[graph.groups.indexOf(group)] ?? 0) : 0;

const hasPasses = (graph: Graph | null): boolean =>
  graph?.groups.some(({ role }) => role === 'forward') ?? false;

/** Whether one of the step's passes is closed. */
const passesClosed = (
  graph: Graph | null,
  items: readonly Item[],
  open: ReadonlySet<Id>,
): boolean => items.some(({ id }) => groupOf(graph, id)?.role === 'forward' && !open.has(id));

/** The test for a comparison: what holds changes next to what is the same. */
export function changing(stage: Stage, differences: Differences): WorthOpening {
  const tells = telling(stage);
  return (candidate, open) => {
    const { item, region } = candidate;
    const kind = kindOfItem(differences, stage, item);
    if (kind === ADDED || kind === REMOVED) return tells(candidate, open);
    return !isInner(region, item) && holdsLoud(kindsIn(differences, stage, item));
  };
}

/** Decides which items are worth opening in a first view, and in which order they open. */
import {
  ADDED,
  type Differences,
  hasLoud,
  kindOfItem,
  kindsIn,
  REMOVED,
} from '../facts/differences';
import { flowOf, isReturned } from '../facts/flow';
import { innermostFirst, nestingOf, pairOf } from '../facts/graph';
import type { Id } from '../facts/ids';
import { familyIn } from '../facts/kinds';
import { cached } from '../facts/maps';
import type { Item } from '../facts/outline';
import { type Eqn, type Graph, type Group, MOST_REPEATS, type Stage } from '../schema';
import { type Candidate, groupOf, isInner, type Region, regionOf, workIn } from './open-items';

/** Returns true if an item is worth opening, given the open items so far. */
type WorthOpening = (candidate: Candidate, open: ReadonlySet<Id>) => boolean;

/** The weight of a contraction. Other eqns have weight 1. */
const CONTRACTION = 32;
/** An item below this share of the program is not worth opening. */
const LEAST_SHARE = 0.04;
/** An item stays closed beside a closed item that weighs this many times as much. */
const OUTWEIGHED = 2;

/** The roles in a training step that open last. */
const LATE = ['state', 'metrics'];

/** The kinds of candidates, in the order in which they open: what is alone in its place, the lanes of
 * a training step, the reader's functions and lines, loops and branches, functions and layers of
 * libraries, and last the other roles of a step. */
const ORDER = ['alone', 'pass', 'optimizer', 'own', 'control flow', 'library', 'late'] as const;

/** The lanes whose contents open after those of the forward pass. */
const LATER_LANES = ['backward', 'optimizer'];

/** The place of a candidate in the order of opening (see `isLess`): by its kind, then the forward pass
 * before the backward pass and the optimizer, then by its work. */
export const placeOf = (stage: Stage, candidate: Candidate): readonly number[] => [
  ORDER.indexOf(kindOf(stage, candidate)),
  LATER_LANES.indexOf(candidate.region.group?.role ?? '') + 1,
  -weightOf(stage, candidate.region, candidate.item),
];

function kindOf(stage: Stage, { item, region, alone }: Candidate): (typeof ORDER)[number] {
  if (alone) return 'alone';
  const group = groupOf(region.graph, item.id);
  const lane = region.group?.role ? '' : (group?.role ?? '');
  if (lane === 'optimizer') return 'optimizer';
  if (lane !== '') return LATE.includes(lane) ? 'late' : 'pass';
  if (isOfLibrary(stage, region.graph, item)) return 'library';
  return group ? 'own' : 'control flow';
}

/** The weight of an item: its share of the program's work. */
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
  const computed = sums.get(graph);
  if (computed) return computed;
  const total = weights(stage);
  const before = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, index) => {
    before[index + 1] = before[index]! + weightOfEqn(stage, eqn, total);
  });
  sums.set(graph, before);
  return before;
}

/** The rules of a first view. Everything of the reader's own opens, but of repeated groups only the
 * first, and a backward group only beside its open forward counterpart. A layer of a library opens
 * only if it is much of the program, and another function of a library with one result never. */
export function worthInProgram(stage: Stage): WorthOpening {
  return (candidate, open) => {
    const { item, region, alone } = candidate;
    const { graph, items } = region;
    const group = groupOf(graph, item.id);
    if (isInner(region, item) || isWrapper(stage, item)) return false;
    if (group?.role === 'backward' && !pairOf(stage, item.id).every((one) => open.has(one)))
      return false;
    const isLibrary = isOfLibrary(stage, graph, item);
    if (!group && isLibrary) return false;
    if (alone) return !isShortRepeat(graph, group) && !isRowOfUpdates(group);
    if (group && !isFirst(graph, items, group)) return false;
    if (group?.kind === 'repeat' && membersOf(graph, group) > MOST_REPEATS) return false;
    if (!isLibrary) return true;
    const weight = weightOf(stage, region, item);
    const isMuch = weight >= LEAST_SHARE * (weights(stage)[0] ?? 0);
    return isMuch && !isOutweighed(stage, region, item, weight, open);
  };
}

/** True if an item only contains a call of a library, which stays closed. */
function isWrapper(stage: Stage, { id }: Item): boolean {
  const region = regionOf(stage, id);
  const [only, other] = workIn(region);
  if (!only?.foldable || other) return false;
  return groupOf(region.graph, only.id) === null && isOfLibrary(stage, region.graph, only);
}

/** True for a function or layer of a library: an item with one result, none of whose eqns was made by
 * a line of the reader within it. A backward group is what its forward group is. */
function isOfLibrary(stage: Stage, graph: Graph | null, item: Item): boolean {
  if (!graph || item.kind === 'body') return false;
  const group = groupOf(graph, item.id);
  const forward = group?.role === 'backward' ? graph.groups[group.twin ?? -1] : undefined;
  const { start, stop } = forward ?? item;
  const eqns = graph.eqns.slice(start, stop);
  const isCalledByLibrary = ({ call }: Eqn): boolean =>
    call !== null && !!stage.frames[call]?.library;
  const isOfReader = (eqn: Eqn): boolean => eqn.name === '' || hasOtherLines(stage, eqn);
  const isOwn = group ? !eqns.every(isCalledByLibrary) : eqns.some(isOfReader);
  return !isOwn && resultsOf(graph, start, stop) <= 1;
}

/** True if the body of a call has eqns of other lines than the call's own: then the function is not of
 * a library. Also true if lines are not known. */
const hasOtherLines = (stage: Stage, { frame, bodies }: Eqn): boolean =>
  frame === null ||
  bodies.some((body) =>
    stage.graphs[body.graph]?.eqns.some((eqn) => !eqn.inherited && eqn.frame !== frame),
  );

/** The number of values of eqns `[start, stop)` that other eqns use, or that the graph returns.
 * Residuals, which only a backward pass uses, do not count. */
function resultsOf(graph: Graph, start: number, stop: number): number {
  const flow = flowOf(graph);
  const passes = graph.groups.filter((one) => one.role === 'backward' && one.start >= stop);
  const isResidualUse = (eqn: number): boolean =>
    passes.some((pass) => pass.start <= eqn && eqn < pass.stop);
  const isUsed = (variable: number): boolean =>
    flow.users(variable).some((eqn) => eqn >= stop && !isResidualUse(eqn));
  const made = flow.made.within(start, stop);
  return made.filter((variable) => isReturned(graph, variable) || isUsed(variable)).length;
}

/** True if a much heavier item stays closed beside this one. */
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

/** True for the first of the repeated groups in its place. */
const isFirst = (graph: Graph | null, items: readonly Item[], group: Group): boolean =>
  group.alike < 0 ||
  items.map(({ id }) => groupOf(graph, id)).find((one) => one?.alike === group.alike) === group;

/** True for many iterations of a loop with an eqn or two in each: their boxes say no more than the
 * group's. */
const isShortRepeat = (graph: Graph | null, group: Group | null): boolean =>
  group?.kind === 'repeat' && group.stop - group.start <= 2 * membersOf(graph, group);

/** True for equal updates of many layers: side by side, without edges, they say no more than one. */
const isRowOfUpdates = (group: Group | null): boolean =>
  group?.kind === 'repeat' && group.role === 'optimizer';

const membersOf = (graph: Graph | null, group: Group): number =>
  graph ? (nestingOf(graph).members[graph.groups.indexOf(group)] ?? 0) : 0;

/** The rules for a comparison: besides all that opens in a program, what contains changes. */
export function worthInComparison(stage: Stage, differences: Differences): WorthOpening {
  const isWorth = worthInProgram(stage);
  return (candidate, open) => {
    const { item, region } = candidate;
    const isMixed = !isInner(region, item) && containsChanges(stage, differences, item);
    return isMixed || isWorth(candidate, open);
  };
}

/** The place of a candidate in a comparison: first what contains changes. */
export const placeInComparison = (
  stage: Stage,
  differences: Differences,
  candidate: Candidate,
): readonly number[] => [
  containsChanges(stage, differences, candidate.item) ? 0 : 1,
  ...placeOf(stage, candidate),
];

/** True for an item with changes inside that was not added or removed as a whole. */
function containsChanges(stage: Stage, differences: Differences, item: Item): boolean {
  const kind = kindOfItem(differences, stage, item);
  return kind !== ADDED && kind !== REMOVED && hasLoud(kindsIn(differences, stage, item));
}

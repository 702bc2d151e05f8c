/** Finds what is around an item: the items that must be open for it to be visible, the groups it is in, and the eqns
 * that call it. */
import type { Graph, Stage } from '../schema';
import { bindersOf, firstPaths, graphAt } from './graph';
import {
  type Binder,
  enclosingEqn,
  eqnId,
  eqnOfStep,
  gatheredId,
  groupId,
  type Id,
  parse,
  ROOT,
} from './ids';
import { cached } from './maps';
import { children, MOST_BINDERS } from './outline';

/** The items that must be open for an id to be visible, outermost first: the eqns and bodies around it, and the
 * groups or gathered pytrees around each of these. */
export function hiding(stage: Stage, id: Id): Id[] {
  if (id === ROOT) return [];
  const found: Id[] = [];
  for (const body of pathsTo(parse(id).path)) {
    const { path, step } = parse(body);
    const graph = graphAt(stage, path);
    if (!graph || step.kind !== 'body') return found;
    found.push(...groupsAround(graph, path, step.eqn), eqnId(path, step.eqn));
    if ((graph.eqns[step.eqn]?.bodies.length ?? 0) > 1) found.push(body);
  }
  return [...found, ...around(stage, id)];
}

/** The paths of the graphs around an item, outermost first, without the root graph. */
function pathsTo(path: Id): Id[] {
  const steps = path === ROOT ? [] : path.split('/');
  return steps.map((_, index) => steps.slice(0, index + 1).join('/'));
}

/** The items that must be open in the item's own graph; for a body, its eqn too. */
function around(stage: Stage, id: Id): Id[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  switch (step.kind) {
    case 'eqn':
      return groupsAround(graph, path, step.index);
    case 'body':
      return [...groupsAround(graph, path, step.eqn), eqnId(path, step.eqn)];
    case 'group':
      return chain(graph, path, graph.groups[step.index]?.parent ?? null);
    case 'gathered': {
      const chains = gatheredChains(stage, graph, path, step.binder);
      const whole = chains.find((ids) => ids?.includes(id)) ?? [];
      return whole.slice(0, Math.max(0, whole.indexOf(id)));
    }
    case 'binder':
      return gatheredChains(stage, graph, path, step.binder)[step.index] ?? [];
  }
}

/** The groups around an eqn of a graph, outermost first. */
function groupsAround(graph: Graph, path: Id, eqn: number): Id[] {
  return chain(graph, path, innermostGroups(graph)[eqn] ?? -1);
}

function chain(graph: Graph, path: Id, innermost: number | null): Id[] {
  const found: Id[] = [];
  for (let at = innermost ?? -1; at >= 0; at = graph.groups[at]?.parent ?? -1) {
    found.push(groupId(path, at));
  }
  return found.reverse();
}

/** The innermost group around each eqn, or -1. */
export const innermostGroups = cached((graph: Graph): Int32Array => {
  const groups = new Int32Array(graph.eqns.length).fill(-1);
  graph.groups.forEach(({ start, stop }, index) => {
    groups.fill(index, start, stop);
  });
  return groups;
});

type Chains = (Id[] | undefined)[];

const chainsIn = cached((_: Graph) => new Map<string, Chains>());

/** For each input, output or const, the boxes of gathered pytrees around it, outermost first. */
function gatheredChains(stage: Stage, graph: Graph, path: Id, binder: Binder): Chains {
  const ofGraph = chainsIn(graph);
  const key = `${binder}:${path}`;
  const before = ofGraph.get(key);
  if (before) return before;
  const { vars } = bindersOf(graph, binder);
  const chains: Chains = vars.map(() => undefined);
  const stack: { id: Id; outer: Id[] }[] =
    vars.length > MOST_BINDERS ? [{ id: gatheredId(path, binder, ''), outer: [] }] : [];
  for (let at = stack.pop(); at; at = stack.pop()) {
    for (const { id, foldable } of children(stage, at.id)) {
      const { step } = parse(id);
      if (step.kind === 'binder') chains[step.index] = at.outer;
      else if (foldable) stack.push({ id, outer: [...at.outer, id] });
    }
  }
  ofGraph.set(key, chains);
  return chains;
}

/** The part of a training step that an item belongs to, from the groups around it or around the eqns that contain it:
 * `forward`, `backward`, `optimizer` or `recompute`; empty if no group says it. */
export function roleOf(stage: Stage, id: Id): string {
  for (let at: Id | null = id; at !== null && at !== ROOT; ) {
    const { path, step } = parse(at);
    const graph = graphAt(stage, path);
    if (!graph) return '';
    const eqn = eqnOfStep(step);
    const group = step.kind === 'group' ? step.index : (innermostGroups(graph)[eqn] ?? -1);
    const role = graph.groups[group]?.role ?? '';
    if (role !== '') return role;
    at = enclosingEqn(path);
  }
  return '';
}

/** For each graph the eqns that call it. An eqn in a shared graph is listed at the first place of that graph. */
const callsOf = cached((stage: Stage): Id[][] => {
  const calls: Id[][] = stage.graphs.map(() => []);
  const paths = firstPaths(stage);
  stage.graphs.forEach((graph, number) => {
    const path = paths[number];
    if (path === null || path === undefined) return;
    graph.eqns.forEach(({ bodies }, index) => {
      for (const called of new Set(bodies.map((body) => body.graph))) {
        calls[called]?.push(eqnId(path, index));
      }
    });
  });
  return calls;
});

/** The eqns that call an item: for an eqn with bodies, all that share its body; for anything else, those that call
 * its graph. Empty in the root graph. */
export function calls(stage: Stage, id: Id): Id[] {
  if (id === ROOT) return [];
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  const index = eqnOfStep(step);
  const bodies = graph?.eqns[index]?.bodies ?? [];
  const body = bodies[step.kind === 'body' ? step.index : 0];
  const number = body?.graph ?? (graph ? stage.graphs.indexOf(graph) : -1);
  return number <= 0 ? [] : (callsOf(stage)[number] ?? []);
}

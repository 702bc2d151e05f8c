/** Checks that a program read from a notebook's file is consistent, since a file may contain anything. */

import { __ } from '../../language';
import type { Compared, Eqn, Graph, Program, Stage } from '../../schema';
import { numberOf, SAME } from '../differences';

/** Throws unless every index is within its list, groups nest, and no body contains itself. */
export function check({ stages, compared }: Program): void {
  if (!stages.every(isValidStage) || !(compared === null || isMarked(stages, compared)))
    throw unfit();
}

/** The error about parts that contradict one another. */
export const unfit = (): Error => new Error(__('Its parts contradict one another.'));

function isValidStage(stage: Stage): boolean {
  const { collectives, error, frames, graphs, strays, values } = stage;
  return (
    (error !== null || graphs.length > 0) &&
    frames.every((frame, index) => isIndexOrNull(frame.parent, index)) &&
    graphs.every((graph) => isValidGraph(graph, stage)) &&
    isAcyclic(graphs) &&
    areInOrder(collectives, graphs) &&
    areInOrder(strays, graphs) &&
    areInOrder(values, graphs)
  );
}

/** True if records name eqns of these graphs in order, each once. */
function areInOrder(records: readonly { eqn: number }[], graphs: readonly Graph[]): boolean {
  const eqns = graphs.reduce((sum, graph) => sum + graph.eqns.length, 0);
  return records.every(
    ({ eqn }, index) => eqn > (records[index - 1]?.eqn ?? -1) && isIndex(eqn, eqns),
  );
}

/** True if the marks of a comparison name eqns of its only stage, in order, each once, with a known kind. */
function isMarked([stage, ...more]: readonly Stage[], { marks }: Compared): boolean {
  if (!stage || more.length > 0) return false;
  return areInOrder(marks, stage.graphs) && marks.every(({ kind }) => numberOf(kind) !== SAME);
}

/** True if one graph is consistent. Operands and results were checked when they were read (`short-forms.ts`). */
function isValidGraph(graph: Graph, { avals, frames, graphs, scopes }: Stage): boolean {
  return (
    graph.vars.every(({ aval }) => isIndex(aval, avals.length)) &&
    graph.eqns.every(
      (eqn) =>
        isIndex(eqn.scope, scopes.length) &&
        isIndexOrNull(eqn.frame, frames.length) &&
        isIndexOrNull(eqn.call, frames.length) &&
        eqn.origin.every((index) => index >= 0) &&
        (eqn.roles.length === 0 || eqn.roles.length === eqn.invars.length) &&
        (eqn.bodies.length === 0 || hasValidBodies(eqn, graphs)),
    ) &&
    graph.args.length === graph.invars.length &&
    graph.results.length === graph.outvars.length &&
    hasValidGroups(graph)
  );
}

function hasValidGroups({ eqns, groups }: Graph): boolean {
  return groups.every(({ parent, twin, start, stop }, index) => {
    const outer = parent === null ? { start: 0, stop: eqns.length } : groups[parent];
    return (
      isIndexOrNull(parent, index) &&
      isIndexOrNull(twin, groups.length) &&
      outer !== undefined &&
      outer.start <= start &&
      start <= stop &&
      stop <= outer.stop
    );
  });
}

function hasValidBodies(eqn: Eqn, graphs: readonly Graph[]): boolean {
  return eqn.bodies.every((body) => {
    const graph = graphs[body.graph];
    return (
      graph !== undefined &&
      body.inputs.length === graph.invars.length &&
      body.outputs.length === graph.outvars.length &&
      body.inputs.every((index) => index === -1 || isIndex(index, eqn.invars.length)) &&
      body.outputs.every((index) => index === -1 || isIndex(index, eqn.outvars.length))
    );
  });
}

/** True if the graphs can be ordered so that each comes after all that call it. */
function isAcyclic(graphs: readonly Graph[]): boolean {
  const bodies = graphs.map(({ eqns }) => {
    const called: number[] = [];
    for (const eqn of eqns) for (const body of eqn.bodies) called.push(body.graph);
    return called;
  });
  const holders = graphs.map(() => 0);
  for (const graph of bodies.flat()) holders[graph] = (holders[graph] ?? 0) + 1;
  const free = graphs.flatMap((_, index) => (holders[index] === 0 ? [index] : []));
  for (const graph of free) {
    for (const body of bodies[graph] ?? []) {
      holders[body] = (holders[body] ?? 0) - 1;
      if (holders[body] === 0) free.push(body);
    }
  }
  return free.length === graphs.length;
}

function isIndexOrNull(index: number | null, length: number): boolean {
  return index === null || isIndex(index, length);
}

export function isIndex(index: number, length: number): boolean {
  return index >= 0 && index < length;
}

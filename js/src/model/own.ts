import type { Cost, Eqn, Graph, Stage } from '../schema';
import { isWithin, type Runs, runsOfBody, runsOfGraphs } from './runs';
import { costOfRun, UNKNOWN } from './sums';

/** What each eqn does by itself in all its runs, by graph: without its bodies, where those have eqns
 * of their own that do it. These sum up to the whole. */
export interface Own {
  flops: Float64Array;
  bytes: Float64Array;
  /** 1 where that is not known. */
  noFlops: Uint8Array;
  noBytes: Uint8Array;
  least: Uint8Array;
}

const owned = new WeakMap<Stage, readonly Own[]>();

export function ownCosts(stage: Stage): readonly Own[] {
  const known = owned.get(stage);
  if (known) return known;
  const runs = runsOfGraphs(stage);
  const within = keptWithin(stage);
  const made = stage.graphs.map((graph, at) => own(stage, graph, runs[at] as Runs, within[at]!));
  owned.set(stage, made);
  return made;
}

/** By graph, whether all that it moves stays within the eqns that hold it. */
function keptWithin(stage: Stage): boolean[] {
  const within = stage.graphs.map(() => false);
  for (const { eqns } of stage.graphs) {
    for (const eqn of eqns)
      if (isWithin(eqn)) for (const { graph } of eqn.bodies) within[graph] = true;
  }
  return within;
}

function own(stage: Stage, graph: Graph, runs: Runs, within: boolean): Own {
  const { length } = graph.eqns;
  const made: Own = {
    flops: new Float64Array(length),
    bytes: new Float64Array(length),
    noFlops: new Uint8Array(length),
    noBytes: new Uint8Array(length),
    least: new Uint8Array(length),
  };
  graph.eqns.forEach((eqn, at) => {
    const { flops, bytes, least } = eqn.cost ?? UNKNOWN;
    const held = heldBy(stage, eqn);
    made.flops[at] = Math.max(0, (flops ?? 0) - held.flops) * runs.times;
    made.bytes[at] = within ? 0 : Math.max(0, (bytes ?? 0) - held.bytes) * runs.times;
    made.noFlops[at] = Number(flops === null);
    made.noBytes[at] = Number(bytes === null && !within);
    made.least[at] = Number(least || runs.least);
  });
  return made;
}

/** What the bodies of an eqn do in one run of it, as far as that is told of their own eqns. */
function heldBy(stage: Stage, eqn: Eqn): { flops: number; bytes: number } {
  const held = { flops: 0, bytes: 0 };
  for (const body of eqn.bodies) {
    const runs = runsOfBody(eqn, body);
    const graph = stage.graphs[body.graph];
    if (!runs || !graph) continue;
    const { flops, bytes } = costOfRun(graph, 0, graph.eqns.length);
    held.flops += (flops ?? 0) * runs.times;
    if (!isWithin(eqn)) held.bytes += (bytes ?? 0) * runs.times;
  }
  return held;
}

export const costAt = ({ flops, bytes, noFlops, noBytes, least }: Own, at: number): Cost => ({
  flops: noFlops[at] ? null : flops[at]!,
  bytes: noBytes[at] ? null : bytes[at]!,
  least: least[at] === 1,
});

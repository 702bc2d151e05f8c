/** The flops and bytes of each eqn without its bodies, for tables that must add up to the program's
 * total. */
import type { Body, Cost, Eqn, Graph, Stage } from '../../schema';
import { plainName } from '../family';
import { CHOICE_OPS, type Runs, runsOfBody, runsOfGraphs } from './runs';
import { costOfRun, UNKNOWN_COST } from './sums';

/** The flops and bytes of each eqn of a graph in all its runs, without those of its bodies where
 * the bodies have eqns of their own to count them. Summed up over all graphs they give the
 * program's total. */
export interface OwnCosts {
  flops: Float64Array;
  bytes: Float64Array;
  /** For each eqn, 1 where its flops are not known. */
  noFlops: Uint8Array;
  noBytes: Uint8Array;
  /** For each eqn, 1 where its numbers are lower bounds. */
  least: Uint8Array;
}

const owned = new WeakMap<Stage, readonly OwnCosts[]>();

/** The own costs of all graphs of a stage, in time linear in their eqns. */
export function ownCosts(stage: Stage): readonly OwnCosts[] {
  const known = owned.get(stage);
  if (known) return known;
  const runs = runsOfGraphs(stage, (eqn, body) => countsTo(stage, eqn).includes(body));
  const made = stage.graphs.map((graph, at) => own(stage, graph, runs[at] as Runs));
  owned.set(stage, made);
  return made;
}

function own(stage: Stage, graph: Graph, runs: Runs): OwnCosts {
  const { length } = graph.eqns;
  const made: OwnCosts = {
    flops: new Float64Array(length),
    bytes: new Float64Array(length),
    noFlops: new Uint8Array(length),
    noBytes: new Uint8Array(length),
    least: new Uint8Array(length),
  };
  graph.eqns.forEach((eqn, at) => {
    const { flops, bytes, least } = eqn.cost ?? UNKNOWN_COST;
    const held = eqn.bodies.length === 0 ? NO_COST : heldBy(stage, eqn);
    made.flops[at] = Math.max(0, (flops ?? 0) - held.flops) * runs.times;
    made.bytes[at] = Math.max(0, (bytes ?? 0) - held.bytes) * runs.times;
    made.noFlops[at] = Number(flops === null);
    made.noBytes[at] = Number(bytes === null);
    made.least[at] = Number(least || runs.least);
  });
  return made;
}

const NO_COST = { flops: 0, bytes: 0 };

/** The flops and bytes that the bodies of an eqn take in one run of it. */
function heldBy(stage: Stage, eqn: Eqn): { flops: number; bytes: number } {
  const held = { ...NO_COST };
  for (const body of countsTo(stage, eqn)) {
    const runs = runsOfBody(eqn, body);
    const { flops, bytes } = costOfBody(stage, body);
    held.flops += (flops ?? 0) * (runs?.times ?? 0);
    held.bytes += (bytes ?? 0) * (runs?.times ?? 0);
  }
  return held;
}

/** The bodies that count towards an eqn: all of them, or of a choice such as `cond` the one that
 * costs the most. */
function countsTo(stage: Stage, { op, bodies }: Eqn): readonly Body[] {
  if (!CHOICE_OPS.has(plainName(op)) || bodies.length < 2) return bodies;
  const most = (one: Body, other: Body) => {
    const [a, b] = [costOfBody(stage, one), costOfBody(stage, other)];
    const more = (b.flops ?? 0) - (a.flops ?? 0) || (b.bytes ?? 0) - (a.bytes ?? 0);
    return more > 0 ? other : one;
  };
  return [bodies.reduce(most)];
}

function costOfBody(stage: Stage, { graph }: Body): Cost {
  const held = stage.graphs[graph];
  return held ? costOfRun(held, 0, held.eqns.length) : UNKNOWN_COST;
}

export const costAt = ({ flops, bytes, noFlops, noBytes, least }: OwnCosts, at: number): Cost => ({
  flops: noFlops[at] ? null : flops[at]!,
  bytes: noBytes[at] ? null : bytes[at]!,
  least: least[at] === 1,
});

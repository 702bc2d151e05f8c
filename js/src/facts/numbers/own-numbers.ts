import type { Body, Cost, Eqn, Graph, Stage } from '../../schema';
import { plainName } from '../family';
import { CHOICES, type Runs, runsOfBody, runsOfGraphs } from './runs';
import { costOfRun, UNKNOWN } from './sums';

/** What each eqn of a graph does by itself in all its runs: without its bodies, where those have
 * eqns of their own that do it. Over all graphs these sum up to what the program does. */
export interface Own {
  flops: Float64Array;
  bytes: Float64Array;
  /** 1 where that is not known. */
  noFlops: Uint8Array;
  noBytes: Uint8Array;
  /** 1 where it is at least that much. */
  least: Uint8Array;
}

const owned = new WeakMap<Stage, readonly Own[]>();

/** Of all graphs of a stage, linear in their eqns. */
export function ownCosts(stage: Stage): readonly Own[] {
  const known = owned.get(stage);
  if (known) return known;
  const runs = runsOfGraphs(stage, (eqn, body) => countsTo(stage, eqn).includes(body));
  const made = stage.graphs.map((graph, at) => own(stage, graph, runs[at] as Runs));
  owned.set(stage, made);
  return made;
}

function own(stage: Stage, graph: Graph, runs: Runs): Own {
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
    const held = eqn.bodies.length === 0 ? NOTHING : heldBy(stage, eqn);
    made.flops[at] = Math.max(0, (flops ?? 0) - held.flops) * runs.times;
    made.bytes[at] = Math.max(0, (bytes ?? 0) - held.bytes) * runs.times;
    made.noFlops[at] = Number(flops === null);
    made.noBytes[at] = Number(bytes === null);
    made.least[at] = Number(least || runs.least);
  });
  return made;
}

const NOTHING = { flops: 0, bytes: 0 };

/** What the bodies of an eqn do in one run of it. */
function heldBy(stage: Stage, eqn: Eqn): { flops: number; bytes: number } {
  const held = { ...NOTHING };
  for (const body of countsTo(stage, eqn)) {
    const runs = runsOfBody(eqn, body);
    const { flops, bytes } = costOfBody(stage, body);
    held.flops += (flops ?? 0) * (runs?.times ?? 0);
    held.bytes += (bytes ?? 0) * (runs?.times ?? 0);
  }
  return held;
}

/** The bodies whose work is an eqn's: of a choice the one that does the most. */
function countsTo(stage: Stage, { op, bodies }: Eqn): readonly Body[] {
  if (!CHOICES.has(plainName(op)) || bodies.length < 2) return bodies;
  const most = (one: Body, other: Body) => {
    const [a, b] = [costOfBody(stage, one), costOfBody(stage, other)];
    const more = (b.flops ?? 0) - (a.flops ?? 0) || (b.bytes ?? 0) - (a.bytes ?? 0);
    return more > 0 ? other : one;
  };
  return [bodies.reduce(most)];
}

function costOfBody(stage: Stage, { graph }: Body): Cost {
  const held = stage.graphs[graph];
  return held ? costOfRun(held, 0, held.eqns.length) : UNKNOWN;
}

export const costAt = ({ flops, bytes, noFlops, noBytes, least }: Own, at: number): Cost => ({
  flops: noFlops[at] ? null : flops[at]!,
  bytes: noBytes[at] ? null : bytes[at]!,
  least: least[at] === 1,
});

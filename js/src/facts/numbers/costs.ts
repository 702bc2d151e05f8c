/** The flops and bytes of eqns, items, source lines and the whole program, with all runs of loops. */
import type { Body, Cost, Eqn, Graph, Stage } from '../../schema';
import { plainName } from '../family';
import { graphAt } from '../graph';
import { type Id, parse } from '../ids';
import { keyOf } from '../linked/source-lines';
import { CHOICE_OPS, type Runs, runsOf, runsOfBody, runsOfGraphs } from './runs';

/** The flops and bytes of an eqn, a body or a group in all its runs at this place; null for
 * anything else. Inside a loop whose length is not known they are counted once and marked as a
 * lower bound (`least`). */
export function costOf(stage: Stage, id: Id): Cost | null {
  const once = costOnce(stage, id);
  if (once === null) return null;
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path) ?? { times: 1, least: true };
  const all = (part: number | null) => (part === null ? null : part * runs.times);
  return { flops: all(once.flops), bytes: all(once.bytes), least: once.least || runs.least };
}

function costOnce(stage: Stage, id: Id): Cost | null {
  const { path, step } = parse(id);
  const graph = graphAt(stage, step.kind === 'body' ? id : path);
  if (!graph) return null;
  switch (step.kind) {
    case 'eqn':
      return graph.eqns[step.index]?.cost ?? UNKNOWN_COST;
    case 'body':
      return costOfRun(graph, 0, graph.eqns.length);
    case 'group': {
      const group = graph.groups[step.index];
      return group ? costOfRun(graph, group.start, group.stop) : null;
    }
    default:
      return null;
  }
}

/** The flops and bytes of one run of the whole program. */
export function wholeOf(stage: Stage): Cost {
  const [root] = stage.graphs;
  return stage.cost ?? (root ? costOfRun(root, 0, root.eqns.length) : UNKNOWN_COST);
}

/** Whether the cost of any eqn is known. */
export function isMeasured(stage: Stage): boolean {
  const known = measured.get(stage) ?? stage.graphs.some((graph) => graph.eqns.some(isCosted));
  measured.set(stage, known);
  return known;
}

const isCosted = ({ cost }: Eqn): boolean => cost !== null && (cost.flops ?? cost.bytes) !== null;
const measured = new WeakMap<Stage, boolean>();

const lines = new WeakMap<Stage, ReadonlyMap<string, Cost>>();

/** The flops and bytes that the eqns of each source line take in one run of the program, by `keyOf`
 * the line. */
export function lineCosts(stage: Stage): ReadonlyMap<string, Cost> {
  const known = lines.get(stage);
  if (known) return known;
  const keys = stage.frames.map(keyOf);
  const found = new Map<string, Cost>();
  const own = ownCosts(stage);
  stage.graphs.forEach((graph, number) => {
    graph.eqns.forEach(({ frame }, at) => {
      const key = keys[frame ?? -1];
      if (key !== undefined)
        found.set(key, added(found.get(key), costAt(own[number] as OwnCosts, at)));
    });
  });
  lines.set(stage, found);
  return found;
}

/** The sum of two costs. Where one of them is not known, the sum is the other, as a lower bound. */
export function added(one: Cost | undefined, other: Cost): Cost {
  if (!one) return other;
  const sum = (a: number | null, b: number | null) =>
    a === null && b === null ? null : (a ?? 0) + (b ?? 0);
  const unknown = (a: number | null, b: number | null) => (a === null) !== (b === null);
  return {
    flops: sum(one.flops, other.flops),
    bytes: sum(one.bytes, other.bytes),
    least:
      one.least ||
      other.least ||
      unknown(one.flops, other.flops) ||
      unknown(one.bytes, other.bytes),
  };
}

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

export const UNKNOWN_COST: Cost = { flops: null, bytes: null, least: false };

/** RunningSums over eqns `[0, n)` of a graph, for each n. */
interface RunningSums {
  flops: Float64Array;
  bytes: Float64Array;
  /** How many of these eqns have unknown flops, unknown bytes, or only lower bounds. */
  noFlops: Int32Array;
  noBytes: Int32Array;
  least: Int32Array;
}

const sums = new WeakMap<Graph, RunningSums>();

/** The running sums of a graph, for one run of it. */
function sumsOf(graph: Graph): RunningSums {
  const known = sums.get(graph);
  if (known) return known;
  const length = graph.eqns.length + 1;
  const made: RunningSums = {
    flops: new Float64Array(length),
    bytes: new Float64Array(length),
    noFlops: new Int32Array(length),
    noBytes: new Int32Array(length),
    least: new Int32Array(length),
  };
  graph.eqns.forEach(({ cost }, at) => {
    const { flops, bytes, least } = cost ?? UNKNOWN_COST;
    made.flops[at + 1] = made.flops[at]! + (flops ?? 0);
    made.bytes[at + 1] = made.bytes[at]! + (bytes ?? 0);
    made.noFlops[at + 1] = made.noFlops[at]! + Number(flops === null);
    made.noBytes[at + 1] = made.noBytes[at]! + Number(bytes === null);
    made.least[at + 1] = made.least[at]! + Number(least);
  });
  sums.set(graph, made);
  return made;
}

/** The flops and bytes of eqns `[start, stop)` of a graph in one run of it. */
function costOfRun(graph: Graph, start: number, stop: number): Cost {
  const { flops, bytes, noFlops, noBytes, least } = sumsOf(graph);
  const [missing, unmoved] = [noFlops[stop]! - noFlops[start]!, noBytes[stop]! - noBytes[start]!];
  const all = stop - start;
  return {
    flops: missing === all && all > 0 ? null : flops[stop]! - flops[start]!,
    bytes: unmoved === all && all > 0 ? null : bytes[stop]! - bytes[start]!,
    least: missing + unmoved > 0 || least[stop]! > least[start]!,
  };
}

/** The costs of eqns, items, source lines and the whole program, with the number of runs of each in loops. */
import { OPS_OF_BODIES } from '../../ops';
import type { Body, Cost, Eqn, Graph, Stage } from '../../schema';
import { graphAt, innermostFirst } from '../graph';
import { type Id, parse, ROOT } from '../ids';
import { plainName } from '../kinds';
import { keyOf } from '../linked/source-lines';
import { cached } from '../maps';

/** The flops and bytes of an eqn, a body or a group in all its runs at this place; null for anything else. In a loop
 * of unknown length they count once and are marked as a lower bound (`least`). */
export function costOf(stage: Stage, id: Id): Cost | null {
  const once = costOnce(stage, id);
  if (once === null) return null;
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path) ?? { times: 1, least: true };
  return times(once, runs);
}

/** The cost of all runs, from the cost of one. */
export function times(once: Cost, runs: Runs): Cost {
  const all = (part: number | null) => (part === null ? null : part * runs.times);
  return { ...byAmount((amount) => all(once[amount])), least: once.least || runs.least };
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

/** True if the cost of any eqn is known. */
export const isMeasured = cached((stage: Stage): boolean =>
  stage.graphs.some(({ eqns }) =>
    eqns.some(({ cost }) => cost !== null && (cost.flops ?? cost.bytes) !== null),
  ),
);

/** The flops and bytes of the eqns of each source line in one run of the program, by `keyOf` the line. */
export const lineCosts = cached((stage: Stage): ReadonlyMap<string, Cost> => {
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
  return found;
});

/** The sum of two costs. If one of them is not known, the sum is the other, as a lower bound. */
export function added(one: Cost | undefined, other: Cost): Cost {
  if (!one) return other;
  const sum = (a: number | null, b: number | null) =>
    a === null && b === null ? null : (a ?? 0) + (b ?? 0);
  const unknown = (a: number | null, b: number | null) => (a === null) !== (b === null);
  return {
    ...byAmount((amount) => sum(one[amount], other[amount])),
    least:
      one.least ||
      other.least ||
      unknown(one.flops, other.flops) ||
      unknown(one.bytes, other.bytes),
  };
}

/** The amounts of each eqn of a graph in all its runs, without those that the eqns in its bodies count. Their sum over
 * all graphs is the program's total. */
export interface OwnCosts extends Record<Amount, Float64Array> {
  /** For each eqn, 1 if its amount is not known. */
  unknown: Record<Amount, Uint8Array>;
  /** For each eqn, 1 if its numbers are lower bounds. */
  least: Uint8Array;
}

/** The own costs of all graphs of a stage, in time linear in their eqns. */
export const ownCosts = cached((stage: Stage): readonly OwnCosts[] => {
  const runs = runsOfGraphs(stage, (eqn, body) => countsTo(stage, eqn).includes(body));
  const made = stage.graphs.map((graph, at) => own(stage, graph, runs[at] as Runs));
  return made;
});

function own(stage: Stage, graph: Graph, runs: Runs): OwnCosts {
  const { length } = graph.eqns;
  const made: OwnCosts = {
    ...byAmount(() => new Float64Array(length)),
    unknown: byAmount(() => new Uint8Array(length)),
    least: new Uint8Array(length),
  };
  graph.eqns.forEach((eqn, at) => {
    const cost = eqn.cost ?? UNKNOWN_COST;
    const inner = eqn.bodies.length === 0 ? NO_COST : amountsOfBodies(stage, eqn);
    byAmount((amount) => {
      const whole = cost[amount];
      made[amount][at] = Math.max(0, (whole ?? 0) - inner[amount]) * runs.times;
      made.unknown[amount][at] = Number(whole === null);
    });
    made.least[at] = Number(cost.least || runs.least);
  });
  return made;
}

const NO_COST = byAmount(() => 0);

/** The amounts of the bodies of an eqn in one run of it. */
function amountsOfBodies(stage: Stage, eqn: Eqn): Record<Amount, number> {
  const total = { ...NO_COST };
  for (const body of countsTo(stage, eqn)) {
    const runs = runsOfBody(eqn, body);
    const cost = costOfBody(stage, body);
    byAmount((amount) => {
      total[amount] += (cost[amount] ?? 0) * (runs?.times ?? 0);
    });
  }
  return total;
}

/** The bodies that count towards an eqn: all of them, or for a choice such as `cond` the one that costs most. */
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
  const body = stage.graphs[graph];
  return body ? costOfRun(body, 0, body.eqns.length) : UNKNOWN_COST;
}

export const costAt = (own: OwnCosts, at: number): Cost => ({
  ...byAmount((amount) => (own.unknown[amount][at] ? null : own[amount][at]!)),
  least: own.least[at] === 1,
});

/** The amounts of a cost. */
export type Amount = 'flops' | 'transcendentals' | 'bytes';

/** A value for each amount. */
function byAmount<T>(make: (amount: Amount) => T): Record<Amount, T> {
  return {
    flops: make('flops'),
    transcendentals: make('transcendentals'),
    bytes: make('bytes'),
  };
}

export const UNKNOWN_COST: Cost = { ...byAmount(() => null), least: false };

/** Sums over eqns `[0, n)` of a graph, for each n. */
interface RunningSums {
  total: Record<Amount, Float64Array>;
  /** The number of these eqns whose amount is not known. */
  unknown: Record<Amount, Int32Array>;
  /** The number of these eqns whose amounts are lower bounds. */
  least: Int32Array;
}

/** The running sums of a graph, for one run of it. */
const sumsOf = cached((graph: Graph): RunningSums => {
  const length = graph.eqns.length + 1;
  const total = byAmount(() => new Float64Array(length));
  const unknown = byAmount(() => new Int32Array(length));
  const least = new Int32Array(length);
  graph.eqns.forEach(({ cost }, at) => {
    const each = cost ?? UNKNOWN_COST;
    byAmount((amount) => {
      total[amount][at + 1] = total[amount][at]! + (each[amount] ?? 0);
      unknown[amount][at + 1] = unknown[amount][at]! + Number(each[amount] === null);
    });
    least[at + 1] = least[at]! + Number(each.least);
  });
  const made = { total, unknown, least };
  return made;
});

/** The cost of eqns `[start, stop)` of a graph in one run of it. */
function costOfRun(graph: Graph, start: number, stop: number): Cost {
  const { total, unknown, least } = sumsOf(graph);
  const within = (sum: Float64Array | Int32Array) => sum[stop]! - sum[start]!;
  const missing = byAmount((amount) => within(unknown[amount]));
  const all = stop - start;
  return {
    ...byAmount((one) => (missing[one] === all && all > 0 ? null : within(total[one]))),
    least: missing.flops + missing.bytes > 0 || within(least) > 0,
  };
}

/** The number of runs in one run of the program. */
export interface Runs {
  times: number;
  /** True if `times` is a lower bound: a loop around it has an unknown length. */
  least: boolean;
}

const LOOP_OPS = new Set(OPS_OF_BODIES.looped.split(' '));
/** Ops that run only one of their bodies. */
export const CHOICE_OPS = new Set(OPS_OF_BODIES.chosen.split(' '));
/** Ops that only run their bodies. All other ops apply their bodies to single elements an unknown number of times. */
const CALLING_OPS = new Set([...LOOP_OPS, ...CHOICE_OPS, ...OPS_OF_BODIES.called.split(' ')]);

export const isLoop = ({ op, trips }: Eqn): boolean =>
  trips !== null || LOOP_OPS.has(plainName(op));

/** True if the results inside an eqn's bodies never reach memory: its amounts are then its own, not theirs. */
export const isWithin = ({ op }: Eqn): boolean => plainName(op) === 'fusion';

/** The number of times that one run of an eqn runs a body; null if it is not known. */
export function runsOfBody(eqn: Eqn, { label }: Body): Runs | null {
  const { op, trips } = eqn;
  const called = plainName(op);
  if (
    !(CALLING_OPS.has(called) || isWithin(eqn)) ||
    (called === 'custom_linear_solve' && label !== 'solve')
  )
    return null;
  return { times: trips ?? 1, least: trips === null && LOOP_OPS.has(called) };
}

const nested = (outer: Runs, inner: Runs): Runs => ({
  times: outer.times * inner.times,
  least: outer.least || inner.least,
});

const ONCE: Runs = { times: 1, least: false };

/** The number of runs of the graph at a path in one run of the program; null if it is not known. */
export function runsOf(stage: Stage, path: Id): Runs | null {
  let [graph, runs] = [stage.graphs[0], ONCE];
  for (const step of path === ROOT ? [] : path.split('/')) {
    const [index, number] = step.split('.').map(Number);
    const eqn = graph?.eqns[index ?? -1];
    const body = eqn?.bodies[number ?? -1];
    const inner = eqn && body ? runsOfBody(eqn, body) : null;
    if (!body || !inner) return null;
    runs = nested(runs, inner);
    graph = stage.graphs[body.graph];
  }
  return runs;
}

/** The number of runs of each graph of a stage, wherever it is called; 0 if it is not known. `counts` selects the
 * bodies of an eqn that are counted. */
export function runsOfGraphs(
  stage: Stage,
  counts: (eqn: Eqn, body: Body) => boolean = () => true,
): Runs[] {
  const found: Runs[] = stage.graphs.map((_, graph) => ({ ...ONCE, times: Number(graph === 0) }));
  for (const graph of innermostFirst(stage).reverse()) {
    for (const eqn of stage.graphs[graph]?.eqns ?? []) {
      for (const body of eqn.bodies) {
        const inner = counts(eqn, body) ? runsOfBody(eqn, body) : null;
        if (inner) add(found, body.graph, nested(found[graph] as Runs, inner));
      }
    }
  }
  return found;
}

/** The number of runs of each graph in the table and the text. A graph in several branches of a choice has those in
 * the branch that counts, since only one branch runs. */
export const runsOfRows = cached((stage: Stage): readonly Runs[] => {
  const counted = runsOfGraphs(stage, (eqn, body) => countsTo(stage, eqn).includes(body));
  return runsOfGraphs(stage).map((all, at) => (counted[at]?.times ? counted[at] : all));
});

function add(found: Runs[], graph: number, more: Runs): void {
  const before = found[graph] as Runs;
  found[graph] = { times: before.times + more.times, least: before.least || more.least };
}

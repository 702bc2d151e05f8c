/** The costs of eqns, items, source lines and the whole program, with the number of runs of each in
 * loops. */
import { OPS_OF_BODIES } from '../../ops';
import type { Body, Cost, Eqn, Graph, Stage } from '../../schema';
import { graphAt, innermostFirst } from '../graph';
import { type Id, parse, ROOT } from '../ids';
import { plainName } from '../kinds';
import { keyOf } from '../linked/source-lines';
import { cached } from '../maps';

/** The flops and bytes of an eqn, a body or a group in all its runs at this place; null for
 * anything else. Inside a loop whose length is not known they are counted once and marked as a
 * lower bound (`least`). */
export function costOf(stage: Stage, id: Id): Cost | null {
  const once = costOnce(stage, id);
  if (once === null) return null;
  const { path, step } = parse(id);
  const runs = runsOf(stage, step.kind === 'body' ? id : path) ?? { times: 1, least: true };
  return times(once, runs);
}

/** The cost of all runs of what costs so much in each. */
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

/** Whether the cost of any eqn is known. */
export const isMeasured = cached((stage: Stage): boolean =>
  stage.graphs.some((graph) => graph.eqns.some(isCosted)),
);

const isCosted = ({ cost }: Eqn): boolean => cost !== null && (cost.flops ?? cost.bytes) !== null;

/** The flops and bytes that the eqns of each source line take in one run of the program, by `keyOf`
 * the line. */
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

/** The sum of two costs. Where one of them is not known, the sum is the other, as a lower bound. */
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

/** The amounts of each eqn of a graph in all its runs, without those of its bodies where the bodies
 * have eqns of their own to count them. Summed up over all graphs they give the program's total. */
export interface OwnCosts extends Record<Amount, Float64Array> {
  /** For each eqn, 1 where its amount is not known. */
  unknown: Record<Amount, Uint8Array>;
  /** For each eqn, 1 where its numbers are lower bounds. */
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
    const held = eqn.bodies.length === 0 ? NO_COST : heldBy(stage, eqn);
    byAmount((amount) => {
      const whole = cost[amount];
      made[amount][at] = Math.max(0, (whole ?? 0) - held[amount]) * runs.times;
      made.unknown[amount][at] = Number(whole === null);
    });
    made.least[at] = Number(cost.least || runs.least);
  });
  return made;
}

const NO_COST = byAmount(() => 0);

/** The amounts that the bodies of an eqn take in one run of it. */
function heldBy(stage: Stage, eqn: Eqn): Record<Amount, number> {
  const held = { ...NO_COST };
  for (const body of countsTo(stage, eqn)) {
    const runs = runsOfBody(eqn, body);
    const cost = costOfBody(stage, body);
    byAmount((amount) => {
      held[amount] += (cost[amount] ?? 0) * (runs?.times ?? 0);
    });
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

export const costAt = (own: OwnCosts, at: number): Cost => ({
  ...byAmount((amount) => (own.unknown[amount][at] ? null : own[amount][at]!)),
  least: own.least[at] === 1,
});

/** What a cost counts. */
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

/** Of eqns `[0, n)` of a graph, for each n. */
interface RunningSums {
  total: Record<Amount, Float64Array>;
  /** How many of these eqns have an amount that is not known. */
  unknown: Record<Amount, Int32Array>;
  /** How many have only lower bounds. */
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

/** How often something runs in one run of the program. */
export interface Runs {
  times: number;
  /** `times` is a lower bound: a loop around it does not say how often it runs. */
  least: boolean;
}

const LOOP_OPS = new Set(OPS_OF_BODIES.looped.split(' '));
/** Ops that run only one of their bodies. */
export const CHOICE_OPS = new Set(OPS_OF_BODIES.chosen.split(' '));
/** Ops that only run their bodies. All other ops apply their bodies to single elements, nobody says
 * how often. */
const CALLING_OPS = new Set([...LOOP_OPS, ...CHOICE_OPS, ...OPS_OF_BODIES.called.split(' ')]);

export const isLoop = ({ op, trips }: Eqn): boolean =>
  trips !== null || LOOP_OPS.has(plainName(op));

/** Whether what the bodies of an eqn make never reaches memory: its numbers are then its own, not
 * theirs. */
export const isWithin = ({ op }: Eqn): boolean => plainName(op) === 'fusion';

/** How often one run of an eqn runs a body; null where that is not known. */
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

/** How often the graph at a path runs in one run of the program; null where that is not known. */
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

/** How often each graph of a stage runs in all, wherever it is held; 0 where that is not known.
 * `counts` says which bodies of an eqn are counted. */
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

function add(found: Runs[], graph: number, more: Runs): void {
  const before = found[graph] as Runs;
  found[graph] = { times: before.times + more.times, least: before.least || more.least };
}

/** The bytes that eqns make devices exchange, for each eqn and summed by the axes of the mesh. */
import type { Collective, Eqn, Graph, Stage } from '../../schema';
import { graphAt, innermostFirst } from '../graph';
import { type Id, parse } from '../ids';
import { plainName } from '../kinds';
import { eqnOf } from '../linked/origins';
import { cached } from '../maps';
import { CHOICE_OPS, type Runs, runsOf, runsOfBody } from './costs';

/** The bytes that each device sends along some axes; `least`: a lower bound. */
export interface Sent {
  bytes: number;
  least: boolean;
}

/** By the axes, as a list in words; empty if they are not known. */
export type SentByAxes = ReadonlyMap<string, Sent>;

const exchanges = cached(
  (stage: Stage): ReadonlyMap<Eqn | undefined, Collective> =>
    new Map(stage.collectives.map((one) => [eqnOf(stage, one.eqn), one])),
);

export const exchangeOf = (stage: Stage, eqn: Eqn): Collective | undefined =>
  exchanges(stage).get(eqn);

/** The bytes that each device sends in these runs of an eqn, without its bodies; null if it sends nothing itself. */
export function sentByEqn(stage: Stage, eqn: Eqn, { times, least }: Runs): Sent | null {
  const own = exchangeOf(stage, eqn);
  return own ? { bytes: (own.sent ?? 0) * times, least: own.sent === null || least } : null;
}

/** The sum of several; null if none of them sends anything. */
export const sentBySeveral = (several: readonly (Sent | null)[]): Sent | null =>
  several.reduce(
    (sum, one) =>
      sum && one ? { bytes: sum.bytes + one.bytes, least: sum.least || one.least } : (sum ?? one),
    null,
  );

/** The bytes that each device sends for a group, a body, or an eqn with its bodies, in all its runs. */
export function sentWithin(stage: Stage, id: Id): SentByAxes {
  const { path, step } = parse(id);
  const graph = graphAt(stage, step.kind === 'body' ? id : path);
  if (!graph || stage.collectives.length === 0) return new Map();
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const eqn = step.kind === 'eqn' ? step.index : null;
  const [start, stop] =
    eqn === null ? [group?.start ?? 0, group?.stop ?? graph.eqns.length] : [eqn, eqn + 1];
  const once = sentBy(stage, graph.eqns.slice(start, stop), sentByGraphs(stage));
  const { times, least } = runsOf(stage, step.kind === 'body' ? id : path) ?? {
    times: 1,
    least: true,
  };
  const whole = new Map<string, Sent>();
  for (const [axes, sent] of once) add(whole, axes, sent, times, least);
  return whole;
}

const sentByGraphs = cached((stage: Stage): ReadonlyMap<Graph, SentByAxes> => {
  const found = new Map<Graph, SentByAxes>();
  for (const at of innermostFirst(stage)) {
    const graph = stage.graphs[at] as Graph;
    found.set(graph, sentBy(stage, graph.eqns, found));
  }
  return found;
});

function sentBy(
  stage: Stage,
  eqns: readonly Eqn[],
  byGraph: ReadonlyMap<Graph, SentByAxes>,
): SentByAxes {
  const total = new Map<string, Sent>();
  for (const eqn of eqns) {
    const own = exchangeOf(stage, eqn);
    if (own) {
      const sent = { bytes: own.sent ?? 0, least: own.sent === null };
      add(total, own.axes.join(', '), sent);
    }
    const bodies = eqn.bodies.map((body) => {
      const runs = runsOfBody(eqn, body) ?? { times: 1, least: true };
      const inner = byGraph.get(stage.graphs[body.graph] as Graph) ?? new Map<string, Sent>();
      const all = new Map<string, Sent>();
      for (const [axes, sent] of inner) add(all, axes, sent, runs.times, runs.least);
      return all;
    });
    const most = CHOICE_OPS.has(plainName(eqn.op)) ? [largest(bodies)] : bodies;
    for (const body of most) for (const [axes, sent] of body) add(total, axes, sent);
  }
  return total;
}

function add(total: Map<string, Sent>, axes: string, more: Sent, times = 1, least = false): void {
  const before = total.get(axes) ?? { bytes: 0, least: false };
  total.set(axes, {
    bytes: before.bytes + more.bytes * times,
    least: before.least || more.least || least,
  });
}

/** Along each axis, the most that one of several sends. */
function largest(some: readonly SentByAxes[]): SentByAxes {
  const found = new Map<string, Sent>();
  for (const [axes, { bytes, least }] of some.flatMap((one) => [...one])) {
    const before = found.get(axes) ?? { bytes: 0, least: false };
    found.set(axes, { bytes: Math.max(before.bytes, bytes), least: before.least || least });
  }
  return found;
}

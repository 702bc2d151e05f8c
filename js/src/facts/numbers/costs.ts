/** The flops and bytes of an item, of each source line and of the whole program, with all runs of
 * loops. */
import type { Cost, Eqn, Stage } from '../../schema';
import { graphAt } from '../graph';
import { type Id, parse } from '../ids';
import { keyOf } from '../linked/source-lines';
import { costAt, type OwnCosts, ownCosts } from './own-numbers';
import { runsOf } from './runs';
import { costOfRun, UNKNOWN_COST } from './sums';

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

import type { Cost, Eqn, Stage } from '../../schema';
import { graphAt } from '../graph';
import { type Id, parse } from '../ids';
import { keyOf } from '../linked/source-lines';
import { costAt, type Own, ownCosts } from './own-numbers';
import { runsOf } from './runs';
import { costOfRun, UNKNOWN } from './sums';

/** What an eqn, a body or a group does in all its runs at this place; null of all else. What runs as
 * often as nobody says does it at least once. */
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
      return graph.eqns[step.index]?.cost ?? UNKNOWN;
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

/** What one run of the whole program does. */
export function wholeOf(stage: Stage): Cost {
  const [root] = stage.graphs;
  return stage.cost ?? (root ? costOfRun(root, 0, root.eqns.length) : UNKNOWN);
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

/** What the eqns of each of the user's lines do in one run of the program, by `keyOf` it. */
export function lineCosts(stage: Stage): ReadonlyMap<string, Cost> {
  const known = lines.get(stage);
  if (known) return known;
  const keys = stage.frames.map(keyOf);
  const found = new Map<string, Cost>();
  const own = ownCosts(stage);
  stage.graphs.forEach((graph, number) => {
    graph.eqns.forEach(({ frame }, at) => {
      const key = keys[frame ?? -1];
      if (key !== undefined) found.set(key, added(found.get(key), costAt(own[number] as Own, at)));
    });
  });
  lines.set(stage, found);
  return found;
}

/** Two costs together: what is known of either, and that it is more where one is not known. */
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

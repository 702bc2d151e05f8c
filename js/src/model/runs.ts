import type { Body, Eqn, Stage } from '../schema';
import { innermostFirst } from './census';
import { type Id, ROOT } from './ids';

/** How often something runs in one run of the program. */
export interface Runs {
  times: number;
  /** It runs an unknown number of times more: a loop around it does not say how often it runs. */
  least: boolean;
}

export const ONCE: Runs = { times: 1, least: false };

/** Loops whose number of trips may not be known. */
const LOOPS = new Set(['scan', 'while', 'for']);
/** What they hold is applied to elements: its work is the eqn's own. */
const APPLIES =
  /^(reduce|reduce_window|reduce_scatter|all_reduce|select_and_scatter|scatter.*|sort|map|reducer)$/;
/** Bodies that one run of their eqn does not run: rules for other transformations. */
const RULES = /^(matvec|vecmat|transpose_solve|jvp|fwd|bwd|index map \d+)$/;

/** The name of an op in any stage: `while` of `stablehlo.while`, `reduce_window` of `reduce-window`. */
const plain = (op: string): string => op.slice(op.lastIndexOf('.') + 1).replaceAll('-', '_');

export const isLoop = ({ op, trips }: Eqn): boolean => trips !== null || LOOPS.has(plain(op));

/** Whether what a body does is the eqn's own work, and nothing of it is kept in memory: the body of
 * a fusion, and a function of scalars. */
export const isWithin = ({ op }: Eqn): boolean => op === 'fusion' || APPLIES.test(plain(op));

/** How often one run of an eqn runs a body; null for one that it does not run by itself. */
export function runsOfBody(eqn: Eqn, { label }: Body): Runs | null {
  if (RULES.test(label) || APPLIES.test(plain(eqn.op))) return null;
  return { times: eqn.trips ?? 1, least: eqn.trips === null && isLoop(eqn) };
}

/** How often the graph at a path runs, the loops around it multiplied. */
export function runsOf(stage: Stage, path: Id): Runs | null {
  let [graph, runs] = [stage.graphs[0], ONCE];
  for (const step of path === ROOT ? [] : path.split('/')) {
    const [index, number] = step.split('.').map(Number);
    const eqn = graph?.eqns[index ?? -1];
    const body = eqn?.bodies[number ?? -1];
    const inner = eqn && body ? runsOfBody(eqn, body) : null;
    if (!body || !inner) return null;
    runs = times(runs, inner);
    graph = stage.graphs[body.graph];
  }
  return runs;
}

const times = (outer: Runs, inner: Runs): Runs => ({
  times: outer.times * inner.times,
  least: outer.least || inner.least,
});

const known = new WeakMap<Stage, readonly Runs[]>();

/** How often each graph of a stage runs in all, wherever it is held. */
export function runsOfGraphs(stage: Stage): readonly Runs[] {
  const cached = known.get(stage);
  if (cached) return cached;
  const found: Runs[] = stage.graphs.map((_, graph) => ({
    times: graph === 0 ? 1 : 0,
    least: false,
  }));
  for (const graph of innermostFirst(stage).reverse()) {
    for (const eqn of stage.graphs[graph]?.eqns ?? []) {
      for (const body of eqn.bodies) {
        const inner = runsOfBody(eqn, body);
        if (!inner) continue;
        const more = times(found[graph] as Runs, inner);
        const before = found[body.graph] as Runs;
        found[body.graph] = {
          times: before.times + more.times,
          least: before.least || more.least,
        };
      }
    }
  }
  known.set(stage, found);
  return found;
}

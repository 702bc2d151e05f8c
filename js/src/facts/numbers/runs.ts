/** How often an eqn or a graph runs in one run of the program: the loops around it multiplied. */
import { OPS_OF_BODIES } from '../../ops';
import type { Body, Eqn, Stage } from '../../schema';
import { plainName } from '../family';
import { innermostFirst } from '../graph';
import { type Id, ROOT } from '../ids';

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

const times = (outer: Runs, inner: Runs): Runs => ({
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
    runs = times(runs, inner);
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
        if (inner) add(found, body.graph, times(found[graph] as Runs, inner));
      }
    }
  }
  return found;
}

function add(found: Runs[], graph: number, more: Runs): void {
  const before = found[graph] as Runs;
  found[graph] = { times: before.times + more.times, least: before.least || more.least };
}

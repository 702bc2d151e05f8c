import { OPS_OF_BODIES } from '../../ops';
import type { Body, Eqn, Stage } from '../../schema';
import { innermostFirst } from '../census';
import { plainName } from '../family';
import { type Id, ROOT } from '../ids';

/** How often something runs in one run of the program. */
export interface Runs {
  times: number;
  /** It runs more often than that, perhaps: a loop around it does not say how often it runs. */
  least: boolean;
}

const LOOPS = new Set(OPS_OF_BODIES.looped.split(' '));
/** Of these they run one of their bodies. */
export const CHOICES = new Set(OPS_OF_BODIES.chosen.split(' '));
/** What runs its bodies and does nothing else. All other eqns apply theirs to elements, as often as
 * nobody says. */
const CALLS = new Set([...LOOPS, ...CHOICES, ...OPS_OF_BODIES.called.split(' ')]);

export const isLoop = ({ op, trips }: Eqn): boolean => trips !== null || LOOPS.has(plainName(op));

/** Whether nothing of what its bodies make is kept in memory: they are its own work. */
export const isWithin = ({ op }: Eqn): boolean => plainName(op) === 'fusion';

/** How often one run of an eqn runs a body; null where that is not known at all. */
export function runsOfBody(eqn: Eqn, { label }: Body): Runs | null {
  const { op, trips } = eqn;
  const called = plainName(op);
  if (
    !(CALLS.has(called) || isWithin(eqn)) ||
    (called === 'custom_linear_solve' && label !== 'solve')
  )
    return null;
  return { times: trips ?? 1, least: trips === null && LOOPS.has(called) };
}

const times = (outer: Runs, inner: Runs): Runs => ({
  times: outer.times * inner.times,
  least: outer.least || inner.least,
});

const ONCE: Runs = { times: 1, least: false };

/** How often the graph at a path runs, the loops around it multiplied; null where that is not known
 * at all. */
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

/** How often each graph of a stage runs in all, wherever it is held: 0 times where that is not
 * known. Of the bodies of an eqn those count that `counts` holds of. */
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

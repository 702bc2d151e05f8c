/** The eqns of the jaxpr that a selected item of any stage stands for. Links between stages all go
 * by way of these. */
import type { Eqn, Graph, Stage } from '../../schema';
import { eqnAt, graphAt } from '../graph';
import { enclosingEqns, type Id, parse, ROOT, type Step } from '../ids';
import { type Chain, eqnOf, numbersOf } from './origins';

/** An eqn of the jaxpr that a selection stands for. */
export interface MeantEqn {
  chain: Chain;
  /** All that the eqn holds is meant too. */
  whole: boolean;
  /** The stage did not say it itself: jaxviz worked it out. */
  guess: boolean;
}

const NO_CHAIN: Chain = [];

/** The eqns of the jaxpr that an item stands for, each once. */
export function meantBy(jaxpr: Stage, stage: Stage, id: Id): MeantEqn[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  const { eqns, around } = covered(stage, graph, path, step);
  if (stage === jaxpr) {
    const outer = enclosingEqns(around).map((one) => numberAt(stage, one));
    return eqns.map((number) => ({ chain: [...outer, number], whole: true, guess: false }));
  }
  const context = enclosingEqns(around).reduce(
    (chain: Chain, one) => chainWithin(jaxpr, chain, eqnAt(stage, one)?.eqn),
    NO_CHAIN,
  );
  const found = new Map<string, MeantEqn>();
  for (const { eqn, chain } of withHeld(
    stage,
    eqns,
    (outer, one) => chainWithin(jaxpr, outer, one),
    context,
  )) {
    if (eqn.origin.length === 0) continue;
    const key = chain.join();
    if (!eqn.guess || !found.has(key)) found.set(key, { chain, whole: false, guess: eqn.guess });
  }
  return [...found.values()];
}

/** The chain of an eqn of a later stage. In a shared function the eqn's own origin does not say who
 * called it, so the chain of the caller comes in front. */
function chainWithin(jaxpr: Stage, outer: Chain, eqn: Eqn | undefined): Chain {
  const origin = eqn?.origin ?? [];
  if (origin.length === 0) return outer;
  const isWhole = numbersOf(jaxpr).graphs[origin[0]!] === 0;
  return isWhole ? origin : [...outer, ...origin];
}

/** The numbers of the eqns that an item is or directly holds, and the path of the graph that they
 * lie in. */
function covered(stage: Stage, graph: Graph, path: Id, step: Step) {
  const start = numbersOf(stage).starts[stage.graphs.indexOf(graph)] ?? 0;
  const run = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => start + from + index);
  if (step.kind === 'eqn') return { eqns: run(step.index, step.index + 1), around: path };
  if (step.kind === 'group') {
    const { start: from, stop } = graph.groups[step.index] ?? { start: 0, stop: 0 };
    return { eqns: run(from, stop), around: path };
  }
  if (step.kind !== 'body') return { eqns: [], around: path };
  const body = graph.eqns[step.eqn]?.bodies[step.index]?.graph ?? -1;
  const first = numbersOf(stage).starts[body] ?? 0;
  const eqns = (stage.graphs[body]?.eqns ?? []).map((_, index) => first + index);
  const inner = path === ROOT ? '' : `${path}/`;
  return { eqns, around: `${inner}${step.eqn}.${step.index}` };
}

/** The number of an eqn that an id names. */
export function numberAt(stage: Stage, eqn: Id): number {
  const { path, step } = parse(eqn);
  const graph = stage.graphs.indexOf(graphAt(stage, path) as Graph);
  return (numbersOf(stage).starts[graph] ?? 0) + (step.kind === 'eqn' ? step.index : 0);
}

/** An eqn with its number and the chain to it. */
export interface HeldEqn {
  number: number;
  eqn: Eqn;
  chain: Chain;
}

/** Some eqns and all that their bodies hold, with their chains. What is shared is listed once for
 * each eqn that holds it. */
export function withHeld(
  stage: Stage,
  eqns: readonly number[],
  chainOf: (outer: Chain, eqn: Eqn, number: number) => Chain,
  around: Chain,
): HeldEqn[] {
  const held = (number: number, outer: Chain): HeldEqn => {
    const eqn = eqnOf(stage, number) as Eqn;
    return { number, eqn, chain: chainOf(outer, eqn, number) };
  };
  const found = eqns.map((number) => held(number, around));
  const seen = new Set<number>();
  for (let at = 0; at < found.length; at++) {
    const { number, eqn, chain } = found[at] as HeldEqn;
    if (seen.has(number)) continue;
    seen.add(number);
    for (const { graph } of eqn.bodies) {
      const start = numbersOf(stage).starts[graph] ?? 0;
      stage.graphs[graph]?.eqns.forEach((_, index) => {
        found.push(held(start + index, chain));
      });
    }
  }
  return found;
}

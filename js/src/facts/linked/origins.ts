/** Finds the eqns of the jaxpr that a selected item of any stage stands for, and the eqns of a later stage made for
 * each eqn of the jaxpr. All links between stages go through these numbers. If the jaxpr is not known, the first
 * known stage replaces it. */
import type { Eqn, Graph, Stage } from '../../schema';
import { eqnAt, firstPaths, graphAt } from '../graph';
import { bodyId, enclosingEqns, eqnId, type Id, parse, ROOT, type Step } from '../ids';
import { append, cached } from '../maps';

/** Numbers of eqns of the jaxpr. The last is the eqn itself; those before it are eqns around it, outermost first.
 * Some of them may be missing. */
export type Chain = readonly number[];

/** Eqns are numbered through all graphs of a stage, in the order of the graphs. */
export interface EqnNumbers {
  /** The number of each graph's first eqn. */
  starts: Int32Array;
  /** The graph of each eqn. */
  graphs: Int32Array;
}

export const numbersOf = cached((stage: Stage): EqnNumbers => {
  const starts = new Int32Array(stage.graphs.length);
  const count = stage.graphs.reduce((sum, { eqns }, graph) => {
    starts[graph] = sum;
    return sum + eqns.length;
  }, 0);
  const graphs = new Int32Array(count);
  starts.forEach((start, graph) => {
    graphs.fill(graph, start, start + (stage.graphs[graph]?.eqns.length ?? 0));
  });
  const numbers = { starts, graphs };
  return numbers;
});

export function eqnOf(stage: Stage, number: number): Eqn | undefined {
  const { starts, graphs } = numbersOf(stage);
  const graph = graphs[number];
  return graph === undefined ? undefined : stage.graphs[graph]?.eqns[number - starts[graph]!];
}

/** For each eqn of the jaxpr, the eqns of a later stage that were made for it, by number. */
export interface MadeEqns {
  /** Those made for the eqn itself. */
  own: ReadonlyMap<number, readonly number[]>;
  /** Those made for it or for its contents. */
  within: ReadonlyMap<number, readonly number[]>;
  /** True if all eqns of the stage that do something have an origin. */
  complete: boolean;
}

/** Ops that come from no eqn of the jaxpr: they do nothing at run time. */
const PASSIVE = new Set(['constant', 'tuple', 'get-tuple-element', 'stablehlo.constant']);

export const madeIn = cached((stage: Stage): MadeEqns => {
  const [own, within] = [new Map<number, number[]>(), new Map<number, number[]>()];
  let complete = true;
  let number = 0;
  for (const { eqns } of stage.graphs) {
    for (const { op, origin } of eqns) {
      const last = origin.at(-1);
      if (last === undefined && !PASSIVE.has(op)) complete = false;
      if (last !== undefined) append(own, last, number);
      for (const one of new Set(origin)) append(within, one, number);
      number += 1;
    }
  }
  const made = { own, within, complete };
  return made;
});

/** True if two chains to one eqn can mean the same instance of it. They cannot if they lead through different eqns
 * of one graph. */
export function agree(first: Stage, one: Chain, other: Chain): boolean {
  if (one.length < 2 || other.length < 2) return true;
  const { graphs } = numbersOf(first);
  const last = one.at(-1);
  const levels = new Map(one.slice(0, -1).map((number) => [graphs[number], number]));
  for (const number of other) {
    if (number === last) return true;
    if ((levels.get(graphs[number]) ?? number) !== number) return false;
  }
  return true;
}

/** An eqn that calls a graph, and the index of the body. */
interface Holder {
  number: number;
  body: number;
}

/** For each graph the eqns that call it, as far as they can be reached from the root graph. */
const holdersOf = cached((stage: Stage): readonly (readonly Holder[])[] => {
  const paths = firstPaths(stage);
  const { starts } = numbersOf(stage);
  const holders: Holder[][] = stage.graphs.map(() => []);
  stage.graphs.forEach(({ eqns }, graph) => {
    if (paths[graph] === null) return;
    eqns.forEach(({ bodies }, eqn) => {
      bodies.forEach((one, body) => {
        holders[one.graph]?.push({ number: starts[graph]! + eqn, body });
      });
    });
  });
  return holders;
});

/** The paths of graphs that are called at one place only. */
const solePaths = cached((_: Stage) => new Map<number, Id>());

/** The path to a graph. If several eqns call it, the path goes through the first that `isOnPath` accepts, else
 * through the first. Null if nothing leads to it. */
function pathTo(stage: Stage, graph: number, isOnPath: (number: number) => boolean): Id | null {
  const paths = solePaths(stage);
  const { starts, graphs } = numbersOf(stage);
  const steps: { number: number; body: number }[] = [];
  let sole = true;
  let at = graph;
  let path: Id = ROOT;
  while (at !== 0) {
    const found = sole ? paths.get(at) : undefined;
    if (found !== undefined) {
      path = found;
      break;
    }
    const holders = holdersOf(stage)[at] ?? [];
    sole &&= holders.length === 1;
    const holder = holders.find(({ number }) => isOnPath(number)) ?? holders[0];
    if (!holder) return null;
    steps.push(holder);
    at = graphs[holder.number]!;
  }
  for (const { number, body } of steps.reverse()) {
    path = bodyId(path, number - starts[graphs[number]!]!, body);
  }
  if (sole) paths.set(graph, path);
  return path;
}

/** The id of an eqn in the instance to which a chain of the jaxpr leads, or else in the first instance. */
export function idOf(stage: Stage, number: number, chain: Chain, isFirst: boolean): Id | null {
  const { starts, graphs } = numbersOf(stage);
  const graph = graphs[number];
  if (graph === undefined) return null;
  const path = pathTo(stage, graph, (holder) =>
    chain.includes(isFirst ? holder : (eqnOf(stage, holder)?.origin.at(-1) ?? -1)),
  );
  return path === null ? null : eqnId(path, number - starts[graph]!);
}

/** An eqn of the jaxpr that a selection stands for. */
export interface SelectedEqn {
  chain: Chain;
  /** True if the selection includes all contents of the eqn. */
  whole: boolean;
  /** True if jaxviz guessed it: the stage did not say it itself. */
  guess: boolean;
}

const NO_CHAIN: Chain = [];

/** The eqns of the jaxpr that an item stands for, each once. */
export function selectedBy(first: Stage, stage: Stage, id: Id): SelectedEqn[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return [];
  const { eqns, around } = covered(stage, graph, path, step);
  if (stage === first) {
    const outer = enclosingEqns(around).map((one) => numberAt(stage, one));
    return eqns.map((number) => ({ chain: [...outer, number], whole: true, guess: false }));
  }
  const context = enclosingEqns(around).reduce(
    (chain: Chain, one) => chainWithin(first, chain, eqnAt(stage, one)?.eqn),
    NO_CHAIN,
  );
  const found = new Map<string, SelectedEqn>();
  for (const { eqn, chain } of withBodies(
    stage,
    eqns,
    (outer, one) => chainWithin(first, outer, one),
    context,
  )) {
    if (eqn.origin.length === 0) continue;
    const key = chain.join();
    if (!eqn.guess || !found.has(key)) found.set(key, { chain, whole: false, guess: eqn.guess });
  }
  return [...found.values()];
}

/** The chain of an eqn of a later stage. In a shared function, the origin of the eqn does not name the caller, so the
 * chain of the caller comes first. */
function chainWithin(first: Stage, outer: Chain, eqn: Eqn | undefined): Chain {
  const origin = eqn?.origin ?? [];
  if (origin.length === 0) return outer;
  const isWhole = numbersOf(first).graphs[origin[0]!] === 0;
  return isWhole ? origin : [...outer, ...origin];
}

/** The numbers of the eqns that an item is or directly contains, and the path of their graph. */
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
export interface NestedEqn {
  number: number;
  eqn: Eqn;
  chain: Chain;
}

/** Some eqns and all eqns in their bodies, with their chains. A shared body is listed once for each eqn that calls
 * it. */
export function withBodies(
  stage: Stage,
  eqns: readonly number[],
  chainOf: (outer: Chain, eqn: Eqn, number: number) => Chain,
  around: Chain,
): NestedEqn[] {
  const nested = (number: number, outer: Chain): NestedEqn => {
    const eqn = eqnOf(stage, number) as Eqn;
    return { number, eqn, chain: chainOf(outer, eqn, number) };
  };
  const found = eqns.map((number) => nested(number, around));
  const seen = new Set<number>();
  for (let at = 0; at < found.length; at++) {
    const { number, eqn, chain } = found[at] as NestedEqn;
    if (seen.has(number)) continue;
    seen.add(number);
    for (const { graph } of eqn.bodies) {
      const start = numbersOf(stage).starts[graph] ?? 0;
      stage.graphs[graph]?.eqns.forEach((_, index) => {
        found.push(nested(start + index, chain));
      });
    }
  }
  return found;
}

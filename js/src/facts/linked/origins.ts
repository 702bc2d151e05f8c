/** Which eqns of the jaxpr each eqn of a later stage was made for, and which were made for each eqn
 * of the jaxpr. */

import type { Eqn, Stage } from '../../schema';
import { append } from '../gather';
import { firstPaths } from '../graph';
import { bodyId, eqnId, type Id, ROOT } from '../ids';

/** Numbers of eqns of the jaxpr. The last is the eqn that is meant; those before it are eqns around
 * it, outermost first, some of which may be missing. */
export type Chain = readonly number[];

/** Eqns are numbered through all graphs of a stage, in the order of the graphs. */
export interface EqnNumbers {
  /** The number of each graph's first eqn. */
  starts: Int32Array;
  /** The graph of each eqn. */
  graphs: Int32Array;
}

const numbered = new WeakMap<Stage, EqnNumbers>();

export function numbersOf(stage: Stage): EqnNumbers {
  const known = numbered.get(stage);
  if (known) return known;
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
  numbered.set(stage, numbers);
  return numbers;
}

export function eqnOf(stage: Stage, number: number): Eqn | undefined {
  const { starts, graphs } = numbersOf(stage);
  const graph = graphs[number];
  return graph === undefined ? undefined : stage.graphs[graph]?.eqns[number - starts[graph]!];
}

/** For each eqn of the jaxpr, the eqns of a later stage that were made for it, by number. */
export interface MadeEqns {
  /** Those made for the eqn itself. */
  own: ReadonlyMap<number, readonly number[]>;
  /** Those made for it or for what it holds. */
  within: ReadonlyMap<number, readonly number[]>;
  /** Whether all eqns of the stage that do something say what they were made for. */
  complete: boolean;
}

/** Ops that come from no eqn of the jaxpr: they do nothing at run time. */
const PASSIVE = new Set(['constant', 'tuple', 'get-tuple-element', 'stablehlo.constant']);

const indexed = new WeakMap<Stage, MadeEqns>();

export function madeIn(stage: Stage): MadeEqns {
  const known = indexed.get(stage);
  if (known) return known;
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
  indexed.set(stage, made);
  return made;
}

/** Whether two chains to one eqn can mean the same instance of it: wherever both say through which
 * eqn a graph was entered, they say the same. */
export function agree(jaxpr: Stage, one: Chain, other: Chain): boolean {
  if (one.length < 2 || other.length < 2) return true;
  const { graphs } = numbersOf(jaxpr);
  const last = one.at(-1);
  const levels = new Map(one.slice(0, -1).map((number) => [graphs[number], number]));
  for (const number of other) {
    if (number === last) return true;
    if ((levels.get(graphs[number]) ?? number) !== number) return false;
  }
  return true;
}

/** An eqn that holds a graph, and the index of the body that it is. */
interface Holder {
  number: number;
  body: number;
}

const held = new WeakMap<Stage, readonly (readonly Holder[])[]>();

/** For each graph the eqns that hold it; only those that can be reached from the root graph. */
function holdersOf(stage: Stage): readonly (readonly Holder[])[] {
  const known = held.get(stage);
  if (known) return known;
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
  held.set(stage, holders);
  return holders;
}

const ways = new WeakMap<Stage, Map<number, Id>>();

/** The path to a graph. Where several eqns hold it, the path goes through the first for which `way`
 * is true, else through the first. Null where nothing leads to it. */
function pathTo(stage: Stage, graph: number, way: (number: number) => boolean): Id | null {
  const known = ways.get(stage) ?? new Map<number, Id>();
  ways.set(stage, known);
  const { starts, graphs } = numbersOf(stage);
  const steps: { number: number; body: number }[] = [];
  let sole = true;
  let at = graph;
  let path: Id = ROOT;
  while (at !== 0) {
    const found = sole ? known.get(at) : undefined;
    if (found !== undefined) {
      path = found;
      break;
    }
    const holders = holdersOf(stage)[at] ?? [];
    sole &&= holders.length === 1;
    const holder = holders.find(({ number }) => way(number)) ?? holders[0];
    if (!holder) return null;
    steps.push(holder);
    at = graphs[holder.number]!;
  }
  for (const { number, body } of steps.reverse()) {
    path = bodyId(path, number - starts[graphs[number]!]!, body);
  }
  if (sole) known.set(graph, path);
  return path;
}

/** The id of an eqn in the instance that a chain of the jaxpr leads to, or in the first instance
 * where it leads to none. */
export function idOf(stage: Stage, number: number, chain: Chain): Id | null {
  const { starts, graphs } = numbersOf(stage);
  const graph = graphs[number];
  if (graph === undefined) return null;
  const isJaxpr = stage.kind === 'jaxpr';
  const path = pathTo(stage, graph, (holder) =>
    chain.includes(isJaxpr ? holder : (eqnOf(stage, holder)?.origin.at(-1) ?? -1)),
  );
  return path === null ? null : eqnId(path, number - starts[graph]!);
}

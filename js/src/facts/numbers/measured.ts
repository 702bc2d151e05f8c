/** The measured seconds of eqns, items, source lines and the whole program, if runs were profiled. */
import type { Stage } from '../../schema';
import { graphAt } from '../graph';
import { enclosingEqns, type Id, parse } from '../ids';
import { eqnOf, numberAt, numbersOf } from '../linked/origins';
import { keyOf } from '../linked/source-lines';
import { cached } from '../maps';

interface Measured {
  whole: number;
  /** The time of an eqn with its contents at one place, by the chain of eqn numbers as text. */
  within: ReadonlyMap<string, number>;
  /** The time of an eqn with its contents at all places, by its number. */
  all: ReadonlyMap<number, number>;
  /** The same without its contents. */
  own: ReadonlyMap<number, number>;
}

/** Deeper eqns have no time: a file may contain any chains. */
const DEEPEST = 500;

const measuredIn = cached(({ times }: Stage): Measured | null => {
  if (!times) return null;
  const within = new Map<string, number>();
  const [all, own] = [new Map<number, number>(), new Map<number, number>()];
  times.chains.forEach((chain, at) => {
    if (chain.length > DEEPEST) return;
    const seconds = Math.max(0, times.nanoseconds[at] ?? 0) / 1e9;
    chain.forEach((_, last) => {
      add(within, chain.slice(0, last + 1).join(), seconds);
    });
    for (const number of new Set(chain)) add(all, number, seconds);
    const number = chain.at(-1);
    if (number !== undefined) add(own, number, seconds);
  });
  const measured = { whole: Math.max(0, times.whole) / 1e9, within, all, own };
  return measured;
});

function add<Key>(to: Map<Key, number>, key: Key, seconds: number): void {
  to.set(key, (to.get(key) ?? 0) + seconds);
}

/** The time of the whole program; null if runs were not profiled, or this stage has no times. */
export const wholeSeconds = (stage: Stage): number | null => measuredIn(stage)?.whole ?? null;

/** True if sums over eqns are lower bounds. In StableHLO, an op has a time only if no other op was made for its eqn. */
export const sumsAreLeast = ({ kind }: Stage): boolean => kind === 'stablehlo';

/** The time of an eqn, a body or a group, with its contents, in all its runs at this place; null if none was
 * measured. */
export function secondsOf(stage: Stage, id: Id): number | null {
  const measured = measuredIn(stage);
  const { path, step } = parse(id);
  if (!measured || step.kind === 'binder' || step.kind === 'gathered') return null;
  const inner = step.kind === 'body' ? id : path;
  const graph = graphAt(stage, inner);
  if (!graph) return null;
  const around = enclosingEqns(step.kind === 'body' ? `${id}/0` : id).map((eqn) =>
    numberAt(stage, eqn),
  );
  const first = numbersOf(stage).starts[stage.graphs.indexOf(graph)] ?? 0;
  const [start, stop] =
    step.kind === 'eqn'
      ? [step.index, step.index + 1]
      : step.kind === 'group'
        ? [graph.groups[step.index]?.start ?? 0, graph.groups[step.index]?.stop ?? 0]
        : [0, graph.eqns.length];
  let sum: number | null = null;
  for (let at = start; at < stop; at += 1) {
    const seconds = measured.within.get([...around, first + at].join());
    if (seconds !== undefined) sum = (sum ?? 0) + seconds;
  }
  return sum;
}

/** The time of an eqn with its contents, or without, at all places of its graph; null if none was measured. */
export function secondsOfEqn(
  stage: Stage,
  graph: number,
  eqn: number,
  by: 'all' | 'own',
): number | null {
  const number = (numbersOf(stage).starts[graph] ?? 0) + eqn;
  return measuredIn(stage)?.[by].get(number) ?? null;
}

/** The time of the eqns of each source line, by `keyOf` the line. */
export const lineSeconds = cached((stage: Stage): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (const [number, seconds] of measuredIn(stage)?.own ?? []) {
    const frame = stage.frames[eqnOf(stage, number)?.frame ?? -1];
    if (frame) add(found, keyOf(frame), seconds);
  }
  return found;
});

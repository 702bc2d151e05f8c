/** What values were like in a run that told of them, over all the times that they were made. */
import { thousands } from '../../language';
import type { Graph, Stage } from '../../schema';
import { cached } from '../cached';
import { eqnOf, numbersOf } from '../linked/origins';
import { magnitudeText, signedText } from '../told-lines';

/** The largest magnitude of the finite elements, which is NaN where there is none, and how many are NaN and
 * infinite; and from where to where they go. */
type Told = readonly [largest: number, nan: number, inf: number, spread: string];

const toldIn = cached((stage: Stage): ReadonlyMap<Graph | undefined, ReadonlyMap<number, Told>> => {
  const found = new Map<Graph | undefined, Map<number, Told>>();
  for (const { eqn, largest, nan, inf, spread } of stage.values) {
    const graph = stage.graphs[numbersOf(stage).graphs[eqn] ?? -1];
    const of = found.get(graph) ?? new Map<number, Told>();
    found.set(graph, of);
    eqnOf(stage, eqn)?.outvars.forEach((variable, at) => {
      const size = Number(largest[at] || Number.NaN);
      of.set(variable, [size, nan[at] ?? 0, inf[at] ?? 0, spread[at] ?? '']);
    });
  }
  return found;
});

/** The largest of what is known; null where nothing is. */
export const most = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce((a, b) => (b !== null && b >= (a ?? 0) ? b : a), null);

/** The largest finite magnitude of some values as text, how much of them is not finite (`3 NaN`, `1 inf`), and of one
 * from where to where it goes (`-3.2…4.1`). Empty where nothing is told. */
export function toldOf(stage: Stage, graph: Graph, variables: readonly number[]) {
  const told = variables.flatMap((one) => {
    const found = toldIn(stage).get(graph)?.get(one);
    return found ? [found] : [];
  });
  const size = most(told.map(([largest]) => largest));
  const flaws = (['NaN', 'inf'] as const).flatMap((name, at) => {
    const count = told.reduce((sum, one) => sum + (one[at === 0 ? 1 : 2] ?? 0), 0);
    return count > 0 ? [`${thousands(count)} ${name}`] : [];
  });
  const [ends = ''] = told.length === 1 ? told.map((one) => one[3]) : [];
  const spread = ends === '' ? '' : ends.split('…').map(Number).map(signedText).join('…');
  return { size, largest: magnitudeText(size), flaws, spread };
}

/** The largest finite magnitude of an eqn's results; null where none is told. */
export function largestOf(stage: Stage, number: number, eqn: number): number | null {
  const graph = stage.graphs[number];
  return graph ? toldOf(stage, graph, graph.eqns[eqn]?.outvars ?? []).size : null;
}

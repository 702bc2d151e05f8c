/** The work of eqns in words: flops and values of functions such as sin. Eqns that only move data have neither, so
 * that no view shows `0 flops` beside them. */
import { _n } from '../../language';
import type { Cost, Eqn, Stage } from '../../schema';
import { graphAt, graphsHeld } from '../graph';
import { type Id, parse } from '../ids';
import { plainName } from '../kinds';
import { keyOf } from '../linked/source-lines';
import { cached } from '../maps';
import { atLeast, compact, flopsText } from '../text/describe';

/** The flops and transcendentals together, which shares are counted in; null if unknown. */
export const workOf = ({ flops, transcendentals }: Cost): number | null =>
  flops === null ? null : flops + (transcendentals ?? 0);

/** The flops, and the values of functions: `200 flops`, `100 sin`. Without one name for all functions, these are
 * `100 transcendentals`. Empty if there are neither. */
export function workTexts({ flops, transcendentals, least }: Cost, name = ''): string[] {
  const functions = transcendentals ?? 0;
  return [
    ...(flops === 0 ? [] : [flopsText(flops, least)]),
    ...(functions === 0 ? [] : [atLeast(least) + functionsText(functions, name)]),
  ];
}

const functionsText = (count: number, name: string): string =>
  name === ''
    ? _n('%2 transcendental', '%2 transcendentals', count, compact(count))
    : `${compact(count)} ${name}`;

/** The one function that an item has values of, such as `sin`; empty if there are several. */
export function functionIn(stage: Stage, id: Id): string {
  const { path, step } = parse(id);
  const graph = graphAt(stage, step.kind === 'body' ? id : path);
  if (!graph) return '';
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const [start, stop] =
    step.kind === 'eqn'
      ? [step.index, step.index + 1]
      : [group?.start ?? 0, group?.stop ?? graph.eqns.length];
  const inside = graphsHeld(stage, graph, start, stop).map((one) => stage.graphs[one]?.eqns ?? []);
  return onlyFunction([graph.eqns.slice(start, stop), ...inside].flat());
}

/** The one function that the whole stage has values of; empty if there are several. */
export const functionOfStage = cached((stage: Stage): string =>
  onlyFunction(stage.graphs.flatMap(({ eqns }) => eqns)),
);

/** The one function that the eqns of each line have values of, by `keyOf` the line. */
export const lineFunctions = cached((stage: Stage): ReadonlyMap<string, string> => {
  const eqns = new Map<string, Eqn[]>();
  for (const eqn of stage.graphs.flatMap((graph) => graph.eqns)) {
    const frame = stage.frames[eqn.frame ?? -1];
    if (!frame || functionOf(eqn) === '') continue;
    const key = keyOf(frame);
    eqns.set(key, [...(eqns.get(key) ?? []), eqn]);
  }
  return new Map([...eqns].map(([key, found]) => [key, onlyFunction(found)]));
});

/** The one function that eqns have values of; empty if there are several. Eqns with bodies have none of their own. */
export function onlyFunction(eqns: readonly (Eqn | undefined)[]): string {
  const names = new Set(eqns.map(functionOf).filter((name) => name !== ''));
  const [name = ''] = names;
  return names.size === 1 ? name : '';
}

const functionOf = (eqn: Eqn | undefined): string =>
  eqn?.bodies.length === 0 && eqn.cost?.transcendentals ? plainName(eqn.op) : '';

/** A range of a text, with what is shown in its place. */
import type { Graph, Stage } from '../../schema';
import { avalOf } from '../graph';
import type { Range } from '../spans';

export interface Shortening extends Range {
  /** Empty where nothing is shown. */
  text: string;
  /** Whether it stands for a list that opens when it is clicked. */
  folded: boolean;
  /** What is shown otherwise in that list. */
  inside?: readonly Shortening[];
}

export const gone = (from: number, to: number, text = ''): Shortening => ({
  from,
  to,
  text,
  folded: false,
});

/** What a weak type is written with; JAX's printer leaves it out. */
export const WEAK = '~';

/** A mark before each weak type, where variables are bound at these places. */
export function weakMarks(
  stage: Stage,
  graph: Graph,
  variables: readonly number[],
  places: readonly Range[],
): Shortening[] {
  return places.flatMap(({ from }, at) => {
    const variable = variables[at] as number;
    const type = from + (graph.vars[variable]?.name ?? '').length + 1;
    const isWeak = avalOf(stage, graph, variable)?.weak_type === true;
    return isWeak && stage.text[type] !== WEAK ? [gone(type, type, WEAK)] : [];
  });
}

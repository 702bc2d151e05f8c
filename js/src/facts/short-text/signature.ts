/** What a jaxpr takes and returns, in its text: gathered by the pytrees of the user's call, else by
 * what the inputs are to a loop; single ones by the user's name. */
import type { Graph, Stage } from '../../schema';
import { cached } from '../maps';
import { keys } from '../text/pytree';
import type { Range } from '../text/spans';
import { type Names, placesOf, returnedOf } from './names';
import { gone, type Shortening, weakMarks } from './plain-params';

/** How a jaxpr begins. */
export const OPENING = '{ lambda ';

/** Of a pytree at most so many leaves are listed. */
const MOST_LISTED = 4;

/** The inputs of the graph that begins at `opening`. */
export function headOf(
  stage: Stage,
  graph: Graph,
  roles: readonly string[] | undefined,
  { heads }: Names,
  opening: number,
): Shortening[] {
  const { constvars, invars } = graph;
  const inside = { from: opening + OPENING.length, to: stage.text.indexOf('. let', opening) };
  const variables = [...constvars, ...invars];
  const places = placesOf(stage, graph, variables, inside);
  const labels = [
    ...constvars.map(() => 'consts'),
    ...invars.map((_, at) => nameOf(graph.args[at] ?? '') || roles?.[at] || 'inputs'),
  ];
  const runs = places.length === 0 ? [] : runsOf(labels);
  const named = places.flatMap(({ from }, at): Shortening[] => {
    const text = heads.get(variables[at] as number);
    const to = from + (graph.vars[variables[at] as number]?.name ?? '').length;
    return text === undefined ? [] : [{ from, to, text, folded: false }];
  });
  const all = [...named, ...weakMarks(stage, graph, variables, places)];
  const folded = runs.filter(isLong).map((run) => foldedRun(places, labels, run, all));
  return [...folded, ...all, ...(folded.length === 0 ? [] : lineBreaks(stage, places))];
}

/** The argument that a path leads into: `params` for `params['w']`. */
const nameOf = (path: string): string => keys(path)[0] ?? '';

/** Neighbours `[start, stop)` of the same label. */
type Run = readonly [start: number, stop: number];

const isLong = ([start, stop]: Run): boolean => stop - start > MOST_LISTED;

function runsOf(labels: readonly string[]): Run[] {
  const starts = labels.flatMap((label, at) => (label === labels[at - 1] ? [] : [at]));
  return starts.map((start, at) => [start, starts[at + 1] ?? labels.length]);
}

function foldedRun(
  places: readonly Range[],
  labels: readonly string[],
  [start, stop]: Run,
  all: readonly Shortening[],
): Shortening {
  const { from } = places[start] as Range;
  const { to } = places[stop - 1] as Range;
  const inside = all.filter((one) => from <= one.from && one.to <= to);
  return { from, to, text: `${labels[start]}(${stop - start})`, folded: true, inside };
}

/** The line breaks between the inputs, which what is folded made needless. */
function lineBreaks({ text }: Stage, places: readonly Range[]): Shortening[] {
  return places.flatMap(({ to }, at) => {
    const next = places[at + 1]?.from ?? to;
    return /^\s*\n\s*$/.test(text.slice(to, next)) ? [gone(to, next, ' ')] : [];
  });
}

const ROLE_NAMES = new Map([['const', 'consts']]);

/** For each graph that is a body, what its inputs are to the eqn that holds it first. */
export const rolesOf = cached((stage: Stage): ReadonlyMap<number, readonly string[]> => {
  const found = new Map<number, readonly string[]>();
  for (const { eqns } of stage.graphs) {
    for (const { bodies, roles } of eqns) {
      for (const { graph, inputs } of bodies) {
        const own = inputs.map((at) => ROLE_NAMES.get(roles[at] ?? '') ?? roles[at] ?? '');
        if (!found.has(graph)) found.set(graph, own);
      }
    }
  }
  return found;
});

/** What the program returns, at the end of its text. */
export function resultsOf(stage: Stage, { paths }: Names): Shortening[] {
  const [graph] = stage.graphs;
  const places = returnedOf(stage);
  if (!graph || places.length === 0) return [];
  const labels = graph.results.map(rootOf);
  const runs = runsOf(labels).filter(isLong);
  const named = places.flatMap((place, at): Shortening[] => {
    const text = paths.get(graph.outvars[at] as number);
    return text === undefined ? [] : [{ ...place, text, folded: false }];
  });
  return [...runs.map((run) => foldedRun(places, labels, run, named)), ...named];
}

/** `result[0]` for `result[0]['w']`, `params` for `params['w']`. */
export function rootOf(path: string): string {
  const [name = '', key = ''] = keys(path);
  return name === 'result' ? `${name}${key}` : name;
}

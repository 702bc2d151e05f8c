/** Finds the ranges of a stage's text that a short form leaves out or replaces: inputs folded to their pytrees,
 * inputs by the user's names, params that are None or have their default. The text itself stays as JAX and XLA print
 * it. */
import type { Eqn, Graph, Stage } from '../../schema';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { keys } from '../text/pytree';
import { beginOf, type Range, rangesOf } from '../text/spans';
import { type Names, namesIn, operandsOf, placesOf, resultsIn, returnedOf } from './names';
import { aroundBodies, hidden, inBrackets, type Shortening, weakMarks } from './plain-params';

export { type Shortening, WEAK } from './plain-params';

/** All ranges that the short form replaces; none overlaps another. They come in parts, each in the order of the text,
 * since a program of many eqns takes a while. */
export function* shorteningsOf(stage: Stage): Generator<readonly Shortening[], void> {
  if (stage.text === '' || stage.graphs.length === 0) return;
  for (const found of stage.kind === 'jaxpr' ? ofJaxpr(stage) : [foldedHead(stage)]) {
    yield apart(found);
  }
}

/** The ranges in the order of the text, without those inside another. */
function apart(found: Shortening[]): Shortening[] {
  found.sort((one, other) => one.from - other.from || other.to - one.to);
  let end = 0;
  return found.filter(({ from, to }) => {
    const isFree = from >= end;
    if (isFree) end = to;
    return isFree;
  });
}

/** The fewest eqns of a part. Most programs have fewer, so they are one part. */
const EQNS_OF_A_PART = 4_000;

function* ofJaxpr(stage: Stage): Generator<Shortening[], void> {
  const roles = rolesOf(stage);
  let found: Shortening[] = [];
  let eqns = 0;
  for (const [number, graph] of stage.graphs.entries()) {
    const names = namesIn(stage)[number] as Names;
    const opening = openingOf(stage, number);
    if (opening !== null) found.push(...headOf(stage, graph, roles.get(number), names, opening));
    if (number === 0) found.push(...resultsOf(stage, names));
    for (let at = 0; at < graph.eqns.length; at++) {
      addOfEqn(found, stage, number, names, at);
      eqns += 1;
      if (eqns % EQNS_OF_A_PART > 0) continue;
      yield found;
      found = [];
    }
  }
  yield found;
}

/** Adds the replacements of an eqn: of its operands, results and params. */
function addOfEqn(found: Shortening[], stage: Stage, number: number, names: Names, at: number) {
  const graph = stage.graphs[number] as Graph;
  const eqn = graph.eqns[at] as Eqn;
  const range = rangesOf(stage)[number]?.[at];
  if (!range) return;
  addOperandNames(found, stage, graph, eqn, names, range);
  if (hasWeak(stage)) found.push(...weakResults(stage, graph, eqn, range));
  if (eqn.bodies.length > 0) found.push(...aroundBodies(stage, eqn, range));
  else if (eqn.params.length > 0) found.push(...inBrackets(stage, graph, eqn, range));
}

const hasWeak = cached(({ avals }: Stage) => avals.some((aval) => aval.weak_type));

/** The start of a graph in the text: of the whole program, or of a body, which is the last opening before its first
 * eqn. */
function openingOf(stage: Stage, number: number): number | null {
  const first = rangesOf(stage)[number]?.[0];
  if (number > 0 && !first) return null;
  const at = number === 0 ? beginOf(stage) : stage.text.lastIndexOf(OPENING, first?.from);
  return at >= 0 && stage.text.startsWith(OPENING, at) ? at : null;
}

/** Adds the operands of an eqn that are inputs, by the user's names. */
function addOperandNames(
  found: Shortening[],
  stage: Stage,
  graph: Graph,
  { invars }: Eqn,
  { paths }: Names,
  range: Range,
): void {
  if (!invars.some((variable) => paths.has(variable))) return;
  for (const [operand, { from, to }] of operandsOf(stage, graph, invars, range).entries()) {
    const text = paths.get(invars[operand] as number);
    if (text !== undefined) found.push({ from, to, text, folded: false });
  }
}

/** The marks of an eqn's results of weak types. */
function weakResults(stage: Stage, graph: Graph, { outvars }: Eqn, range: Range): Shortening[] {
  const isWeak = outvars.some((variable) => avalOf(stage, graph, variable)?.weak_type);
  if (!isWeak) return [];
  return weakMarks(stage, graph, outvars, placesOf(stage, graph, outvars, resultsIn(stage, range)));
}

/** A list with more characters than this is folded. */
const LONGEST_LIST = 160;

/** The arguments and the results of the main function. */
function foldedHead(stage: Stage): Shortening[] {
  const { kind, text, graphs } = stage;
  const opening = kind === 'stablehlo' ? text.indexOf('func.func public') : beginOf(stage);
  const lists = opening < 0 ? [] : listsAfter(text, opening);
  return lists.flatMap((list, at) => {
    if (list.to - list.from <= LONGEST_LIST) return [];
    const parts = partsOf(text, list);
    const paths = (at === 0 ? graphs[0]?.args : graphs[0]?.results) ?? [];
    const unnamed = at === 0 ? 'inputs' : 'results';
    const names = paths.length === parts.length ? namesOf(paths) : [`${unnamed}(${parts.length})`];
    return [{ ...list, text: names.join(', '), folded: true }];
  });
}

/** The contents of the first parentheses after the opening, and of those after an arrow that follows. */
function listsAfter(text: string, opening: number): Range[] {
  const line = text.indexOf('\n', opening);
  const stop = line < 0 ? text.length : line;
  const inputs = inParentheses(text, text.indexOf('(', opening), stop);
  if (!inputs) return [];
  const arrow = /^\) -> \(/.exec(text.slice(inputs.to, inputs.to + 8));
  const results = arrow ? inParentheses(text, inputs.to + arrow[0].length - 1, stop) : null;
  return results ? [inputs, results] : [inputs];
}

function inParentheses(text: string, at: number, stop: number): Range | null {
  let depth = 0;
  for (let end = at; end >= 0 && end < stop; end++) {
    if ('([{'.includes(text[end] as string)) depth += 1;
    if (')]}'.includes(text[end] as string)) depth -= 1;
    if (depth === 0) return { from: at + 1, to: end };
  }
  return null;
}

/** The elements of a list, separated by commas outside of brackets. */
function partsOf(text: string, { from, to }: Range): string[] {
  let depth = 0;
  let start = from;
  const parts: string[] = [];
  for (let at = from; at < to; at++) {
    if ('([{<'.includes(text[at] as string)) depth += 1;
    if (')]}'.includes(text[at] as string)) depth -= 1;
    if (text[at] === '>' && text[at - 1] !== '-') depth -= 1;
    if (text[at] === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start, to)];
}

/** `params(26)`, `tokens`: the arguments, each with its number of leaves. */
function namesOf(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const label = rootOf(path);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name}(${count})`));
}

/** The beginning of a jaxpr. */
const OPENING = '{ lambda ';

/** The most leaves of a pytree that are listed. */
const MOST_LISTED = 4;

/** The inputs of the graph that begins at `opening`. */
function headOf(
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

/** Hides the line breaks between the inputs, which folding made unnecessary. */
function lineBreaks({ text }: Stage, places: readonly Range[]): Shortening[] {
  return places.flatMap(({ to }, at) => {
    const next = places[at + 1]?.from ?? to;
    return /^\s*\n\s*$/.test(text.slice(to, next)) ? [hidden(to, next, ' ')] : [];
  });
}

const ROLE_NAMES = new Map([['const', 'consts']]);

/** For each graph that is a body, the roles of its inputs in the first eqn that calls it. */
const rolesOf = cached((stage: Stage): ReadonlyMap<number, readonly string[]> => {
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

/** The replacements of the program's results, at the end of its text. */
function resultsOf(stage: Stage, { paths }: Names): Shortening[] {
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
function rootOf(path: string): string {
  const [name = '', key = ''] = keys(path);
  return name === 'result' ? `${name}${key}` : name;
}

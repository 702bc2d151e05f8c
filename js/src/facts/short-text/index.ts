/** What a stage's text may leave out or name otherwise where it is read: inputs folded to the
 * pytrees they came in, inputs by the user's names, params that are None or as always. The text
 * itself stays as JAX and XLA print it: these are ranges of it, with what is shown in their place. */
import type { Eqn, Graph, Stage } from '../../schema';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { beginOf, type Range, rangesOf } from '../text/spans';
import { type Names, namesIn, operandsOf, placesOf, resultsIn } from './names';
import { aroundBodies, inBrackets, type Shortening, weakMarks } from './plain-params';
import { headOf, OPENING, resultsOf, rolesOf, rootOf } from './signature';

export { type Shortening, WEAK } from './plain-params';

/** All that a stage's text is shown without; none overlaps another. They come in parts, each in the order of
 * the text: a program of many eqns takes a while. */
export function* shorteningsOf(stage: Stage): Generator<readonly Shortening[], void> {
  if (stage.text === '' || stage.graphs.length === 0) return;
  for (const found of stage.kind === 'jaxpr' ? ofJaxpr(stage) : [foldedHead(stage)]) {
    yield apart(found);
  }
}

/** In the order of the text, without what lies within another. */
function apart(found: Shortening[]): Shortening[] {
  found.sort((one, other) => one.from - other.from || other.to - one.to);
  let end = 0;
  return found.filter(({ from, to }) => {
    const isFree = from >= end;
    if (isFree) end = to;
    return isFree;
  });
}

/** The eqns of a part, at least: most programs have fewer. */
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

/** Adds what is said otherwise of an eqn: its operands, results and params. */
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

/** Where the text opens a graph: the whole program, or a body, which begins last before its first
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

/** What is in the first parentheses after the opening, and in those after an arrow that follows. */
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

/** The elements of a list, which commas separate that are in no brackets. */
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

/** `params(26)`, `tokens`: the arguments, each with how many leaves it has. */
function namesOf(paths: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const label = rootOf(path);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => (count === 1 ? name : `${name}(${count})`));
}

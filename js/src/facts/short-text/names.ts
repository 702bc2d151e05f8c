/** Finds where the text of a jaxpr prints variables, and which of them are shown by the user's names. */
import type { Graph, Stage } from '../../schema';
import { flowOf } from '../flow';
import { cached } from '../maps';
import { type Range, rangesOf } from '../text/spans';

export interface Names {
  /** The user's path of each input that is shown by it everywhere, by its variable. */
  paths: ReadonlyMap<number, string>;
  /** The text for an input's letter where it is bound: the path; or both, `x=a`, if the letter is used further on. */
  heads: ReadonlyMap<number, string>;
}

const NO_NAMES: Names = { paths: new Map(), heads: new Map() };

/** The names in each graph of a stage: none except in a jaxpr, since the text of later stages keeps its own. */
export const namesIn = cached((stage: Stage): readonly Names[] =>
  stage.graphs.map((graph, number) =>
    stage.kind === 'jaxpr' ? namesOf(stage, graph, number) : NO_NAMES,
  ),
);

/** The user's path of a var, if the text shows it instead of JAX's letter. */
export const pathShown = (stage: Stage, graph: Graph, variable: number): string | undefined =>
  namesIn(stage)[stage.graphs.indexOf(graph)]?.paths.get(variable);

/** The names of a graph's inputs. An input keeps its letter if a place of the letter in the text cannot be parsed. It
 * also does if another input has the same path, or if the path is one of JAX's letters: otherwise two values would
 * have one name. */
function namesOf(stage: Stage, graph: Graph, number: number): Names {
  const userPaths = new Map(
    graph.invars.flatMap((variable, at) => (graph.args[at] ? [[variable, graph.args[at]]] : [])),
  );
  if (userPaths.size === 0) return NO_NAMES;
  const unread = new Set(number === 0 && returnedOf(stage).length > 0 ? [] : graph.outvars);
  const ranges = rangesOf(stage)[number] ?? [];
  for (const input of userPaths.keys()) {
    for (const at of flowOf(graph).users(input)) {
      const { invars } = graph.eqns[at]!;
      const range = ranges[at];
      const isRead = range && operandsOf(stage, graph, invars, range).length > 0;
      if (!isRead) for (const variable of invars) unread.add(variable);
    }
  }
  const letters = lettersAmong(stage, new Set(userPaths.values()));
  const entries = [...userPaths].map(([variable, path]) => {
    const letter = graph.vars[variable]?.name ?? '';
    const isOwn = graph.args.indexOf(path) === graph.args.lastIndexOf(path);
    const isShown = path === letter || (isOwn && !letters.has(path) && !unread.has(variable));
    return { variable, path, isShown, head: isShown ? path : `${path}=${letter}` };
  });
  return {
    paths: new Map(entries.flatMap((one) => (one.isShown ? [[one.variable, one.path]] : []))),
    heads: new Map(entries.map(({ variable, head }) => [variable, head])),
  };
}

/** The names that are also JAX's letters for variables of a stage. */
function lettersAmong({ graphs }: Stage, names: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { vars } of graphs) {
    for (const { name, literal } of vars) {
      if (!literal && names.has(name)) found.add(name);
    }
  }
  return found;
}

/** The part of an eqn's range that binds its results. */
export function resultsIn({ text }: Stage, { from, to }: Range): Range {
  const equals = text.slice(from, to).indexOf(' = ');
  return { from, to: from + Math.max(0, equals) };
}

/** The ranges at which variables are bound in a range, `a:f32[8]` each, in their order. */
export function placesOf(
  stage: Stage,
  { vars }: Graph,
  variables: readonly number[],
  { from, to }: Range,
): Range[] {
  const text = stage.text.slice(from, to);
  const starts: number[] = [];
  let at = -1;
  for (const variable of variables) {
    at = boundAt(text, `${vars[variable]?.name}:`, at + 1);
    if (at < 0) return [];
    starts.push(at);
  }
  return starts.map((start, index) => {
    const own = text.slice(start, starts[index + 1]).replace(/[\s;]+$/, '');
    return { from: from + start, to: from + start + own.length };
  });
}

/** The next place where a name begins a word; -1 if there is none. */
function boundAt(text: string, name: string, from: number): number {
  let at = text.indexOf(name, from);
  while (at > 0 && /\S/.test(text[at - 1] as string)) at = text.indexOf(name, at + 1);
  return at;
}

/** The ranges of an eqn's operands, at its end. */
export function operandsOf(
  { text }: Stage,
  { vars }: Graph,
  operands: readonly number[],
  { from, to }: Range,
): Range[] {
  const found: Range[] = [];
  let end = to;
  for (let at = operands.length - 1; at >= 0; at--) {
    const name = vars[operands[at] as number]?.name ?? '';
    const start = end - name.length;
    if (name === '' || start <= from || !text.startsWith(name, start)) return [];
    found.push({ from: start, to: end });
    end = start;
    while (end > from && /\s/.test(text[end - 1] as string)) end -= 1;
    if (end === start) return [];
  }
  return found.reverse();
}

/** The ranges of the program's results, at the end of the text. */
export function returnedOf({ text, graphs }: Stage): Range[] {
  const start = text.lastIndexOf(RETURNS) + RETURNS.length;
  const list = /^([^()]*)\) \}\s*$/.exec(text.slice(start));
  const places = [...(list?.[1] ?? '').matchAll(/[^\s,]+/g)].map(({ index, 0: name }) => ({
    from: start + index,
    to: start + index + name.length,
  }));
  return places.length === graphs[0]?.outvars.length ? places : [];
}

const RETURNS = 'in (';

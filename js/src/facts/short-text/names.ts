/** Which inputs of a jaxpr are shown by the user's names in place of JAX's letters. */
import type { Graph, Stage } from '../../schema';
import { cached } from '../cached';
import { flowOf } from '../flow';
import { rangesOf } from '../spans';
import { operandsOf, returnedOf } from './places';

export interface Names {
  /** The user's path of each input that is shown by it wherever it stands, by its variable. */
  paths: ReadonlyMap<number, string>;
  /** What stands for an input's letter where it is bound: the path; or both, `x=a`, where the
   * letter is used further on. */
  heads: ReadonlyMap<number, string>;
}

const NO_NAMES: Names = { paths: new Map(), heads: new Map() };

/** The names in each graph of a stage: none but in a jaxpr, as the text of later stages keeps its own. */
export const namesIn = cached((stage: Stage): readonly Names[] =>
  stage.graphs.map((graph, number) =>
    stage.kind === 'jaxpr' ? namesOf(stage, graph, number) : NO_NAMES,
  ),
);

/** The user's path of a var, where the text shows it in place of JAX's letter. */
export const pathShown = (stage: Stage, graph: Graph, variable: number): string | undefined =>
  namesIn(stage)[stage.graphs.indexOf(graph)]?.paths.get(variable);

/** The names of a graph's inputs. A letter stays where it stands in a form that we do not read, and
 * where the path is another input's too, or one of JAX's letters: two values would have one name. */
function namesOf(stage: Stage, graph: Graph, number: number): Names {
  const given = new Map(
    graph.invars.flatMap((variable, at) => (graph.args[at] ? [[variable, graph.args[at]]] : [])),
  );
  if (given.size === 0) return NO_NAMES;
  const unread = new Set(number === 0 && returnedOf(stage).length > 0 ? [] : graph.outvars);
  const ranges = rangesOf(stage)[number] ?? [];
  for (const input of given.keys()) {
    for (const at of flowOf(graph).users(input)) {
      const { invars } = graph.eqns[at]!;
      const range = ranges[at];
      const isRead = range && operandsOf(stage, graph, invars, range).length > 0;
      if (!isRead) for (const variable of invars) unread.add(variable);
    }
  }
  const letters = lettersAmong(stage, new Set(given.values()));
  const entries = [...given].map(([variable, path]) => {
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

/** Those of the names that are JAX's letters for variables of a stage. */
function lettersAmong({ graphs }: Stage, names: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  // To look a name up takes V8 longer the first time: few are as long as one of these.
  const lengths = new Set([...names].map(({ length }) => length));
  for (const { vars } of graphs) {
    for (const { name, literal } of vars) {
      if (lengths.has(name.length) && !literal && names.has(name)) found.add(name);
    }
  }
  return found;
}

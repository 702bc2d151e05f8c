/** What a stage's text may leave out or name otherwise where it is read: inputs folded to the
 * pytrees they came in, inputs by the user's names, params that are None or as always. The text
 * itself stays as JAX and XLA print it: these are ranges of it, with what is shown in their place. */
import type { Eqn, Graph, Stage } from '../../schema';
import { cached } from '../cached';
import { avalOf } from '../graph';
import { beginOf, type Range, rangesOf } from '../spans';
import { foldedHead } from './later-head';
import { type Names, namesIn } from './names';
import { operandsOf, placesOf, resultsIn } from './places';
import { aroundBodies, inBrackets } from './plain-params';
import { type Shortening, weakMarks } from './shortening';
import { headOf, OPENING, resultsOf, rolesOf } from './signature';

export { type Shortening, WEAK } from './shortening';

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

/** What a stage's text may leave out or name otherwise where it is read: inputs folded to the
 * pytrees they came in, inputs by the user's names, params that are None or as always. The text
 * itself stays as JAX and XLA print it: these are ranges of it, with what is shown in their place. */
import type { Eqn, Graph, Stage } from '../../schema';
import { cached } from '../cached';
import { avalOf } from '../graph';
import { beginOf, type Range, rangesOf } from '../spans';
import { foldedHead } from './later-head';
import { type Names, namesOf } from './names';
import { placesOf, resultsIn } from './places';
import { addPlainParams } from './plain-params';
import { type Shortening, weakMarks } from './shortening';
import { headOf, OPENING, resultsOf, rolesOf } from './signature';

export { type Shortening, WEAK } from './shortening';

/** All that a stage's text is shown without, in its order; none overlaps another. */
export const shorteningsOf = cached((stage: Stage): readonly Shortening[] => {
  if (stage.text === '' || stage.graphs.length === 0) return [];
  const found = stage.kind === 'jaxpr' ? ofJaxpr(stage) : foldedHead(stage);
  found.sort((one, other) => one.from - other.from || other.to - one.to);
  let end = 0;
  return found.filter(({ from, to }) => {
    const isFree = from >= end;
    if (isFree) end = to;
    return isFree;
  });
});

function ofJaxpr(stage: Stage): Shortening[] {
  const roles = rolesOf(stage);
  const isAnyWeak = stage.avals.some((aval) => aval.weak_type);
  const found: Shortening[] = [];
  for (const [number, graph] of stage.graphs.entries()) {
    const names = namesOf(stage, graph, number);
    const opening = openingOf(stage, number);
    const head = opening === null ? [] : headOf(stage, graph, roles.get(number), names, opening);
    for (const one of head) found.push(one);
    for (const [at, eqn] of graph.eqns.entries()) addOperandNames(found, eqn, names, at);
    for (const [at, eqn] of isAnyWeak ? graph.eqns.entries() : []) {
      found.push(...weakResults(stage, graph, eqn, rangesOf(stage)[number]?.[at]));
    }
    for (const one of number === 0 ? resultsOf(stage, names) : []) found.push(one);
  }
  addPlainParams(found, stage);
  return found;
}

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
  { invars }: Eqn,
  { paths, operands }: Names,
  at: number,
) {
  for (const [operand, place] of (operands[at] ?? []).entries()) {
    const text = paths.get(invars[operand] as number);
    if (text !== undefined) found.push({ from: place.from, to: place.to, text, folded: false });
  }
}

/** The marks of an eqn's results of weak types. */
function weakResults(stage: Stage, graph: Graph, { outvars }: Eqn, range?: Range): Shortening[] {
  const isWeak = outvars.some((variable) => avalOf(stage, graph, variable)?.weak_type);
  if (!range || !isWeak) return [];
  return weakMarks(stage, graph, outvars, placesOf(stage, graph, outvars, resultsIn(stage, range)));
}

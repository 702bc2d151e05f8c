/** The findings of a program: those that are shown, and the eqns that they are about. */
import type { Finding, Log, Program, Stage } from '../schema';
import { eqnAt } from './graph';
import type { Id } from './ids';
import { idOf, numberAt } from './linked/origins';
import { jaxprOf } from './linked/source-lines';

/** The first eqn of a finding in the jaxpr; null if it is about no eqn, or the program has no jaxpr. */
export function placeOfFinding(program: Program, { eqns: [first] }: Finding): Id | null {
  const jaxpr = jaxprOf(program);
  return jaxpr && first !== undefined ? idOf(jaxpr, first, [], true) : null;
}

/** The findings of a program or a log, without the kinds that the reader's settings ignore. */
export const findingsIn = (
  { findings = [] }: Pick<Log, 'findings'>,
  ignored: readonly string[],
): Finding[] => findings.filter(({ kind }) => !ignored.includes(kind));

/** The findings that are about an item of a stage. */
export function findingsAbout(found: readonly Finding[], stage: Stage, id: Id): readonly Finding[] {
  if (stage.kind !== 'jaxpr' || !eqnAt(stage, id)) return [];
  const number = numberAt(stage, id);
  return found.filter(({ eqns }) => eqns.includes(number));
}

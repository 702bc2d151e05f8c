/** The first selection in the program of an error card. */
import type { Largest, Stage } from '../schema';
import { binderId, eqnId, type Id, ROOT } from './ids';
import { idOf } from './linked/origins';

/** The largest value if memory was short; else the value whose number JAX needed: the eqn that made
 * it, or the input or constant that it is. Null if JAX needed none: then nothing is dimmed. */
export function selectedFirst(
  largest: Largest | null,
  jaxpr: Stage | undefined,
): { stage: string; id: Id } | null {
  const id = jaxpr ? (largest ? idOf(jaxpr, largest.eqn, [], true) : needed(jaxpr)) : null;
  return id === null ? null : { stage: 'jaxpr', id };
}

function needed({ graphs }: Stage): Id | null {
  const { eqns, invars, constvars, outvars } = graphs[0]!;
  const [value = -1] = outvars;
  const made = eqns.findIndex((eqn) => eqn.outvars.includes(value));
  if (made >= 0) return eqnId(ROOT, made);
  const [input, constant] = [invars.indexOf(value), constvars.indexOf(value)];
  if (input >= 0) return binderId(ROOT, 'in', input);
  return constant < 0 ? null : binderId(ROOT, 'const', constant);
}

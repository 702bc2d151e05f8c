/** Restores operands and names of vars, which are sent in a short form
 * (`jaxviz/display/wire/operands.py` writes it). */
import type { Program, Var } from '../../schema';
import { Damaged } from './wire-columns';

/** The names that JAX gives to vars: `a`, `b`, … `ba`. */
const JAX_NAME = /^[a-z]{1,8}$/;
const LONGEST_NAME = 8;
const Z = 'z'.charCodeAt(0);
/** Put before a name that would otherwise be read as something else. */
const ESCAPE = '=';

/** Restores the operands and names of a program, in place. Throws where a var is not of its graph,
 * or an eqn uses a var before it is made. */
export function restoreOperands({ stages }: Program): void {
  let following = 'a';
  for (const { constvars, invars, outvars, eqns, vars } of stages.flatMap(({ graphs }) => graphs)) {
    const met = new SeenVars(vars.length);
    met.restore(constvars, false);
    met.restore(invars, false);
    for (const eqn of eqns) {
      met.restore(eqn.invars, false);
      met.restore(eqn.outvars, true);
    }
    met.restore(outvars, false);
    following = restoreNames(vars, following);
  }
}

/** The vars of a graph that were read so far. */
class SeenVars {
  #count = 0;
  readonly #used: Uint8Array;

  constructor(variables: number) {
    this.#used = new Uint8Array(variables);
  }

  /** Replaces ages by vars, in place. Age 0 is the next new var; below zero it is the var itself. */
  restore(ages: number[], made: boolean): void {
    const used = this.#used;
    for (let place = 0; place < ages.length; place += 1) {
      const age = ages[place] as number;
      const variable = age >= 0 ? this.#count - age : -1 - age;
      if (!(variable >= 0 && variable < used.length)) throw new Damaged();
      if (variable >= this.#count) this.#count = variable + 1;
      if (!made) used[variable] = 1;
      else if (used[variable] === 1) throw new Damaged();
      ages[place] = variable;
    }
  }
}

/** The name that follows the last one. */
function restoreNames(vars: Var[], first: string): string {
  let following = first;
  for (const one of vars) {
    if (one.name === '') {
      one.name = following;
      following = after(following);
      continue;
    }
    if (one.name.startsWith(ESCAPE)) one.name = one.name.slice(ESCAPE.length);
    if (JAX_NAME.test(one.name)) following = after(one.name);
  }
  return following;
}

/** `b` after `a`, `ba` after `z`. */
function after(name: string): string {
  if (name.length > LONGEST_NAME) return name;
  let kept = name.length;
  while (kept > 0 && name.charCodeAt(kept - 1) === Z) kept -= 1;
  const end = 'a'.repeat(name.length - kept);
  if (kept === 0) return `b${end}`;
  return name.slice(0, kept - 1) + String.fromCharCode(name.charCodeAt(kept - 1) + 1) + end;
}

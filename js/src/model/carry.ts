import type { Eqn } from '../schema';
import { plainName } from './family';

/** What a loop hands from one turn to the next: for each value the output of its body that returns
 * as the input. */
export interface Carry {
  pairs: { input: number; output: number }[];
  /** `×100`, the turns of a loop whose length is known. */
  turns: string;
}

/** The carry of body `number` of a loop, null for what is none. The parameters are those of
 * `jax.lax.scan_p` and `jax.lax.while_p`: constants come before the carry. In later stages, which
 * have no such parameters, what a loop only reads comes after it. */
export function carryOf(eqn: Eqn, number: number): Carry | null {
  const value = (name: string) => Number(eqn.params.find((one) => one.name === name)?.value);
  const body = eqn.bodies[number];
  const scan = eqn.op === 'scan';
  const loop = scan || (plainName(eqn.op) === 'while' && body?.label === 'body');
  if (!body || !loop) return null;
  const known = value(scan ? 'num_consts' : 'body_nconsts');
  const consts = scan || Number.isInteger(known) ? known : 0;
  const count = scan ? value('num_carry') : body.outputs.length;
  if (!Number.isInteger(consts) || !Number.isInteger(count)) return null;
  const pairs = Array.from({ length: count }, (_, k) => ({ input: consts + k, output: k }));
  const turns = eqn.trips ?? (scan ? value('length') : Number.NaN);
  return { pairs, turns: Number.isInteger(turns) ? `×${turns.toLocaleString('en')}` : '' };
}

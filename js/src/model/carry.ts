import type { Eqn } from '../schema';

/** What a loop hands from one turn to the next: for each value the output of its body that returns
 * as the input. */
export interface Carry {
  pairs: { input: number; output: number }[];
  /** `×100`, the turns of a loop whose length is known. */
  turns: string;
}

/** The carry of body `number` of a loop, null for what is none. The parameters are those of
 * `jax.lax.scan_p` and `jax.lax.while_p`: constants come before the carry. */
export function carryOf(eqn: Eqn, number: number): Carry | null {
  const value = (name: string) => Number(eqn.params.find((one) => one.name === name)?.value);
  const body = eqn.bodies[number];
  const loop = eqn.op === 'scan' || (eqn.op === 'while' && body?.label === 'body');
  if (!body || !loop) return null;
  const consts = value(eqn.op === 'scan' ? 'num_consts' : 'body_nconsts');
  const count = eqn.op === 'scan' ? value('num_carry') : body.outputs.length;
  if (!Number.isInteger(consts) || !Number.isInteger(count)) return null;
  const pairs = Array.from({ length: count }, (_, k) => ({ input: consts + k, output: k }));
  const length = eqn.op === 'scan' ? value('length') : Number.NaN;
  return { pairs, turns: Number.isInteger(length) ? `×${length.toLocaleString('en')}` : '' };
}

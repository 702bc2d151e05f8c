import type { Eqn } from '../schema';

/** What a loop hands from one turn to the next: for each value the output of its body that returns
 * as the input. */
export interface Carry {
  pairs: { input: number; output: number }[];
  /** `×100`, the turns of a loop whose length is known. */
  turns: string;
}

/** The carry of body `number` of a loop, null for what is none. */
export function carryOf({ bodies, roles, trips }: Eqn, number: number): Carry | null {
  const body = bodies[number];
  if (body?.label !== 'body' || !roles.includes('carry')) return null;
  const inputs = body.inputs.flatMap((operand, input) =>
    roles[operand] === 'carry' ? [input] : [],
  );
  const pairs = inputs.slice(0, body.outputs.length).map((input, output) => ({ input, output }));
  return { pairs, turns: trips === null ? '' : `×${trips.toLocaleString('en')}` };
}

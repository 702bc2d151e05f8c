/** What XLA's passes made of a program, and the stages that are the program after one of them. */
import type { Pass, Passes } from '../schema';
import { cached } from './cached';

const AFTER = 'pass ';

/** The kind of the stage that is the program after a pass, by the pass's number from 1 on; 0 is the
 * program before the first. */
export const kindAfter = (pass: number): string => `${AFTER}${pass}`;

/** The kind of a stage as the kernel knows it: the program after a pass is HLO. */
export const plainKind = (kind: string): string => (kind.startsWith(AFTER) ? 'hlo' : kind);

/** Where an eqn of the jaxpr went: the pass from which on nothing is named after it, by its number;
 * 0 where that was before the first. Null where optimized HLO has it. */
export const passOf = (passes: Passes, eqn: number): number | null =>
  goneIn(passes).get(eqn) ?? null;

const goneIn = cached(({ passes, unnamed }: Passes): ReadonlyMap<number, number> => {
  const steps = [unnamed, ...passes.map(({ gone }) => gone)];
  return new Map(steps.flatMap((gone, at) => gone.map((eqn) => [eqn, at] as const)).reverse());
});

/** The pass of that number; none for 0. */
export const passAt = ({ passes }: Passes, number: number): Pass | undefined => passes[number - 1];

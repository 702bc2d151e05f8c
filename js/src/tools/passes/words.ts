/** Says in which of XLA's passes eqns of the jaxpr disappeared. */
import { cached } from '../../facts/maps';
import { __ } from '../../language';
import type { Passes } from '../../schema';

/** The number of the pass after which no instruction is named after an eqn of the jaxpr; 0 if none
 * was before the first. Null if optimized HLO has the eqn. */
export const passOf = (passes: Passes, eqn: number): number | null =>
  goneIn(passes).get(eqn) ?? null;

const goneIn = cached(({ passes, unnamed }: Passes): ReadonlyMap<number, number> => {
  const steps = [unnamed, ...passes.map(({ gone }) => gone)];
  return new Map(steps.flatMap((gone, at) => gone.map((eqn) => [eqn, at] as const)).reverse());
});

/** The passes in which eqns disappeared; empty if optimized HLO has one of them. */
export function passText(passes: Passes, eqns: readonly number[]): string {
  const numbers = [...new Set(eqns.map((eqn) => passOf(passes, eqn)))];
  if (numbers.length === 0 || numbers.includes(null)) return '';
  const names = numbers.map((number) => {
    const pass = passes.passes[(number ?? 0) - 1];
    return pass ? `${pass.name || pass.pipeline} (${number})` : __('before the first pass');
  });
  return __('none: folded, removed or renamed by XLA: %1', names.join(', '));
}

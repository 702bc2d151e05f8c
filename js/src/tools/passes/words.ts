/** Says in which of XLA's passes eqns of the jaxpr went. */
import { cached } from '../../facts/maps';
import { __ } from '../../language';
import type { Passes } from '../../schema';

/** The pass from which on nothing is named after an eqn of the jaxpr, by its number; 0 if that was before
 * the first. Null if optimized HLO has the eqn. */
export const passOf = (passes: Passes, eqn: number): number | null =>
  goneIn(passes).get(eqn) ?? null;

const goneIn = cached(({ passes, unnamed }: Passes): ReadonlyMap<number, number> => {
  const steps = [unnamed, ...passes.map(({ gone }) => gone)];
  return new Map(steps.flatMap((gone, at) => gone.map((eqn) => [eqn, at] as const)).reverse());
});

/** Where eqns went; empty if optimized HLO has one of them. */
export function wentText(passes: Passes, eqns: readonly number[]): string {
  const went = [...new Set(eqns.map((eqn) => passOf(passes, eqn)))];
  if (went.length === 0 || went.includes(null)) return '';
  const names = went.map((number) => {
    const pass = passes.passes[(number ?? 0) - 1];
    return pass ? `${pass.name || pass.pipeline} (${number})` : __('before the first pass');
  });
  return __('none: folded, removed or renamed by XLA: %1', names.join(', '));
}

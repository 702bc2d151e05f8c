import type { Cause, Variant } from '../../schema';
import { differenceOf, textOf, told } from './told';

/** Values that are named in one line. */
const NAMED = 3;

/** All that a cause was, each with how often; of a log of an earlier format the latest alone. */
export const variantsOf = ({ values, reason, times }: Cause): readonly Variant[] =>
  values.length > 0 ? values : [{ reason, times }];

/** How often a cause was another than those that are listed. */
export const othersOf = (cause: Cause): number =>
  cause.times - variantsOf(cause).reduce((sum, { times }) => sum + times, 0);

/** What changed, in one line: `x: f32[256→1024, 4] ×2, f32[64→256, 4], …`. */
export function valuesText(cause: Cause): string {
  const all = variantsOf(cause);
  const isOne = all.length === 1 && othersOf(cause) <= 0;
  const texts = all.slice(0, NAMED).map(({ reason, times }, index) => {
    const [change] = reason;
    const isShort = index > 0 && reason.length === 1 && change !== undefined;
    const text = isShort ? textOf(differenceOf(change)) : told(reason);
    return isOne || times === 1 ? text : `${text} ×${times.toLocaleString('en')}`;
  });
  const isMore = all.length > NAMED || othersOf(cause) > 0;
  return [...texts, ...(isMore ? ['…'] : [])].join(', ');
}

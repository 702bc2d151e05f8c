/** What kinds of findings are called. */
import { __ } from '../language';

const KINDS = new Map([
  ['unlike', () => __('unlike its siblings')],
  ['upcast', () => __('stray upcast')],
  ['float64', () => __('float64 not given')],
  ['unrolled', () => __('unrolled loop')],
  ['constant', () => __('captured constant')],
  ['callback', () => __('callback in a loop')],
  ['blowup', () => __('blow-up')],
  ['residual', () => __('residuals kept')],
  ['collective', () => __('resharding')],
  ['donation', () => __('donation')],
  ['unused', () => __('unused argument')],
]);

/** The title of a kind of finding: `stray upcast`. */
export const findingTitle = (kind: string): string => KINDS.get(kind)?.() ?? kind;

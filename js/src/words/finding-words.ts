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
  ['residual', () => __('kept for the backward pass')],
  ['collective', () => __('collected from devices')],
  ['donation', () => __('donation')],
  ['unused', () => __('unused argument')],
]);

/** The title of a kind of finding: `stray upcast`. */
export const findingTitle = (kind: string): string => KINDS.get(kind)?.() ?? kind;

import { __ } from '../language';
import type { Aval } from '../schema';

/** Kinds of dtype, the widest float first. Every aval is of one: the last takes what is left. */
export const DTYPES: readonly { name: string; about: () => string; holds: RegExp }[] = [
  { name: 'f64', about: () => __('float64 and complex128'), holds: /^(float64|complex128)$/ },
  { name: 'f32', about: () => __('float32 and complex64'), holds: /^(float32|complex64)$/ },
  { name: 'f16', about: () => __('bfloat16 and float16'), holds: /^(bfloat16|float16)$/ },
  { name: 'f8', about: () => __('Floats of 8 bits and less'), holds: /^float[4-8]_/ },
  { name: 'int', about: () => __('Integers of any width'), holds: /^u?int\d+$/ },
  { name: 'bool', about: () => __('Booleans'), holds: /^bool$/ },
  {
    name: 'opaque',
    about: () => __('Random keys, tokens and what else is no number'),
    holds: /(?:)/,
  },
];

/** Which of `DTYPES` a value is of. */
export const dtypeOf = ({ dtype }: Aval): number =>
  DTYPES.findIndex(({ holds }) => holds.test(dtype));

/** What findings are called, and the kernel's sentences on them, from
 * jaxviz/analysis/findings/sentences.py. As in `kernel-words.ts`, `%1` stands for what varies. */
import { __, N_ } from '../language';

export const FINDINGS = N_(
  "`%1` turns %2 into %3, because %4 is an %5 of NumPy's or JAX's",
  '`%1` turns %2 into %3, because it meets an %4 from line %5',
  '`%1` turns %2 into %3, because `%4` is %5',
  'the function closes over `%1`, %2: %3 that are part of the program',
  'the function closes over %1: %2 that are part of the program',
  'each program that is made of it holds them, and goes on with the values of when it was traced',
  'pass it as an argument',
  'nothing of the program comes from `%1`, %2',
  'nothing of the program comes from `%1`, %2 in all',
  'its memory is held during the call, and another shape of it traces again',
  'leave it out, or use it where it was meant to be',
  '`%1` calls Python at each turn of a loop',
  '%1 calls in one run, each with a way to the host and back',
  'a call at each turn, with a way to the host and back',
  'return what is to be seen from the loop, or call it under lax.cond now and then',
  '`%1`%2, %3: donated, and no result is left that has its type',
  'nothing is saved, and the argument is gone after the call',
  'do not donate it, or return a result of that shape and dtype',
  '`%1`%2, %3: returned anew, and not donated',
  'old and new are held at the same time, %1 each',
  'jax.jit(…, donate_argnums=…), if the old one is not used after the call',
  '`%1` makes %2, %3; the largest argument or result has %4',
  'XLA makes it, and keeps %1 for what lies between arguments and results',
  'compute it in parts (lax.map with batch_size, lax.scan), or by a formula without it',
  'a Python loop of %1 turns is unrolled: JAX has recorded %2 eqns for each',
  '%1 of the %2 eqns, which are traced and compiled one by one',
  'lax.scan or lax.fori_loop trace and compile one turn',
  "`%1` asks for float64 and gets float32, as JAX's 64 bits are off",
  'about 7 digits in place of 16',
  'set jax_enable_x64 before any array is made, or ask for float32',
  '`%1` casts %2 to %3, which its %4 siblings do not',
  '%1 that the other layers do not need',
  'look at the dtype of its parameters, or of what it is given',
  '%1 in place of %2, and what follows is %3 too',
  'write a Python number, which takes the dtype of what it meets: `float(…)`',
  'make that one as %1, or write the cast where it is meant',
  'give `%1` the dtype %2, or write the cast where it is meant',
);

const KINDS = new Map([
  ['unlike', () => __('unlike its siblings')],
  ['upcast', () => __('stray upcast')],
  ['float64', () => __('float64 not given')],
  ['unrolled', () => __('unrolled loop')],
  ['constant', () => __('captured constant')],
  ['callback', () => __('callback in a loop')],
  ['blowup', () => __('blow-up')],
  ['donation', () => __('donation')],
  ['unused', () => __('unused argument')],
]);

/** The title of a kind of finding: `stray upcast`. */
export const findingTitle = (kind: string): string => KINDS.get(kind)?.() ?? kind;

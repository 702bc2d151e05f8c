/** What findings are called, and the kernel's sentences on them, from
 * jaxviz/analysis/findings/sentences.py. As in `kernel-words.ts`, `%1` stands for what varies. */
import { __, N_ } from '../language';

export const FINDINGS = N_(
  "`%1` turns %2 into %3, because %4 is an %5 of NumPy's or JAX's",
  '`%1` turns %2 into %3, because it meets an %4 from line %5',
  '`%1` turns %2 into %3, because `%4` is %5',
  '%1 in place of %2, and what follows is %3 too',
  'write a Python number, which takes the dtype of what it meets: `float(…)`',
  'make that one as %1, or write the cast where it is meant',
  'give `%1` the dtype %2, or write the cast where it is meant',
);

const KINDS = new Map([['upcast', () => __('stray upcast')]]);

/** The title of a kind of finding: `stray upcast`. */
export const findingTitle = (kind: string): string => KINDS.get(kind)?.() ?? kind;

/** The kernel's sentences on later stages: why there is none, and what is to be known of one. As in
 * `kernel-words.ts`, `%1` stands for what varies. */
import { __ } from '../language';

type Sentences = readonly [string, (...found: string[]) => string][];

/** Of stages that such a program never has: asking again helps nobody. From `could_end_the_kernel` in jaxviz/capture/refusal.py, jax_objects.py and module_files.py. */
export const REFUSALS: Sentences = [
  [
    'The program is nested %1 levels deep, and compiling it could end the kernel: write the nesting as a lax.scan. jaxviz compiles up to %2 levels.',
    (levels, most) =>
      __(
        'The program is nested %1 levels deep, and compiling it could end the kernel: write the nesting as a lax.scan. jaxviz compiles up to %2 levels.',
        levels,
        most,
      ),
  ],
  [
    'With its calls inlined the program has %1 operations in a row that XLA fuses, and compiling it could end the kernel: write their repetition as a lax.scan. jaxviz compiles up to %2 of them.',
    (count, most) =>
      __(
        'With its calls inlined the program has %1 operations in a row that XLA fuses, and compiling it could end the kernel: write their repetition as a lax.scan. jaxviz compiles up to %2 of them.',
        count,
        most,
      ),
  ],
  [
    'With its calls inlined the program has %1 equations, and compiling it could end the kernel: write what repeats as a lax.scan. jaxviz compiles up to %2 of them.',
    (count, most) =>
      __(
        'With its calls inlined the program has %1 equations, and compiling it could end the kernel: write what repeats as a lax.scan. jaxviz compiles up to %2 of them.',
        count,
        most,
      ),
  ],
  [
    'A %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).',
    (kind) => __('A %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).', kind),
  ],
  [
    'An %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).',
    (kind) => __('An %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).', kind),
  ],
  [
    'An Exported is compiled where it is called. Give jaxviz.inspect a Compiled.',
    () => __('An Exported is compiled where it is called. Give jaxviz.inspect a Compiled.'),
  ],
  [
    'The file does not hold it: it has %1 alone.',
    (held) => __('The file does not hold it: it has %1 alone.', held),
  ],
];

/** From jaxviz/stages.py, jaxviz/capture/jax_objects.py and compiling.py. */
export const NOTES: Sentences = [
  [
    'This was compiled for the CPU by another process, because compiling it could end the kernel.',
    () =>
      __(
        'This was compiled for the CPU by another process, because compiling it could end the kernel.',
      ),
  ],
  [
    'Nobody waited for it any more, so its making was ended: ask again.',
    () => __('Nobody waited for it any more, so its making was ended: ask again.'),
  ],
  [
    'No flops and bytes are known: a part of it runs on each of several devices, and only the jaxpr says on how many.',
    () =>
      __(
        'No flops and bytes are known: a part of it runs on each of several devices, and only the jaxpr says on how many.',
      ),
  ],
  [
    'This was compiled from your Lowered for this view: it has the same instructions, but is not the very executable that lowered.compile() gives.',
    () =>
      __(
        'This was compiled from your Lowered for this view: it has the same instructions, but is not the very executable that lowered.compile() gives.',
      ),
  ],
];

/** The kernel's sentences in the page's language. They come in English, so that only a page in another
 * language reads `kernel-words.ts`, which has what is translated. */
import { N_ } from '../language';

let inPageLanguage = (sentence: string): string => sentence;

/** A sentence of the kernel in the page's language; an unknown sentence stays as it is. */
export const fromKernel = (sentence: string): string => inPageLanguage(sentence);

/** From now on; to be called before anything is shown. */
export function speakForKernel(other: typeof inPageLanguage): void {
  inPageLanguage = other;
}

/** Of stages that such a program never has: asking again helps nobody. */
export const REFUSALS = N_(
  // jaxviz/capture/stages/refusal.py, jax_objects.py, module_files.py
  'The program is nested %1 levels deep, and compiling it could end the kernel: write the nesting as a lax.scan. jaxviz compiles up to %2 levels.',
  'With its calls inlined the program has %1 operations in a row that XLA fuses, and compiling it could end the kernel: write their repetition as a lax.scan. jaxviz compiles up to %2 of them.',
  'With its calls inlined the program has %1 equations, and compiling it could end the kernel: write what repeats as a lax.scan. jaxviz compiles up to %2 of them.',
  'A %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).',
  'An %1 does not hold it. Give jaxviz.inspect the function, or f.trace(…).',
  'An Exported is compiled where it is called. Give jaxviz.inspect a Compiled.',
  'The file does not hold it: it has %1 alone.',
);

/** What a sentence of the kernel matches that has something in its places. */
export function patternOf(english: string): RegExp {
  const escaped = english.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/%\d/g, '(.+?)')}$`, 's');
}

const FINAL = REFUSALS.map(patternOf);

/** Whether a stage that the kernel refused with this sentence is refused whenever it is asked for. */
export const isFinal = (sentence: string): boolean =>
  FINAL.some((pattern) => pattern.test(sentence));

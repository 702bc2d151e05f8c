/** The kernel's sentences in the page's language. They come in English, so that only a page in another
 * language reads `kernel-words.ts`, which has what is translated. */

let inPageLanguage = (sentence: string): string => sentence;

/** A sentence of the kernel in the page's language; an unknown sentence stays as it is. */
export const fromKernel = (sentence: string): string => inPageLanguage(sentence);

/** From now on; to be called before anything is shown. */
export function speakForKernel(other: typeof inPageLanguage): void {
  inPageLanguage = other;
}

/** A sentence of the kernel as the page shows it. It comes in English, so that only a page in another language reads
 * `sentences.ts`, which has what is translated. */
import { thousands, translate, translateCount } from '../language';
import type { Sentence } from '../schema';

/** Sentences within sentences are translated to this depth: a file of a notebook may hold any. */
const MOST_NESTED = 4;

let texts: ReadonlyMap<string, readonly string[]> = new Map();

/** Sets the table of sentences. Call before the first render. */
export function translateSentences(table: typeof texts): void {
  texts = table;
}

export function sentenceText({ key, parts, text }: Sentence, depth = 0): string {
  const [one, more] = texts.get(key) ?? [];
  if (one === undefined || depth > MOST_NESTED) return text;
  const shown = parts.map((part) =>
    typeof part === 'object'
      ? sentenceText(part, depth + 1)
      : typeof part === 'number'
        ? thousands(part)
        : part,
  );
  if (more === undefined) return translate(one, ...shown);
  return translateCount(one, more, Number(parts[0]), ...shown.slice(1));
}

/** A sentence that the page says itself. */
export const pageSentence = (text: string): Sentence => ({ key: '', parts: [], text });

/** What the kernel is doing; the key of a progress word is the word itself. */
export const progressText = (word: string): string =>
  sentenceText({ key: word, parts: [], text: word });

/** True for stages that asking again does not make. */
export const isFinal = ({ key }: Sentence): boolean => key.startsWith('never, ');

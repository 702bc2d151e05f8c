/** The sentences of the kernel in the language of the page. */
import { thousands, translate, translateCount } from '../../language';
import type { Sentence } from '../../schema';

/** Translates sentences within sentences to this depth, because a notebook's file may nest them
 * without end. */
const MOST_NESTED = 4;

let texts: ReadonlyMap<string, readonly string[]> = new Map();

/** Sets the table of sentences. Call before the first render. */
export function translateSentences(table: typeof texts): void {
  texts = table;
}

/** A sentence of the kernel in the page's language; a text of the program stays as it is. */
export function sentenceText(words: Sentence | string, depth = 0): string {
  if (typeof words === 'string') return words;
  const { key, parts, text } = words;
  const [one, more] = texts.get(key) ?? [];
  if (one === undefined || depth > MOST_NESTED) return text;
  const filled = parts.map((part) =>
    typeof part === 'number' ? thousands(part) : sentenceText(part, depth + 1),
  );
  if (more === undefined) return translate(one, ...filled);
  return translateCount(one, more, Number(parts[0]), ...filled.slice(1));
}

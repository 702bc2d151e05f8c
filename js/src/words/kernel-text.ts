/** The sentences and help pages of the kernel in the language of the page. */
import { __, thousands, translate, translateCount } from '../language';
import type { Page, Sentence } from '../schema';

/** Sentences within sentences are translated to this depth: a file of a notebook may hold any. */
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
  const shown = parts.map((part) =>
    typeof part === 'number' ? thousands(part) : sentenceText(part, depth + 1),
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

export type Block =
  | { kind: 'heading' | 'words'; text: string }
  | { kind: 'code'; lines: readonly string[] };

export interface PageText {
  title: string;
  /** Why it is so, in one paragraph. */
  why: string;
  /** What stands below that. */
  more: readonly Block[];
}

/** A page in the language of the reader. */
export function pageText(page: Page): PageText {
  // The name of the language among those of the pages.
  const text = __('en') === 'ko' ? page.ko : page.en;
  const [title = '', why = '', ...more] = blocks(text);
  return { title: spoken(title), why: spoken(why), more: more.map(read) };
}

/** The parts of a page that blank lines separate; those within code do not. */
const blocks = (text: string): string[] =>
  text.match(/^```[\s\S]*?^```$|^(?!```).+(?:\n.+)*/gm) ?? [];

const spoken = (block: string): string => block.replace(/^#+ /, '');

function read(block: string): Block {
  if (block.startsWith('```')) return { kind: 'code', lines: block.split('\n').slice(1, -1) };
  return { kind: block.startsWith('#') ? 'heading' : 'words', text: spoken(block) };
}

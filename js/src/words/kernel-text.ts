/** The help pages of the kernel in the language of the page, and words made of its sentences. */
import { sentenceText } from '../facts/text/sentence-text';
import { __ } from '../language';
import type { Page, Sentence } from '../schema';

/** A sentence of the page itself. */
export const pageSentence = (text: string): Sentence => ({ key: '', parts: [], text });

/** The kernel's progress. The key of a progress word is the word itself. */
export const progressText = (word: string): string =>
  sentenceText({ key: word, parts: [], text: word });

/** True if a stage can never be made. */
export const isFinal = ({ key }: Sentence): boolean => key.startsWith('never, ');

export type Block =
  | { kind: 'heading' | 'words'; text: string }
  | { kind: 'code'; lines: readonly string[] };

export interface PageText {
  title: string;
  /** The words at the end of the title that people search, such as the exceptions, with parentheses. */
  searched: string;
  /** The reason, in one paragraph. */
  why: string;
  /** The text below the reason. */
  more: readonly Block[];
}

/** A help page in the reader's language. */
export function pageText(page: Page): PageText {
  // `en` is translated as the name of the page's language.
  const text = __('en') === 'ko' ? page.ko : page.en;
  const [heading = '', why = '', ...more] = blocks(text);
  const [, title = '', searched = ''] = /^(.*?)( \([^()]*\))?$/s.exec(withoutMarks(heading)) ?? [];
  return { title, searched, why: withoutMarks(why), more: more.map(read) };
}

/** The parts of a help page that blank lines separate; blank lines in code do not count. */
const blocks = (text: string): string[] =>
  text.match(/^```[\s\S]*?^```$|^(?!```).+(?:\n.+)*/gm) ?? [];

const withoutMarks = (block: string): string => block.replace(/^#+ /, '');

function read(block: string): Block {
  if (block.startsWith('```')) return { kind: 'code', lines: block.split('\n').slice(1, -1) };
  return { kind: block.startsWith('#') ? 'heading' : 'words', text: withoutMarks(block) };
}

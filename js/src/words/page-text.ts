/** Pages of text on kinds of errors (`jaxviz/pages`): the language that is read, and the little Markdown that they
 * are written in, which `tests/errors/test_pages.py` holds them to. */
import { __ } from '../language';
import type { Page } from '../schema';

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

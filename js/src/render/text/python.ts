/** Colours the user's Python code. */
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

/** A stretch of a line of Python, with the class of its colour; that is empty where it has none. */
export interface Token {
  text: string;
  look: string;
}

const highlighter = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword, tags.self], class: 'jxv-py-keyword' },
  { tag: tags.string, class: 'jxv-py-string' },
  { tag: tags.comment, class: 'jxv-py-comment' },
  { tag: [tags.number, tags.bool, tags.null], class: 'jxv-py-number' },
  { tag: tags.definition(tags.function(tags.variableName)), class: 'jxv-py-name' },
  { tag: [tags.definition(tags.className), tags.meta], class: 'jxv-py-name' },
]);

/** The lines of a piece of Python in its colours, whole or cut out of a file. */
export function pythonLines(code: string): Token[][] {
  const lines: Token[][] = [[]];
  highlightCode(
    code,
    parser.parse(code),
    highlighter,
    (text, look) => lines.at(-1)?.push({ text, look }),
    () => lines.push([]),
  );
  return lines;
}

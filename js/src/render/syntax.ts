/** Colours the text of stages and the user's Python code. */
import { highlightCode, tagHighlighter, tags } from '@lezer/highlight';
import { parser } from '@lezer/python';

/** Which words of a stage's text are coloured. Each kind of stage is in a language of its own. */
export interface Syntax {
  /** Has one group for each of the classes. */
  pattern: RegExp;
  classes: readonly string[];
}

/** The CSS class of each group of a pattern. */
const WORD_CLASSES = ['keyword', 'type', 'param', 'var', 'string'].map((name) => `jxv-t-${name}`);

/** A group that matches nothing. */
const NEVER = '(?!)';

const syntax = (...groups: readonly string[]): Syntax => ({
  pattern: new RegExp(groups.map((group) => `(${group})`).join('|'), 'g'),
  classes: WORD_CLASSES,
});

/** A dtype, as a jaxpr prints it. */
const DTYPE = '(?:bool|float0|key<\\w*>|bf16|[fiuc]\\d+(?:_\\w+)?|token)';
/** `{ lambda`, `let` and `in`; a type; a parameter's name; a variable where it is bound. */
const JAXPR = syntax(
  '\\{ lambda|\\blambda\\b|\\blet\\b|\\bin\\b',
  `~?\\b${DTYPE}\\[[^\\]\\n]*\\]~?`,
  '\\b[A-Za-z_]\\w*(?==)',
  '\\b[a-z]+_?(?=:)',
  NEVER,
);

/** A string. It is matched whole, so that nothing in it counts as a word. */
const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';

const STABLEHLO = syntax(
  '\\b(?:module|func\\.func|public|private|attributes|(?:stablehlo\\.|func\\.|sdy\\.)?return|cond|do|applies|across|init)\\b',
  '\\btensor<[^>\\n]*>|![\\w.]+(?:<[^>\\n]*>)?',
  '\\b[A-Za-z_][\\w.]*(?= = )',
  '%[\\w#]+(?=(?::\\d+)? = )|%\\w+(?=: )',
  STRING,
);

const HLO = syntax(
  '\\b(?:HloModule|ENTRY|ROOT)\\b',
  '\\b(?:pred|token|opaque|bf16|[suf]\\d+\\w*|c64|c128)\\[[^\\]\\n]*\\](?:\\{[^}\\n]*\\})?',
  '\\b[A-Za-z_]\\w*(?==)',
  '%[\\w.-]+(?= = )|\\b[\\w.-]+(?=: (?:\\(|[a-z]+\\d*\\[))',
  STRING,
);

const SYNTAX_OF_STAGE = new Map([
  ['stablehlo', STABLEHLO],
  ['hlo', HLO],
]);

/** The syntax of a kind of stage. */
export const syntaxOf = (kind: string): Syntax => SYNTAX_OF_STAGE.get(kind) ?? JAXPR;

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

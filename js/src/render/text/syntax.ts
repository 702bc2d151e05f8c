/** Colours the text of stages: each kind is in a language of its own. */
import { plainKind } from '../../facts/kinds';

/** Which words of a stage's text are coloured. Each kind of stage is in a language of its own. */
export interface Syntax {
  /** Has one group for each of the classes. */
  pattern: RegExp;
  classes: readonly string[];
}

/** The CSS class of each group of a pattern. */
const WORD_CLASSES = ['keyword', 'type', 'param', 'var', 'string', 'arrow'].map(
  (name) => `jxv-t-${name}`,
);

/** A group that matches nothing. */
const NEVER = '(?!)';

const syntax = (...groups: readonly string[]): Syntax => ({
  pattern: new RegExp([...groups, '->|-inf\\b'].map((group) => `(${group})`).join('|'), 'g'),
  classes: WORD_CLASSES,
});

/** A dtype, as a jaxpr prints it. */
const DTYPE = '(?:bool|float0|key<\\w*>|bf16|[fiuc]\\d+(?:_\\w+)?|token)';
/** `{ lambda`, `let` and `in`; a type; a parameter's name; a variable where it is bound. */
const JAXPR = syntax(
  '\\{ lambda|\\blambda\\b|\\blet\\b|\\bin\\b',
  `~?\\b${DTYPE}\\[[^\\]\\n]*\\]~?`,
  '\\b[A-Za-z_]\\w*=',
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
  '\\b[A-Za-z_]\\w*=',
  '%[\\w.-]+(?= = )|\\b[\\w.-]+(?=: (?:\\(|[a-z]+\\d*\\[))',
  STRING,
);

const SYNTAX_OF_STAGE = new Map([
  ['stablehlo', STABLEHLO],
  ['hlo', HLO],
]);

/** The syntax of a kind of stage. */
export const syntaxOf = (kind: string): Syntax => SYNTAX_OF_STAGE.get(plainKind(kind)) ?? JAXPR;

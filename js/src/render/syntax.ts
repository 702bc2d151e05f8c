/** The words of a stage's text that are coloured: what each kind of stage has in its own language. */
export interface Syntax {
  /** One group for each of the classes. */
  pattern: RegExp;
  classes: readonly string[];
}

const CLASSES = ['keyword', 'type', 'param', 'var', 'string'].map((name) => `jxv-t-${name}`);

/** A group that matches nothing. */
const NOTHING = '(?!)';

const syntax = (...groups: readonly string[]): Syntax => ({
  pattern: new RegExp(groups.map((group) => `(${group})`).join('|'), 'g'),
  classes: CLASSES,
});

const DTYPE = '(?:bool|float0|key<\\w*>|bf16|[fiuc]\\d+(?:_\\w+)?|token)';
/** `{ lambda`, `let` and `in`; a type; a parameter's name; a variable where it is bound. */
const JAXPR = syntax(
  '\\{ lambda|\\blambda\\b|\\blet\\b|\\bin\\b',
  `~?\\b${DTYPE}\\[[^\\]\\n]*\\]~?`,
  '\\b[A-Za-z_]\\w*(?==)',
  '\\b[a-z]+_?(?=:)',
  NOTHING,
);

/** Strings come first where they begin: nothing in them is a word. */
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

const KINDS = new Map([
  ['stablehlo', STABLEHLO],
  ['hlo', HLO],
]);

export const syntaxOf = (kind: string): Syntax => KINDS.get(kind) ?? JAXPR;

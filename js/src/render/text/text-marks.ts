/** Marks in a stage's text: the colours of its words, and the selected, hovered, found or linked eqns. */
import { type EditorState, type Range as Marked, StateEffect, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';
import { plainKind } from '../../facts/kinds';
import { type Range, spanAt, spansIn } from '../../facts/text/spans';
import type { Stage } from '../../schema';

/** The marked ranges of a text, each of an eqn. */
export interface Lit {
  selected: Range | null;
  hovered: readonly Range[];
  /** The ranges linked to a selection elsewhere. */
  linked: readonly LinkedRange[];
  match: Range | null;
  matches: readonly Range[];
}

export interface LinkedRange extends Range {
  guess: boolean;
}

export const NOTHING_LIT: Lit = {
  selected: null,
  hovered: [],
  linked: [],
  match: null,
  matches: [],
};

/** The effect that changes the marked ranges. */
export const light = StateEffect.define<Lit>();

const litField = StateField.define<Lit>({
  create: () => NOTHING_LIT,
  update: (lit, { effects }) => effects.find((effect) => effect.is(light))?.value ?? lit,
});

/** The colours, from 1, of the source lines that an eqn was made from. */
export type TintsOf = (graph: number, eqn: number) => readonly number[];

/** The colours of words and the marks, made only for the lines in view. */
export function marks(stage: Stage, tints: TintsOf | null) {
  return [
    litField,
    plugin((view) => syntax(stage, view)),
    plugin((view) => lighting(stage, view)),
    ...(tints ? [plugin((view) => bars(stage, tints, view))] : []),
  ];
}

function plugin(make: (view: EditorView) => Marked<Decoration>[]) {
  return ViewPlugin.define(
    (view) => ({
      set: Decoration.set(make(view), true) as DecorationSet,
      update(update: ViewUpdate) {
        if (update.viewportChanged || update.transactions.length > 0) {
          this.set = Decoration.set(make(update.view), true);
        }
      },
    }),
    { decorations: (value) => value.set },
  );
}

/** A line with more characters than this is not coloured. */
const LONGEST_LINE = 5_000;

/** The colours of the words in view. */
function syntax(stage: Stage, view: EditorView): Marked<Decoration>[] {
  const found: Marked<Decoration>[] = [];
  const { doc } = view.state;
  const { pattern, classes } = syntaxOf(stage.kind);
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to; ) {
      const line = doc.lineAt(at);
      at = line.to + 1;
      const indent = line.text.search(/\S/);
      if (indent >= 0) found.push(hanging(indent).range(line.from));
      if (indent > 0) found.push(INDENT.range(line.from, line.from + indent + 1));
      for (const match of line.text.slice(0, LONGEST_LINE).matchAll(pattern)) {
        const kind = match.slice(1).findIndex((group) => group !== undefined);
        const start = line.from + match.index;
        found.push(mark(classes[kind] ?? '').range(start, start + match[0].length));
      }
    }
    found.push(...primitives(stage, view.state, { from, to }));
  }
  return found;
}

/** A wrapped line continues two characters right of its beginning. */
const hanging = (indent: number) =>
  Decoration.line({
    attributes: { style: `padding-left:calc(2px + ${indent + 2}ch);text-indent:-${indent + 2}ch` },
  });

/** The leading blanks of a line and one more character: a line that begins with a long word breaks within the word,
 * not before it. */
const INDENT = Decoration.mark({ class: 'jxv-t-indent' });

const mark = (name: string) => Decoration.mark({ class: name });

/** The names of primitives in a range. */
function primitives(stage: Stage, state: EditorState, range: Range): Marked<Decoration>[] {
  return spansIn(stage, range).flatMap(({ from, to, graph, eqn }) => {
    const op = stage.graphs[graph]?.eqns[eqn]?.op ?? '';
    const text = state.sliceDoc(from, Math.min(to, from + LONGEST_LINE));
    const begins = text.startsWith(op);
    const at = begins ? 0 : Math.max(text.indexOf(` ${op}`), text.indexOf(`"${op}"`)) + 1;
    return op !== '' && (begins || at > 0)
      ? [mark('jxv-t-primitive').range(from + at, from + at + op.length)]
      : [];
  });
}

/** The marks in view. */
function lighting(stage: Stage, { state, visibleRanges }: EditorView): Marked<Decoration>[] {
  const found: Marked<Decoration>[] = [];
  const lit = state.field(litField);
  for (const seen of visibleRanges) {
    for (const match of lit.matches) {
      if (overlaps(match, seen)) found.push(firstLine(state, match, 'jxv-t-match'));
    }
    if (lit.match && overlaps(lit.match, seen)) {
      found.push(firstLine(state, lit.match, 'jxv-t-match-now'));
    }
    for (const one of lit.hovered) found.push(...lines(stage, state, one, seen, 'jxv-l-hovered'));
    for (const one of lit.linked) {
      found.push(...lines(stage, state, one, seen, one.guess ? 'jxv-l-guess' : 'jxv-l-linked'));
    }
    found.push(...lines(stage, state, lit.selected, seen, 'jxv-l-selected'));
  }
  return found;
}

const overlaps = (one: Range, other: Range): boolean => one.from <= other.to && other.from < one.to;

/** Marks the first line of a range. */
function firstLine(state: EditorState, { from, to }: Range, name: string): Marked<Decoration> {
  return mark(name).range(from, Math.max(from + 1, Math.min(to, state.doc.lineAt(from).to)));
}

/** Marks the lines of a range: those before the first eqn within it whole, the others with a bar. */
function lines(
  stage: Stage,
  { doc }: EditorState,
  range: Range | null,
  seen: Range,
  name: string,
): Marked<Decoration>[] {
  if (!range || !overlaps(range, seen)) return [];
  const found: Marked<Decoration>[] = [];
  const first = doc.lineAt(range.from).from;
  const inner = spansIn(stage, { from: range.from + 1, to: range.to })[0]?.from ?? range.to;
  const stop = Math.min(range.to, seen.to + 1);
  for (let at = Math.max(range.from, seen.from); at < stop; ) {
    const line = doc.lineAt(at);
    const own = line.from === first || line.to < inner || inner === range.to;
    found.push(Decoration.line({ class: own ? name : `${name}-in` }).range(line.from));
    at = line.to + 1;
  }
  return found;
}

/** A bar before each line, in the colours of the source lines that it was made from. */
function bars(stage: Stage, tints: TintsOf, view: EditorView): Marked<Decoration>[] {
  const found: Marked<Decoration>[] = [];
  const { doc } = view.state;
  for (const seen of view.visibleRanges) {
    for (let at = seen.from; at <= seen.to; ) {
      const line = doc.lineAt(at);
      at = line.to + 1;
      const indent = line.text.search(/\S/);
      const begun = spansIn(stage, { from: line.from, to: line.to })[0];
      const span = begun ?? (indent < 0 ? null : spanAt(stage, line.from + indent));
      const own = span ? tints(span.graph, span.eqn) : [];
      if (own.length > 0) found.push(bar(own).range(line.from));
    }
  }
  return found;
}

/** The bar before a line. Several colours stand one above the other. */
function bar(tints: readonly number[]): Decoration {
  const colours = tints.map((one) => `var(--jxv-tint${one})`);
  const step = 100 / colours.length;
  const stops = colours.map((one, index) => `${one} ${index * step}% ${(index + 1) * step}%`);
  const image = `linear-gradient(${stops.join(',')})`;
  const style = `--jxv-bar:${image};--jxv-wash:var(--jxv-scope${tints[0]}-fill)`;
  return Decoration.line({ class: 'jxv-bar-line', attributes: { style } });
}

/** The words of a stage's text that are coloured. Each kind of stage has its own language. */
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

const syntaxFor = (...groups: readonly string[]): Syntax => ({
  pattern: new RegExp([...groups, '->|-inf\\b'].map((group) => `(${group})`).join('|'), 'g'),
  classes: WORD_CLASSES,
});

/** A dtype, as a jaxpr prints it. */
const DTYPE = '(?:bool|float0|key<\\w*>|bf16|[fiuc]\\d+(?:_\\w+)?|token)';
/** `{ lambda`, `let` and `in`; a type; a parameter's name; a variable where it is bound. */
const JAXPR = syntaxFor(
  '\\{ lambda|\\blambda\\b|\\blet\\b|\\bin\\b',
  `~?\\b${DTYPE}\\[[^\\]\\n]*\\]~?`,
  '\\b[A-Za-z_]\\w*=',
  '\\b[a-z]+_?(?=:)',
  NEVER,
);

/** A string. It is matched whole, so that nothing in it counts as a word. */
const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';

const STABLEHLO = syntaxFor(
  '\\b(?:module|func\\.func|public|private|attributes|(?:stablehlo\\.|func\\.|sdy\\.)?return|cond|do|applies|across|init)\\b',
  '\\btensor<[^>\\n]*>|![\\w.]+(?:<[^>\\n]*>)?',
  '\\b[A-Za-z_][\\w.]*(?= = )',
  '%[\\w#]+(?=(?::\\d+)? = )|%\\w+(?=: )',
  STRING,
);

const HLO = syntaxFor(
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

export const syntaxOf = (kind: string): Syntax => SYNTAX_OF_STAGE.get(plainKind(kind)) ?? JAXPR;

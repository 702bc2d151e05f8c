/** The differences between two programs in words: the summary line, and the facts of the details. */
import {
  ADDED,
  changesOf,
  DIFFERENCE_KINDS,
  type DifferenceKind,
  type Differences,
  kindsIn,
  MOVED,
  markOf,
  numberOf,
  numberOfEnd,
  REMOVED,
} from '../facts/differences';
import { allEqns, graphAt } from '../facts/graph';
import { type Id, parse } from '../facts/ids';
import { children } from '../facts/outline';
import { middle } from '../facts/text/describe';
import { sentenceText } from '../facts/text/sentence-text';
import { __, _n } from '../language';
import type { Change, Stage } from '../schema';
import { capped, eqnsText, type Fact, type Part, words } from './fact-parts';

/** A part of the summary line. */
export interface SummaryPart {
  /** Null for inputs and results, and if nothing differs. */
  kind: DifferenceKind | null;
  text: string;
}

/** The parts of the summary: `2 added`, `1 removed`, `41 types changed`, `1 input differs`. If
 * nothing differs, one part that says so. */
export function summaryOf({ counts, compared, same }: Differences, stage: Stage): SummaryPart[] {
  const unknown = compared.unknown.length === 0 ? [] : [end(notCompared(compared.unknown))];
  if (same) {
    const eqns = eqnsText(stage, allEqns(stage));
    return [end(__('Both programs are the same: %1', eqns)), ...unknown];
  }
  const eqns = DIFFERENCE_KINDS.flatMap(({ kind, counted }, index): SummaryPart[] =>
    counts[index] ? [{ kind, text: counted(counts[index]) }] : [],
  );
  const results = new Set(stage.graphs[0]?.results);
  const values = compared.inputs.filter(({ kind }) => kind === 'values').length;
  const ends = compared.inputs.filter(({ kind }) => kind !== 'values' && kind !== 'moved');
  const moved = compared.inputs.filter(({ kind }) => kind === 'moved');
  const movedOut = moved.filter(({ where }) => results.has(where)).length;
  const movedIn = moved.length - movedOut;
  const paths = [...new Set(ends.map(({ where }) => where))];
  const inputs = paths.filter((path) => !results.has(path)).length;
  const outputs = paths.length - inputs;
  return [
    ...eqns,
    ...(inputs === 0 ? [] : [end(_n('%1 input differs', '%1 inputs differ', inputs))]),
    ...(outputs === 0 ? [] : [end(_n('%1 result differs', '%1 results differ', outputs))]),
    ...(movedIn === 0 ? [] : [end(_n('%1 input moved', '%1 inputs moved', movedIn))]),
    ...(movedOut === 0 ? [] : [end(_n('%1 result moved', '%1 results moved', movedOut))]),
    ...(values === 0
      ? []
      : [
          end(
            _n(
              '%1 closed-over array has other values',
              '%1 closed-over arrays have other values',
              values,
            ),
          ),
        ]),
    ...unknown,
  ];
}

/** The most arrays without compared values that are named. */
const MOST_NAMED = 3;

function notCompared(unknown: readonly string[]): string {
  const names = [...new Set(unknown)].map((name) => middle(name, LONGEST_PATH));
  const more = names.length > MOST_NAMED ? ', …' : '';
  return __('values not compared: %1', names.slice(0, MOST_NAMED).join(', ') + more);
}

const end = (text: string): SummaryPart => ({ kind: null, text });

/** The difference of an item in words; empty if it does not differ. */
export function differenceText(differences: Differences, stage: Stage, id: Id): string {
  const mark = markOf(differences, stage, id);
  const own = mark
    ? [changeText(numberOf(mark.kind), mark)]
    : changesOf(differences, stage, id).map((change) => changeText(numberOfEnd(change), change));
  return [...own, ...innerWords(differences, stage, id)].join(', ');
}

function changeText(kind: number, { before, after }: BeforeAndAfter): string {
  const label = labelOf(kind);
  if (isWhole(kind) || before === '') return label;
  return __('%1 from %2 to %3', label, sentenceText(before), sentenceText(after));
}

const labelOf = (kind: number): string => DIFFERENCE_KINDS[kind]?.label() ?? '';

/** True if the kind itself is the whole difference. */
const isWhole = (kind: number): boolean => kind === ADDED || kind === REMOVED;

type BeforeAndAfter = Pick<Change, 'before' | 'after'>;

/** The differences inside an item: `2 added · 1 removed inside`. */
function innerWords(differences: Differences, stage: Stage, id: Id): string[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  const hasContents =
    step.kind === 'group' ||
    step.kind === 'body' ||
    (step.kind === 'eqn' && (graph?.eqns[step.index]?.bodies.length ?? 0) > 0);
  if (!hasContents) return [];
  const inner = new Uint32Array(DIFFERENCE_KINDS.length);
  for (const item of children(stage, id)) {
    if (item.start === item.stop) continue;
    kindsIn(differences, stage, item).forEach((some, kind) => {
      if (kind < inner.length) inner[kind]! += some;
    });
  }
  const texts = DIFFERENCE_KINDS.flatMap(({ counted }, kind) =>
    inner[kind] ? [counted(inner[kind])] : [],
  );
  return texts.length === 0 ? [] : [__('%1 inside', texts.join(' · '))];
}

/** The first facts in the details of a comparison: the item's difference, with the values before and
 * after. */
export function differenceFacts(differences: Differences, stage: Stage, id: Id): Fact[] {
  const mark = markOf(differences, stage, id);
  const inner = innerWords(differences, stage, id).map((text) => ({
    name: __('differs'),
    value: [words(text)],
  }));
  const own = mark
    ? [factOf(labelOf(numberOf(mark.kind)), numberOf(mark.kind), mark)]
    : changesOf(differences, stage, id).map((change) => {
        const kind = numberOfEnd(change);
        return factOf(isWhole(kind) ? labelOf(kind) : change.kind, kind, change);
      });
  return [...capped(own, (n) => _n('and %1 more change', 'and %1 more changes', n)), ...inner];
}

/** The most inputs and results that are listed without a selection, and the most characters of their
 * paths. */
const MOST_ENDS = 6;
const LONGEST_PATH = 36;

/** The differences of inputs and results, by path. A long path loses its beginning, because its end
 * says more. */
export function endFacts({ compared: { inputs } }: Differences): Fact[] {
  const facts = inputs.slice(0, MOST_ENDS).map((change) => {
    const name = change.where || change.kind;
    const cut = name.length > LONGEST_PATH ? `…${name.slice(1 - LONGEST_PATH)}` : name;
    return factOf(cut, numberOfEnd(change), change);
  });
  const rest = inputs.length - facts.length;
  if (rest === 0) return facts;
  return [...facts, { name: '…', value: [words(restText(rest))] }];
}

const restText = (rest: number): string =>
  _n('and %1 more difference', 'and %1 more differences', rest);

function factOf(name: string, kind: number, change: BeforeAndAfter): Fact {
  const [before, after] = [sentenceText(change.before), sentenceText(change.after)];
  if (kind === MOVED && before === '')
    return { name, value: [words(__('the same in another place'))] };
  if (kind === ADDED) return { name, value: [words(__('only in the later program'))] };
  if (kind === REMOVED) return { name, value: [words(__('only in the earlier program'))] };
  const param = paramOf(before);
  const isParam = param !== '' && param === paramOf(after);
  const shown = (text: string) => (isParam ? text.slice(param.length + 1) : text);
  const value: Part[] = [
    ...(isParam ? [words(param)] : []),
    { kind: 'before', text: shown(before) },
    words('→'),
    { kind: 'after', text: shown(after) },
  ];
  return { name, value };
}

/** `axes` for `axes=(0,)`; empty for other texts. */
const paramOf = (text: string): string => /^(\w+)=[^=]*$/.exec(text)?.[1] ?? '';

import type { Change, Stage } from '../../schema';
import { graphAt, totals } from '../graph';
import { type Id, parse } from '../ids';
import { children } from '../outline';
import { capped, count, type Fact, type Part, words } from '../parts';
import { changesOf, type Differences, kindsIn, markOf } from './differences';
import { CHANGED, KINDS, type Kind, numberOf, SAME } from './kinds';

/** A part of the one line that tells how two programs differ. */
export interface Told {
  /** Null of inputs and results, and where nothing differs. */
  kind: Kind | null;
  text: string;
}

/** `2 added`, `1 removed`, `41 types changed`, `1 input differs`; or that nothing differs. */
export function told({ counts, compared, same }: Differences, stage: Stage): Told[] {
  if (same) {
    const eqns = count(totals(stage)[0] ?? 0, 'eqn');
    return [{ kind: null, text: `Both programs are the same: ${eqns}` }];
  }
  const eqns = KINDS.flatMap(({ kind, label }, index): Told[] =>
    counts[index] ? [{ kind, text: counted(counts[index], label) }] : [],
  );
  const results = new Set(stage.graphs[0]?.results);
  const paths = [...new Set(compared.inputs.map(({ where }) => where))];
  const ends = [
    [paths.filter((path) => !results.has(path)).length, 'input'],
    [paths.filter((path) => results.has(path)).length, 'result'],
  ] as const;
  const differ = ends.flatMap(([some, one]): Told[] => {
    if (some === 0) return [];
    return [{ kind: null, text: `${count(some, one)} ${some === 1 ? 'differs' : 'differ'}` }];
  });
  return [...eqns, ...differ];
}

/** `41 types changed`, `1 type changed`. */
const counted = (some: number, label: string): string =>
  `${some.toLocaleString('en')} ${some === 1 ? label.replace('types', 'type') : label}`;

/** How an item differs, in words; empty where it does not. */
export function spokenDifference(differences: Differences, stage: Stage, id: Id): string {
  const mark = markOf(differences, stage, id);
  const own = mark ? [saidOf(mark)] : changesOf(differences, stage, id).map(saidOf);
  return [...own, ...heldWords(differences, stage, id)].join(', ');
}

function saidOf({ kind, before, after }: Pick<Change, 'kind' | 'before' | 'after'>): string {
  const number = numberOf(kind);
  const label = number === SAME ? 'changed' : (KINDS[number]?.label ?? '');
  return before === '' && after === '' ? label : `${label} from ${before} to ${after}`;
}

/** `2 added and 1 removed inside`. */
function heldWords(differences: Differences, stage: Stage, id: Id): string[] {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  const isHolder =
    step.kind === 'group' ||
    step.kind === 'body' ||
    (step.kind === 'eqn' && (graph?.eqns[step.index]?.bodies.length ?? 0) > 0);
  if (!isHolder) return [];
  const held = new Uint32Array(KINDS.length);
  for (const item of children(stage, id)) {
    if (item.start === item.stop) continue;
    kindsIn(differences, stage, item).forEach((some, kind) => {
      if (kind < held.length) held[kind]! += some;
    });
  }
  const said = KINDS.flatMap(({ label }, kind) => (held[kind] ? [counted(held[kind], label)] : []));
  return said.length === 0 ? [] : [`${said.join(' · ')} inside`];
}

/** What is told of it before all else: that it was added, what it was and what it is. */
export function differenceFacts(differences: Differences, stage: Stage, id: Id): Fact[] {
  const mark = markOf(differences, stage, id);
  const held = heldWords(differences, stage, id).map((text) => ({
    name: 'differs',
    value: [words(text)],
  }));
  const own = mark
    ? [factOf(KINDS[numberOf(mark.kind)]?.label ?? '', mark)]
    : changesOf(differences, stage, id).map((change) => factOf(nameOf(change), change));
  return [...capped(own, 'change'), ...held];
}

/** All differences of inputs and results, by their paths. */
export function inputFacts({ compared }: Differences): Fact[] {
  const facts = compared.inputs.map((change) => {
    const { where, kind } = change;
    return factOf(where === '' ? kind : where, change);
  });
  return capped(facts, 'difference');
}

const nameOf = ({ kind }: Change): string => `${kind} differs`;

function factOf(name: string, { kind, before, after }: Pick<Change, 'kind' | 'before' | 'after'>) {
  const isOf = (number: number) => numberOf(kind) === number;
  const value: Part[] =
    before === '' && after === ''
      ? [words(isOf(CHANGED) ? 'differs' : `only in the ${isOf(0) ? 'later' : 'earlier'} program`)]
      : [{ kind: 'before', text: before }, words('→'), { kind: 'after', text: after }];
  return { name, value };
}

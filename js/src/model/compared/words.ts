import type { Mark, Stage } from '../../schema';
import { graphAt, totals } from '../graph';
import { type Id, parse } from '../ids';
import { children } from '../outline';
import { capped, count, type Fact, type Part, words } from '../parts';
import { changesOf, type Differences, kindsIn, markOf } from './differences';
import { ADDED, KINDS, type Kind, numberOf, numberOfEnd, REMOVED } from './kinds';

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
  const own = mark
    ? [spoken(numberOf(mark.kind), mark)]
    : changesOf(differences, stage, id).map((change) => spoken(numberOfEnd(change), change));
  return [...own, ...heldWords(differences, stage, id)].join(', ');
}

function spoken(kind: number, { before, after }: Both): string {
  const label = KINDS[kind]?.label ?? '';
  return isWhole(kind) ? label : `${label} from ${before} to ${after}`;
}

/** What there is to say of it is that it was added, or removed. */
const isWhole = (kind: number): boolean => kind === ADDED || kind === REMOVED;

type Both = Pick<Mark, 'before' | 'after'>;

/** `2 added · 1 removed inside`. */
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
    ? [factOf(KINDS[numberOf(mark.kind)]?.label ?? '', numberOf(mark.kind), mark)]
    : changesOf(differences, stage, id).map((change) => {
        const kind = numberOfEnd(change);
        return factOf(isWhole(kind) ? (KINDS[kind]?.label ?? '') : change.kind, kind, change);
      });
  return [...capped(own, 'change'), ...held];
}

/** Inputs and results that are told of while nothing is selected, and columns of their paths. */
const FEW = 6;
const LONGEST = 36;

/** How inputs and results differ, by their paths, of which the end tells the most. */
export function endFacts({ compared: { inputs } }: Differences): Fact[] {
  const facts = inputs.slice(0, FEW).map((change) => {
    const name = change.where || change.kind;
    const cut = name.length > LONGEST ? `…${name.slice(1 - LONGEST)}` : name;
    return factOf(cut, numberOfEnd(change), change);
  });
  const rest = inputs.length - facts.length;
  if (rest === 0) return facts;
  return [...facts, { name: '…', value: [words(`and ${count(rest, 'more difference')}`)] }];
}

function factOf(name: string, kind: number, { before, after }: Both): Fact {
  if (kind === ADDED) return { name, value: [words('only in the later program')] };
  if (kind === REMOVED) return { name, value: [words('only in the earlier program')] };
  const param = paramOf(before);
  const named = param !== '' && param === paramOf(after);
  const shown = (text: string) => (named ? text.slice(param.length + 1) : text);
  const value: Part[] = [
    ...(named ? [words(param)] : []),
    { kind: 'before', text: shown(before) },
    words('→'),
    { kind: 'after', text: shown(after) },
  ];
  return { name, value };
}

/** `axes` of `axes=(0,)`; empty of anything else. */
const paramOf = (text: string): string => /^(\w+)=[^=]*$/.exec(text)?.[1] ?? '';

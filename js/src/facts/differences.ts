/** The differences of two compared programs, of five kinds, read from the program into which the kernel merges both. */
import { __, _n } from '../language';
import type { Change, Compared, Graph, Mark, Program, Stage } from '../schema';
import { type Census, censusOf, countsIn } from './colours/census';
import { bindersNamed, bindersOf, eqnAt, graphAt } from './graph';
import { type Binder, type Id, parse, pathOf, ROOT } from './ids';
import { gather } from './maps';
import type { Item } from './outline';

/** The kinds of difference of an eqn. */
export type DifferenceKind = 'added' | 'removed' | 'changed' | 'moved' | 'retyped';

export interface KindOf {
  kind: DifferenceKind;
  /** A character with the same meaning as the colour. */
  sign: string;
  label: () => string;
  /** The number of eqns of this kind, in words. */
  counted: (eqns: number) => string;
  about: () => string;
}

/** All kinds, in the order in which the page lists them. */
export const DIFFERENCE_KINDS: readonly KindOf[] = [
  {
    kind: 'added',
    sign: '+',
    label: () => __('added'),
    counted: (eqns) => _n('%1 added', '%1 added', eqns),
    about: () => __('Only in the later program'),
  },
  {
    kind: 'removed',
    sign: '−',
    label: () => __('removed'),
    counted: (eqns) => _n('%1 removed', '%1 removed', eqns),
    about: () => __('Only in the earlier program'),
  },
  {
    kind: 'changed',
    sign: '~',
    label: () => __('changed'),
    counted: (eqns) => _n('%1 changed', '%1 changed', eqns),
    about: () => __('Its params differ'),
  },
  {
    kind: 'moved',
    sign: '>',
    label: () => __('moved'),
    counted: (eqns) => _n('%1 eqn moved', '%1 eqns moved', eqns),
    about: () => __('The same, in another place'),
  },
  {
    kind: 'retyped',
    sign: ':',
    label: () => __('types changed'),
    counted: (eqns) => _n('%1 type changed', '%1 types changed', eqns),
    about: () => __('The same, except for the types of its results'),
  },
];

/** The kinds as numbers: indices into `DIFFERENCE_KINDS`, and `SAME` for no difference. */
export const [ADDED, REMOVED, CHANGED, MOVED, RETYPED, SAME] = [0, 1, 2, 3, 4, 5] as const;

/** True if a kind is marked on the picture. A changed type is not: if the types of inputs differ, all types that
 * depend on them do. */
export const isLoud = (kind: number): boolean => kind < RETYPED;

const NUMBER_OF_KIND = new Map<string, number>(
  DIFFERENCE_KINDS.map(({ kind }, index) => [kind, index]),
);

/** The text of a change for an input or a result that one of the programs lacks. */
const ABSENT = 'absent';

/** The kind of difference of an input or a result. */
export function numberOfEnd({ kind, before, after }: Change): number {
  if (kind === 'moved') return MOVED;
  return before === ABSENT ? ADDED : after === ABSENT ? REMOVED : CHANGED;
}

/** The number of a kind by its name, `SAME` for any other text. */
export const numberOf = (kind: string): number => NUMBER_OF_KIND.get(kind) ?? SAME;

/** The differences of two programs, on the one stage into which the kernel merged both. */
export interface Differences {
  compared: Compared;
  /** The kind of difference of each eqn, and the number of eqns of each kind in each graph. */
  census: Census;
  /** The number of eqns of each kind; eqns of shared bodies count once. */
  counts: readonly number[];
  /** For each graph, the marks of its eqns that differ, by the eqn's index. */
  marks: ReadonlyMap<Graph, ReadonlyMap<number, Mark>>;
  /** The differences of inputs and results, by their paths (`params['w']`). */
  ends: ReadonlyMap<string, readonly Change[]>;
  /** True if nothing differs. */
  same: boolean;
}

/** The differences that a program shows; null if it is no comparison. */
export function differencesOf({ compared, stages: [stage] }: Program): Differences | null {
  if (!compared || !stage) return null;
  const marks = new Map<Graph, Map<number, Mark>>();
  let next = 0;
  let first = 0;
  for (const graph of stage.graphs) {
    const own = new Map<number, Mark>();
    for (const stop = first + graph.eqns.length; ; next++) {
      const mark = compared.marks[next];
      if (!mark || mark.eqn >= stop) break;
      own.set(mark.eqn - first, mark);
    }
    marks.set(graph, own);
    first += graph.eqns.length;
  }
  const counts = DIFFERENCE_KINDS.map(
    ({ kind }) => compared.marks.filter((one) => one.kind === kind).length,
  );
  const kindOf = (graph: Graph, at: number) => numberOf(marks.get(graph)?.get(at)?.kind ?? '');
  return {
    compared,
    census: censusOf(stage, SAME + 1, kindOf),
    counts,
    marks,
    ends: endsOf(compared),
    same: compared.marks.length === 0 && compared.inputs.length === 0,
  };
}

function endsOf({ inputs }: Compared): Map<string, Change[]> {
  const placed = inputs.filter(({ where }) => where !== '');
  return gather(placed, ({ where }) => where);
}

export const kindAt = ({ census }: Differences, graph: Graph, at: number): number =>
  census.of[census.index.get(graph) ?? -1]?.[at] ?? SAME;

/** The number of eqns of each kind in an item, itself included. */
export function kindsIn(differences: Differences, stage: Stage, item: Item): Uint32Array {
  return countsIn(differences.census, graphAt(stage, pathOf(item.id)) as Graph, item);
}

/** The kind of a closed box: added, removed or moved if all its eqns were; else changed if some differ, and retyped
 * if only types do. */
function kindOfCounts(counts: ArrayLike<number>): number {
  const all = Array.from(counts).reduce((sum, count) => sum + count, 0);
  if (all === 0) return SAME;
  if (counts[ADDED] === all) return ADDED;
  if (counts[REMOVED] === all) return REMOVED;
  if (counts[MOVED] === all) return MOVED;
  if (hasLoud(counts)) return CHANGED;
  return (counts[RETYPED] ?? 0) > 0 ? RETYPED : SAME;
}

export const hasLoud = (counts: ArrayLike<number>): boolean =>
  Array.from(counts).some((count, kind) => count > 0 && isLoud(kind));

/** True if all eqns inside an eqn of this kind were added, removed or moved with it. */
export const movesWhole = (kind: number): boolean =>
  kind === ADDED || kind === REMOVED || kind === MOVED;

/** The kind of a closed item. If an eqn was added, removed or moved, that counts for its contents. */
export function kindOfItem(differences: Differences, stage: Stage, item: Item): number {
  if (item.start === item.stop) {
    const paths = pathsOf(stage, item.id);
    return together(paths.map((path) => kindOfEnds(changesAt(differences, path))));
  }
  const own =
    item.kind === 'eqn' ? numberOf(markOf(differences, stage, item.id)?.kind ?? '') : SAME;
  if (movesWhole(own) || !item.foldable) return own;
  return kindOfCounts(kindsIn(differences, stage, item));
}

export const kindOfEnds = (changes: readonly Change[]): number =>
  together(changes.map(numberOfEnd));

/** The common kind of several inputs or results: changed if they differ in different ways. */
function together([first = SAME, ...others]: readonly number[]): number {
  return others.every((other) => other === first) ? first : CHANGED;
}

/** True if anything differs besides types. */
export const isAnyLoud = ({ counts }: Differences): boolean => hasLoud(counts);

/** The mark of the eqn with this id; null if it does not differ. */
export function markOf({ marks }: Differences, stage: Stage, id: Id): Mark | null {
  const place = eqnAt(stage, id);
  return (place && marks.get(place.graph)?.get(place.index)) ?? null;
}

/** The changes of an input or a result of the program, by its path. */
export const changesAt = ({ ends }: Differences, path: string): readonly Change[] =>
  ends.get(path) ?? NO_CHANGES;

const NO_CHANGES: readonly Change[] = [];

/** The changes of the inputs or results that an id names: one, or several that are gathered in one box. */
export const changesOf = (differences: Differences, stage: Stage, id: Id): readonly Change[] =>
  pathsOf(stage, id).flatMap((path) => changesAt(differences, path));

/** The paths of the program's inputs or results that an id names. */
function pathsOf({ graphs: [graph] }: Stage, id: Id): string[] {
  const { path, step } = parse(id);
  if (!graph || path !== ROOT) return [];
  return 'binder' in step ? bindersNamed(graph, step).paths : [];
}

/** The indices of the inputs or results that differ. */
export function differing(differences: Differences, stage: Stage, binder: Binder): number[] {
  const { paths } = bindersOf(stage.graphs[0] as Graph, binder);
  return paths.flatMap((path, index) => (changesAt(differences, path).length > 0 ? [index] : []));
}

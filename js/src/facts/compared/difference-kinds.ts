/** The four ways in which an eqn can differ between two programs, with their signs and words. */
import { __, _n } from '../../language';
import type { Change } from '../../schema';

/** How an eqn can differ between two programs. */
export type DifferenceKind = 'added' | 'removed' | 'changed' | 'retyped';

export interface KindOf {
  kind: DifferenceKind;
  /** A character that says it without colour. */
  sign: string;
  label: () => string;
  /** How many eqns differ in this way, in words. */
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
    kind: 'retyped',
    sign: ':',
    label: () => __('types changed'),
    counted: (eqns) => _n('%1 type changed', '%1 types changed', eqns),
    about: () => __('The same, but that the types of its results differ'),
  },
];

/** The kinds as numbers: indices into `DIFFERENCE_KINDS`, and `SAME` for what does not differ. */
export const [ADDED, REMOVED, CHANGED, RETYPED, SAME] = [0, 1, 2, 3, 4] as const;

/** Whether a kind is marked on the picture. A changed type is not: wherever the types of the inputs
 * differ, those of all that follows do. */
export const isLoud = (kind: number): boolean => kind < RETYPED;

const NUMBER_OF_KIND = new Map<string, number>(
  DIFFERENCE_KINDS.map(({ kind }, index) => [kind, index]),
);

/** Written in a change in place of an input or a result that one of the programs lacks. */
const ABSENT = 'absent';

/** The kind of difference of an input or a result. */
export const numberOfEnd = ({ before, after }: Change): number =>
  before === ABSENT ? ADDED : after === ABSENT ? REMOVED : CHANGED;

/** The number of a kind by its name, `SAME` for any other text. */
export const numberOf = (kind: string): number => NUMBER_OF_KIND.get(kind) ?? SAME;

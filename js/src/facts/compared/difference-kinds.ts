import { __, _n } from '../../language';
import type { Change } from '../../schema';

/** How an eqn of one program can differ from that of another. */
export type Kind = 'added' | 'removed' | 'changed' | 'retyped';

export interface KindOf {
  kind: Kind;
  /** Stands for it where colour alone would not do. */
  sign: string;
  label: () => string;
  /** How many eqns are of it, in words. */
  counted: (eqns: number) => string;
  about: () => string;
}

/** In the order in which they are told. */
export const KINDS: readonly KindOf[] = [
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

/** Numbers of kinds: indices into `KINDS`, and what is the same in both. */
export const [ADDED, REMOVED, CHANGED, RETYPED, SAME] = [0, 1, 2, 3, 4] as const;

/** Those that are more than other types: types differ wherever those of the inputs do. */
export const isLoud = (kind: number): boolean => kind < RETYPED;

const NUMBERS = new Map<string, number>(KINDS.map(({ kind }, index) => [kind, index]));

/** What is written for an input or a result that one of the programs does not have. */
const ABSENT = 'absent';

/** How an input or a result differs. */
export const numberOfEnd = ({ before, after }: Change): number =>
  before === ABSENT ? ADDED : after === ABSENT ? REMOVED : CHANGED;

/** The number of a kind by its name; `SAME` where there is none of that name. */
export const numberOf = (kind: string): number => NUMBERS.get(kind) ?? SAME;

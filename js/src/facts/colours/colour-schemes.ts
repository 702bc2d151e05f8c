/** By what boxes can be coloured (family, dtype, scope, flops, bytes), the entries of the legend, and
 * how each box gets its entry. `difference-colours.ts` has the colours of comparisons;
 * `colouring.ts` applies one way to the boxes that are drawn. */

import { __ } from '../../language';
import type { Cost, Graph, Stage } from '../../schema';
import { censusOf, countedIn, heldBy } from '../census';
import { flopsText, shareOf, sizeText } from '../describe';
import { FAMILIES, familyIn } from '../family';
import { costOf, UNKNOWN_COST, wholeOf } from '../numbers/costs';
import type { Item } from '../outline';
import { allScopes, heldScopes, MOST_SCOPES, scopeAt, scopesOf } from '../scopes';

/** What the colour of a box shows. */
export type ColourBy = 'family' | 'dtype' | 'scope' | 'flops' | 'bytes' | 'change';

/** An entry of the legend. */
export interface ColourClass {
  /** Names two CSS variables: `--jxv-<paint>-fill` and `--jxv-<paint>-line`. */
  paint: string;
  label: string;
  /** Which boxes have this colour, in a sentence. */
  about: string;
  /** A character that says the same without colour. It stands in the legend, and on boxes where
   * `loud`. */
  sign?: string;
  loud?: boolean;
  /** Lengths of dashes and gaps of the line around a box, px; empty or absent for a solid line. */
  dash?: readonly number[];
}

/** A way to colour: its classes, and functions that give the index of the class of each item. */
export interface Scheme {
  classes: readonly ColourClass[];
  ofEqn(item: Item, graph: Graph): number;
  ofBinder(graph: Graph, variable: number): number;
  /** For a box that stands for several inputs or outputs, from the classes of each. Without it, the
   * lowest class of them. */
  ofGathered?(found: readonly number[]): number;
  /** For a group, a body or an eqn with bodies. `held` counts what is in it where it is closed, and
   * is null where it is open. */
  ofHolder(item: Item, held: Uint32Array | null): number;
  /** Eqns of each class in such an item, itself included. Null for schemes by cost, where the class
   * of the item already sums up what it holds. */
  held: ((item: Item, graph: Graph) => Uint32Array) | null;
  /** How much of the strip along a box is filled, 0 to 1; null for schemes that show no amount. */
  lengthOf: ((item: Item) => number) | null;
  /** The total that the filled strips are parts of, in words; empty where there are none. */
  whole: string;
  /** How many eqns of the stage each class has; null where the legend counts the boxes drawn. */
  all: Uint32Array | null;
  /** Whether inputs and outputs have classes of their own, which the legend counts too. */
  countsBinders: boolean;
}

const binders = (): ColourClass => ({
  paint: 'pill',
  label: __('inputs, outputs'),
  about: '',
});
const holderClass = (): ColourClass => ({ paint: 'group', label: __('groups'), about: '' });

export function byFamily(stage: Stage): Scheme {
  const classes = [
    ...FAMILIES.map(({ family, label, about }) => {
      return { paint: family, label: label(), about: about() };
    }),
    holderClass(),
    binders(),
  ];
  const index = new Map(FAMILIES.map(({ family }, at) => [family, at]));
  const holders = FAMILIES.length;
  const ofEqn = (graph: Graph, at: number) => {
    return index.get(familyIn(stage, graph.eqns[at]!)) ?? holders;
  };
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: () => holders + 1,
    ofHolder: ({ family }) => (family === null ? holders : (index.get(family) ?? holders)),
    held: (item, graph) => heldBy(census, graph, item),
    all: countedIn(census),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

export function byScope(stage: Stage): Scheme {
  const scopes = scopesOf(stage);
  return {
    classes: [
      ...Array.from({ length: MOST_SCOPES }, (_, index) => ({
        paint: `scope${index + 1}`,
        label: scopes.names[index] ?? '',
        about: '',
      })),
      {
        paint: 'group',
        label: __('elsewhere'),
        about: __('Beside these scopes, or around several'),
      },
      binders(),
    ],
    ofEqn: (item) => scopeAt(scopes, item),
    ofBinder: () => MOST_SCOPES + 1,
    ofHolder: (item) => scopeAt(scopes, item),
    held: (item) => heldScopes(stage, scopes, item, MOST_SCOPES + 2),
    all: allScopes(stage, scopes, MOST_SCOPES + 2),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** By the share of the program's flops or bytes that an item has, with all it holds and all its
 * runs. */
export function byHeat(stage: Stage, by: Measure): Scheme {
  const whole = wholeOf(stage);
  const costAt = (item: Item) => costOf(stage, item.id) ?? UNKNOWN_COST;
  const heat = (item: Item) => heatOf(costAt(item), whole, by);
  return {
    classes: [...heatClasses(stage, by), binders()],
    ofEqn: heat,
    ofBinder: () => HEATS.length,
    ofHolder: heat,
    held: null,
    all: null,
    whole: whole[by] === null ? '' : __('of %1', textOf(by)(whole[by], whole.least)),
    lengthOf: (item) =>
      item.start === item.stop ? 0 : lengthOf(shareOf(costAt(item)[by], whole[by]) ?? 0),
    countsBinders: false,
  };
}

/** Which of the two costs the colours show. */
export type Measure = 'flops' | 'bytes';

/** The least share of the program's total for each step, the hottest first. */
const LEAST_SHARES = [0.5, 0.2, 0.05, 0.01, 0.001, 0] as const;
/** The classes of an eqn that costs nothing, and of one whose cost is not known. */
const NO_COST = LEAST_SHARES.length;
const UNREPORTED = NO_COST + 1;

/** The names of the colours, in the order of the classes. */
export const HEATS: readonly string[] = [
  ...LEAST_SHARES.map((_, step) => `heat${LEAST_SHARES.length - step}`),
  'heat0',
  'unreported',
];

/** The index in `HEATS` of a cost. */
export function heatOf(cost: Cost, whole: Cost, by: Measure): number {
  const part = cost[by];
  if (part === null) return UNREPORTED;
  if (part === 0) return NO_COST;
  const share = shareOf(part, whole[by]) ?? 1;
  return LEAST_SHARES.findIndex((least) => share >= least);
}

/** The legend's entries, each with the flops or bytes at which it begins. */
function heatClasses(stage: Stage, by: Measure): ColourClass[] {
  const whole = wholeOf(stage)[by];
  const text = textOf(by);
  const about = (step: number) =>
    whole === null ? '' : __('%1 and more', text(Math.ceil((LEAST_SHARES[step] ?? 0) * whole)));
  return [
    ...LEAST_SHARES.map((least, step) => ({
      paint: HEATS[step] as string,
      label: least === 0 ? `< ${percent(LEAST_SHARES[step - 1])}` : `≥ ${percent(least)}`,
      about: least === 0 ? __('Of what the program does in all') : about(step),
    })),
    { paint: 'heat0', label: by === 'flops' ? __('no flops') : __('no bytes'), about: '' },
    { paint: 'unreported', label: __('not reported'), about: __('Nothing is known of it') },
  ];
}

/** The function that writes flops, or that writes bytes. */
const textOf = (by: Measure) => (by === 'flops' ? flopsText : sizeText);

const percent = (share = 0): string => `${100 * share} %`;

/** How much of the strip along a box a share fills: its square root, so that a share of 1 % still
 * fills a tenth. */
export const lengthOf = (share: number): number => Math.sqrt(Math.min(1, share));

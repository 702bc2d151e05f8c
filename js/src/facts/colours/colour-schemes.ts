/** By what boxes can be coloured (family, dtype, scope, flops, bytes, measured time), the entries of the legend, and
 * how each box gets its entry. `difference-colours.ts` has the colours of comparisons;
 * `colouring.ts` applies one way to the boxes that are drawn. */

import { __ } from '../../language';
import type { Graph, Stage } from '../../schema';
import { censusOf, countedIn, heldBy } from '../census';
import { shareOf } from '../describe';
import { FAMILIES, familyIn } from '../family';
import type { Item } from '../outline';
import { allScopes, heldScopes, MOST_SCOPES, scopeAt, scopesOf } from '../scopes';
import { allOf, allText, HEATS, heatClasses, heatOf, lengthOf, type Measure, partOf } from './heat';

/** What the colour of a box shows. */
export type ColourBy = 'family' | 'dtype' | 'scope' | Measure | 'change';

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
        about: __('Outside these scopes, or around several of them'),
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

/** By the share of the program's flops, bytes or measured time that an item has, with all it holds and
 * all its runs. */
export function byHeat(stage: Stage, by: Measure): Scheme {
  const whole = allOf(stage, by);
  const heat = ({ id }: Item) => heatOf(partOf(stage, id, by), whole);
  return {
    classes: [...heatClasses(stage, by), binders()],
    ofEqn: heat,
    ofBinder: () => HEATS.length,
    ofHolder: heat,
    held: null,
    all: null,
    whole: allText(stage, by),
    lengthOf: ({ id, start, stop }) =>
      start === stop ? 0 : lengthOf(shareOf(partOf(stage, id, by), whole) ?? 0),
    countsBinders: false,
  };
}

/** The types of a colouring: by what boxes can be coloured, the entries of the legend, and how each
 * box gets its entry. */
import type { Graph } from '../../schema';
import type { Item } from '../outline';

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
  /** Whether the legend counts inputs and outputs as well as eqns. */
  countsBinders: boolean;
}

import type { Graph } from '../../schema';
import type { Item } from '../outline';

/** What a box's colour tells. */
export type ColourBy = 'family' | 'dtype' | 'scope' | 'flops' | 'bytes' | 'change';

/** An entry of the legend. */
export interface ColourClass {
  /** The colours of this name are `--jxv-<paint>-fill` and `--jxv-<paint>-line`. */
  paint: string;
  label: string;
  /** What falls into it, in a sentence. */
  about: string;
  /** Stands beside the colour where that alone would not do; on boxes only where it is loud. */
  sign?: string;
  loud?: boolean;
  /** How the line around boxes of it is broken, px. */
  dash?: readonly number[];
}

/** How a picture is coloured: the classes, and which of them each item has. */
export interface Scheme {
  classes: readonly ColourClass[];
  ofEqn(item: Item, graph: Graph): number;
  ofBinder(graph: Graph, variable: number): number;
  /** Of several that are gathered, where that is not the first of their classes. */
  ofGathered?(found: readonly number[]): number;
  /** Of a group, a body or an eqn with bodies: a closed one that holds these, or an open one. */
  ofHolder(item: Item, held: Uint32Array | null): number;
  /** Eqns of each class in such an item, itself too; null where its own class tells the sum. */
  held: ((item: Item, graph: Graph) => Uint32Array) | null;
  /** The share of the strip along a box that is filled; null where the colours do not tell how
   * much. */
  lengthOf: ((item: Item) => number) | null;
  /** What the shares are parts of, in words; empty where the colours tell no shares. */
  whole: string;
  countsBinders: boolean;
}

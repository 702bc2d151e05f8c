/** What a training step is made of while it is laid out: atoms, lists of rows, and columns. */
import type { Item } from '../../facts/outline';
import type { Frame, Plan } from '../frame';
import { LANES, type LaneName, type Row } from './lanes';

/** The columns of a step, from left to right. */
export const COLUMNS = ['inputs', ...LANES, 'after', 'outputs'] as const;
export type Column = (typeof COLUMNS)[number];

/** What the layout of a step knows of its graph and its view. */
export type Drawn = Pick<Plan, 'stage' | 'graph' | 'title' | 'shape' | 'carries'>;

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** An item that is drawn as one box: a closed one, or an open one that was laid out before. */
export interface Atom extends Rect {
  item: Item;
  frame: Frame | null;
  column: Column;
  /** The list of rows that it stands in, and its row there. */
  list: List | null;
  row: number;
  /** Its number in its column, from top to bottom. */
  order: number;
}

/** Rows below one another: those of the whole step, or within an open pair. */
export interface List {
  places: Place[];
  /** The width of each lane, px, without the room for arcs. */
  width: Record<LaneName, number>;
  height: number;
  /** How many arcs run side by side, left of the forward lane and right of the backward lane. */
  arcs: number;
}

/** A row of a list with its place, px: its atoms by lane, or the list within it. */
export interface Place {
  row: Row;
  atoms: Map<LaneName, Atom>;
  inner: List | null;
  y: number;
  h: number;
}

/** Where lanes and columns stand, px from the frame's corner. */
export interface Geometry {
  /** Left and right side of each column that holds something. */
  columns: Map<Column, [number, number]>;
  /** The outermost open group of each lane. */
  frames: Map<LaneName, Rect & { item: Item }>;
  bottom: number;
}

/** The room that an arc takes beside a lane, px. */
export const ARC = 9;

/** What a training step is made of while it is laid out: atoms, lists of rows, and columns; and the points
 * and distances between them, px. */

import type { Item } from '../../facts/outline';
import { captionOf, LANE_COLUMNS, sizeOf } from '../caption';
import type { Frame } from '../frame';
import type { Plan } from '../item-boxes';
import type { Rect } from '../measure';
import { isFramed, LANES, type LaneName, type Row, type Step } from './lanes';

/** The columns of a step, from left to right. */
export const COLUMNS = ['inputs', ...LANES, 'after', 'outputs'] as const;
export type Column = (typeof COLUMNS)[number];

/** What the layout of a step knows of its graph and its view. */
export type Drawn = Pick<Plan, 'stage' | 'graph' | 'title' | 'shape' | 'carries'>;

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

/** The atoms of a step, and the rows that they stand in. `frameOf` gives the frames of open items. */
export function makeAtoms(
  { stage, graph }: Drawn,
  step: Step,
  frameOf: (item: Item) => Frame | null,
): { atoms: Atom[]; outer: List } {
  const atoms: Atom[] = [];
  const counts = new Map<Column, number>();
  const atom: MakeAtom = (item, column, list, row) => {
    const frame = frameOf(item);
    const size = sizeOf(item, captionOf(stage, graph, item, LANE_COLUMNS));
    const order = counts.get(column) ?? 0;
    counts.set(column, order + 1);
    const [w, h] = frame ? [frame.w, frame.h] : [size.width, size.height];
    const made = { item, frame, column, list, row, order, x: 0, y: 0, w, h };
    atoms.push(made);
    return made;
  };
  for (const item of step.inputs) atom(item, 'inputs', null, 0);
  const outer = listOf(step.rows, atom);
  for (const item of step.after) atom(item, 'after', null, 0);
  for (const item of step.outputs) atom(item, 'outputs', null, 0);
  return { atoms, outer };
}

/** Makes the atom of an item. */
type MakeAtom = (item: Item, column: Column, list: List | null, row: number) => Atom;

/** The list of these rows, with the lists within. It calls itself, but `stepOf` limits how deep
 * rows nest. */
function listOf(rows: Row[], atom: MakeAtom): List {
  const list: List = {
    places: [],
    width: { forward: 0, backward: 0, update: 0 },
    height: 0,
    arcs: 0,
  };
  rows.forEach((row, index) => {
    const inner = row.rows ? listOf(row.rows, atom) : null;
    const made = new Map<LaneName, Atom>();
    for (const lane of LANES) {
      const item = row[lane];
      if (item && !isFramed(row, lane)) made.set(lane, atom(item, lane, list, index));
    }
    list.places.push({ row, atoms: made, inner, y: 0, h: 0 });
  });
  return list;
}

/** The points of an edge, x and y in turn. */
export type Points = number[];

/** The y of the middle of a rectangle. */
export const mid = ({ y, h }: Rect): number => y + h / 2;

/** Whether one lies between the top and the bottom of another. */
export const isWithin = (one: Rect, other: Rect): boolean =>
  other.y <= one.y && one.y + one.h <= other.y + other.h;

/** The x of a port, px from the left of the picture; null where the atom is closed. */
export function portOf(atom: Atom, side: 'entries' | 'exits', port: number): number | null {
  const found = atom.frame?.[side][port];
  return found ? atom.x + found.x : null;
}

/** The x of a port, px from the left of the atom; of a closed atom its middle. */
export const portX = (atom: Atom, side: 'entries' | 'exits', port: number): number =>
  atom.frame?.[side][port]?.x ?? atom.w / 2;

/** The points without those that repeat, or lie in the middle of a straight line. */
export function tidy(points: Points): Points {
  const kept: Points = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [points[at]!, points[at + 1]!];
    const n = kept.length;
    if (n >= 2 && kept[n - 2] === x && kept[n - 1] === y) continue;
    const straight = (k: 0 | 1) =>
      n >= 4 && kept[n - 2 + k] === (k ? y : x) && kept[n - 4 + k] === (k ? y : x);
    if (straight(0) || straight(1)) kept.splice(n - 2, 2);
    kept.push(x, y);
  }
  return kept;
}

/** Whether nothing stands between two columns, the second on the right. */
export function isBeside({ columns }: Geometry, one: Column, other: Column): boolean {
  const order = [...columns.keys()];
  return order.indexOf(other) - order.indexOf(one) === 1;
}

/** The x at which the space left of a column begins and ends, px. */
export function gapBefore({ columns }: Geometry, column: Column): [number, number] {
  const at = columns.get(column) ?? [0, 0];
  const before = [...columns.values()].filter(([, end]) => end <= at[0]);
  return [Math.max(0, ...before.map(([, end]) => end)), at[0]];
}

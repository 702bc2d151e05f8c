/** The parts of a training step during its layout: atoms, lists of rows, and columns; and the points and distances
 * between them, px. */

import type { Item } from '../../facts/outline';
import { captionOf, LANE_COLUMNS, sizeOf } from '../caption';
import type { Frame } from '../frame';
import type { Plan } from '../item-boxes';
import type { Rect } from '../measure';
import { isFramed, LANES, type LaneName, type Row, type Step } from './lanes';

/** The columns of a step, from left to right. */
export const COLUMNS = ['inputs', ...LANES, 'after', 'outputs'] as const;
export type Column = (typeof COLUMNS)[number];

/** The input of a step's layout. */
export type StepPlan = Pick<Plan, 'stage' | 'graph' | 'title' | 'shape' | 'carries'>;

/** An item drawn as one box: a closed one, or an open one that is already laid out. */
export interface Atom extends Rect {
  item: Item;
  frame: Frame | null;
  column: Column;
  /** Its list of rows, and its row there. */
  list: List | null;
  row: number;
  /** Its number in its column, from top to bottom. */
  order: number;
}

/** Rows below one another: those of the whole step, or those within an open pair. */
export interface List {
  places: Place[];
  /** The width of each lane, px, without the room for arcs. */
  width: Record<LaneName, number>;
  height: number;
  /** The number of arcs side by side, left of the forward lane and right of the backward lane. */
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

/** The positions of lanes and columns, px from the frame's corner. */
export interface Geometry {
  /** Left and right side of each column that is not empty. */
  columns: Map<Column, [number, number]>;
  /** The outermost open group of each lane. */
  frames: Map<LaneName, Rect & { item: Item }>;
  bottom: number;
}

/** The room that an arc takes beside a lane, px. */
export const ARC = 9;

/** The atoms of a step, and their rows. `frameOf` returns the frames of open items. */
export function makeAtoms(
  { stage, graph }: StepPlan,
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

/** The list of these rows, with the lists inside them. It is recursive, but `stepOf` limits the nesting of rows. */
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

/** True if one lies between the top and the bottom of the other. */
export const isWithin = (one: Rect, other: Rect): boolean =>
  other.y <= one.y && one.y + one.h <= other.y + other.h;

/** The x of a port, px from the left of the picture; null if the atom is closed. */
export function portOf(atom: Atom, side: 'entries' | 'exits', port: number): number | null {
  const found = atom.frame?.[side][port];
  return found ? atom.x + found.x : null;
}

/** The x of a port, px from the left of the atom; that of the middle if the atom is closed. */
export const portX = (atom: Atom, side: 'entries' | 'exits', port: number): number =>
  atom.frame?.[side][port]?.x ?? atom.w / 2;

/** The points without those that repeat, or lie in the middle of a straight line. */
export function tidy(points: Points): Points {
  const tidied: Points = [];
  for (let at = 0; at < points.length; at += 2) {
    const [x, y] = [points[at]!, points[at + 1]!];
    const n = tidied.length;
    if (n >= 2 && tidied[n - 2] === x && tidied[n - 1] === y) continue;
    const straight = (k: 0 | 1) =>
      n >= 4 && tidied[n - 2 + k] === (k ? y : x) && tidied[n - 4 + k] === (k ? y : x);
    if (straight(0) || straight(1)) tidied.splice(n - 2, 2);
    tidied.push(x, y);
  }
  return tidied;
}

/** True if the second column is directly right of the first. */
export function isBeside({ columns }: Geometry, one: Column, other: Column): boolean {
  const order = [...columns.keys()];
  return order.indexOf(other) - order.indexOf(one) === 1;
}

/** The left and right end of the space left of a column, px. */
export function gapBefore({ columns }: Geometry, column: Column): [number, number] {
  const at = columns.get(column) ?? [0, 0];
  const before = [...columns.values()].filter(([, end]) => end <= at[0]);
  return [Math.max(0, ...before.map(([, end]) => end)), at[0]];
}

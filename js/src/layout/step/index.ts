/** Lays out a training step in lanes: the forward pass runs down, the backward pass beside it runs
 * up, and beside that stands the update. */
import type { Item } from '../../facts/outline';
import { captionOf, LANE_COLUMNS, sizeOf } from '../caption';
import type { Frame } from '../frame';
import { FRAME } from '../measure';
import { movedCell, movedLink } from '../moved';
import { wiresOfGraph } from '../wires';
import type { Atom, Column, Drawn, List } from './atoms';
import { type Bundle, bundlesOf } from './bundles';
import { cellOfAtom, cellsOf, typesWithin } from './cells';
import { BESIDE_MIDDLE, measure, place } from './geometry';
import { isFramed, LANES, type LaneName, type Row, type Step } from './lanes';
import { linksOf } from './links';
import { type Lanes, type Stack, stackAround } from './stacked';

/** The frame of a step. `frameOf` gives the frames of open items, which are laid out before. */
export function layoutStep(plan: Drawn, step: Step, frameOf: (item: Item) => Frame | null): Frame {
  const atoms: Atom[] = [];
  const counts = new Map<Column, number>();
  const atom = (item: Item, column: Column, list: List | null, row: number): Atom => {
    const frame = frameOf(item);
    const size = sizeOf(item, captionOf(plan.stage, plan.graph, item, LANE_COLUMNS));
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

  const { wires } = wiresOfGraph(plan.graph, {
    items: atoms.map(({ item }) => item),
    ports: atoms.map(({ frame }) => frame),
    carries: plan.carries,
  });
  const bundles = bundlesOf(atoms, wires);
  const types = typesWithin(plan, bundles);
  measure(outer, types);
  const drawn = plan.shape.name === 'wide' ? beside : stacked;
  const { cells, links, width, height } = drawn(plan, atoms, outer, bundles, types);
  const [side, top, end] = plan.title === 0 ? [0, 0, 0] : [FRAME.side, CONTENTS_TOP, FRAME.end];
  return {
    w: Math.ceil(Math.max(width + 2 * side, plan.title)),
    h: Math.ceil(top + height + end),
    title: plan.title === 0 ? 0 : FRAME.title,
    up: false,
    cells: cells.map((cell) => movedCell(cell, side, top)),
    routes: [],
    mentions: [],
    links: links.map((link) => movedLink(link, side, top)),
    entries: [],
    exits: [],
  };
}

/** The y at which the contents of a frame begin, below its title, px. */
const CONTENTS_TOP = FRAME.title + FRAME.end;

/** The layout for a wide view: inputs, lanes and outputs side by side. */
function beside(
  plan: Drawn,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
): Lanes {
  const geometry = place(plan, atoms, outer, bundles);
  const { links, bottom } = linksOf(plan, atoms, bundles, geometry);
  const width = Math.max(...[...geometry.columns.values()].map(([, right]) => right));
  const cells = cellsOf(plan, atoms, outer, geometry, types);
  return { cells, links, width, height: bottom, geometry };
}

/** The layout for other views: only the lanes side by side, all else above and below them. */
function stacked(
  plan: Drawn,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
): Stack {
  const inLanes = atoms.filter(({ list }) => list !== null);
  const within = bundles.filter(({ source, target }) => source.list && target.list);
  const lanes = beside(plan, inLanes, outer, within, types);
  const cellOf = (atom: Atom) => ({
    ...cellOfAtom(plan, atom, types),
    typeX: atom.x + atom.w / 2 + BESIDE_MIDDLE,
  });
  return stackAround(lanes, atoms, bundles, cellOf);
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

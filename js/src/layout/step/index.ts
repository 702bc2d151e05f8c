import type { Item } from '../../model/outline';
import { captionOf, LANE, sizeOf } from '../caption';
import type { Frame } from '../frame';
import { FRAME } from '../measure';
import { wiresOfGraph } from '../wires';
import type { Atom, Column, Drawn, List } from './atoms';
import { bundlesOf } from './bundles';
import { cellsOf, typesWithin } from './cells';
import { measure, place } from './geometry';
import { isFramed, LANES, type LaneName, type Row, type Step } from './lanes';
import { linksOf } from './links';

/** A step as a frame that holds the frames of its lanes. `frameOf` gives those laid out before. */
export function layoutStep(plan: Drawn, step: Step, frameOf: (item: Item) => Frame | null): Frame {
  const atoms: Atom[] = [];
  const counts = new Map<Column, number>();
  const atom = (item: Item, column: Column, list: List | null, row: number): Atom => {
    const frame = frameOf(item);
    const size = sizeOf(item, captionOf(item, plan.graph, LANE));
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
  });
  const bundles = bundlesOf(atoms, wires);
  const types = typesWithin(plan, bundles);
  measure(outer, types);
  const geometry = place(plan, atoms, outer, bundles);
  const { links, bottom } = linksOf(plan, atoms, bundles, geometry);
  const side = plan.title === 0 ? 0 : FRAME.side;
  const right = Math.max(...[...geometry.columns.values()].map(([, end]) => end));
  return {
    w: Math.ceil(Math.max(right + side, plan.title)),
    h: Math.ceil(bottom + (plan.title === 0 ? 0 : FRAME.end)),
    title: plan.title === 0 ? 0 : FRAME.title,
    up: false,
    cells: cellsOf(plan, atoms, outer, geometry, types),
    routes: [],
    mentions: [],
    links,
    entries: [],
    exits: [],
  };
}

type MakeAtom = (item: Item, column: Column, list: List | null, row: number) => Atom;

/** Rows nest as deep as `stepOf` lets them, which is not deep. */
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

/** Lays out a training step in lanes: the forward pass runs down, the backward pass beside it runs up, and beside
 * both stands the update. */
import type { Item } from '../../facts/outline';
import { joined } from '../../facts/text/describe';
import { captionOf, LANE_COLUMNS, titleOf, typesOf } from '../caption';
import { type Cell, type Frame, movedCell, movedLink, ONLY_CELLS } from '../frame';
import { pickText } from '../item-boxes';
import type { Rect } from '../measure';
import { BESIDE_EDGE, FRAME, SMALL, underBox } from '../measure';
import { PICK, wiresOfGraph } from '../wires';
import {
  type Atom,
  type Column,
  type Geometry,
  type List,
  makeAtoms,
  type StepPlan,
} from './atoms';
import { type Bundle, bundlesOf } from './bundles';
import { measure, place, rectOf } from './geometry';
import { LANES, type LaneName, type Step } from './lanes';
import { linksOf } from './links';
import { type Lanes, type Stack, stackAround } from './stacked';

/** The frame of a step. `frameOf` returns the frames of open items, which are laid out before. */
export function layoutStep(
  plan: StepPlan,
  step: Step,
  frameOf: (item: Item) => Frame | null,
): Frame {
  const { atoms, outer } = makeAtoms(plan, step, frameOf);
  const { wires } = wiresOfGraph(plan.graph, {
    items: atoms.map(({ item }) => item),
    ports: atoms.map(({ frame }) => frame),
    carries: plan.carries,
  });
  const bundles = bundlesOf(atoms, wires);
  const types = typesWithin(plan, atoms, bundles);
  measure(plan, outer, types);
  const drawn = plan.shape.beside ? beside : stacked;
  const { cells, links, width, height } = drawn(plan, atoms, outer, bundles, types);
  const [side, top, end] = plan.title === 0 ? [0, 0, 0] : [FRAME.side, CONTENTS_TOP, FRAME.end];
  return {
    ...ONLY_CELLS,
    w: Math.ceil(Math.max(width + 2 * side, plan.title)),
    h: Math.ceil(top + height + end),
    title: plan.title === 0 ? 0 : FRAME.title,
    leastWide: plan.shape.beside ? 0 : Number.POSITIVE_INFINITY,
    cells: cells.map((cell) => movedCell(cell, side, top)),
    links: links.map((link) => movedLink(link, side, top)),
  };
}

/** The y of a frame's contents, below its title, px. */
const CONTENTS_TOP = FRAME.title + FRAME.end;

/** The layout for a wide view: inputs, lanes and outputs side by side. */
function beside(
  plan: StepPlan,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
): Lanes {
  return withEdges(plan, atoms, outer, bundles, types, place(plan, atoms, outer, bundles, types));
}

/** The lanes with their edges, after their atoms have been placed. */
function withEdges(
  plan: StepPlan,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
  geometry: Geometry,
): Lanes {
  const { links, bottom } = linksOf(plan, atoms, bundles, geometry);
  const cells = cellsOf(plan, atoms, outer, geometry, types);
  return { cells, links, width: widthOf(geometry), height: bottom, geometry, atoms };
}

const widthOf = ({ columns }: Geometry): number =>
  Math.max(...[...columns.values()].map(([, right]) => right));

/** The layout for other views: the lanes side by side, and all else above and below. What follows the lanes stands
 * beside them if that takes less area. */
function stacked(
  plan: StepPlan,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
  types: ReadonlyMap<Atom, string>,
): Stack {
  const around = (only: (atom: Atom) => boolean, most: number): Stack | null => {
    const own = atoms.filter(only);
    const within = bundles.filter(({ source, target }) => only(source) && only(target));
    const geometry = place(plan, own, outer, within, types);
    // Edges and the rest are most of the work.
    if (widthOf(geometry) > most) return null;
    const lanes = withEdges(plan, own, outer, within, types, geometry);
    return stackAround(plan.shape, lanes, atoms, bundles, cellOf);
  };
  const cellOf = (atom: Atom) => ({
    ...cellOfAtom(plan, atom, types),
    typeX: atom.x + atom.w / 2 + BESIDE_EDGE,
  });
  const { wide } = plan.shape;
  const below = around(({ list }) => list !== null, Number.POSITIVE_INFINITY)!;
  if (!atoms.some(({ column }) => column === 'after')) return below;
  const beside = around(({ list, column }) => list !== null || column === 'after', wide);
  const area = ({ width, height }: Stack) => width * height;
  return beside && beside.width <= wide && area(beside) < area(below) ? beside : below;
}

/** The name of each column to which edges from inputs are not drawn. */
const ROLES = new Map<string, string>([
  ['backward', 'backward'],
  ['update', 'optimizer'],
]);

/** The text at each atom: the type of what flows to the next row. At an input: its own type, and its targets without
 * an edge. */
function typesWithin(
  { stage, graph }: StepPlan,
  atoms: Atom[],
  bundles: Bundle[],
): Map<Atom, string> {
  const types = new Map<Atom, string>();
  const beyond = new Map<Atom, Set<string>>();
  for (const { source, target, vars, wires, kind } of bundles) {
    if (kind === 'next' && !source.frame) {
      const picks = wires.some((wire) => wire.target.port === PICK) ? pickText() : '';
      types.set(source, joined(' ', [typesOf(stage, graph, vars), picks]));
    }
    if (source.column !== 'inputs' || target.column === 'forward') continue;
    const names = beyond.get(source) ?? new Set();
    const { column, item } = target;
    beyond.set(source, names.add(ROLES.get(column) ?? item.label));
  }
  for (const one of atoms) if (one.item.kind === 'fixed') types.set(one, one.item.type);
  for (const { source } of bundles) {
    if (source.column !== 'inputs' || types.has(source) || source.frame) continue;
    const type = source.item.kind === 'gathered' ? [] : [typesOf(stage, graph, source.item.vars)];
    const names = [...(beyond.get(source) ?? [])];
    if (names.length > 0)
      type.push(`→ ${names.slice(0, 2).join(', ')}${names.length > 2 ? ', …' : ''}`);
    types.set(source, type.join(' '));
  }
  return types;
}

/** The cell of an atom. */
function cellOfAtom(plan: StepPlan, one: Atom, types: ReadonlyMap<Atom, string>): Cell {
  const up = one.column === 'backward';
  const made = cell(plan, one.item, one, one.frame, types.get(one) ?? '', up);
  return one.column === 'inputs' ? { ...made, typeX: one.x + BESIDE_EDGE } : made;
}

/** A cell at a place. If data flows `up`, its type is written above it. */
function cell(
  { stage, graph, shape }: StepPlan,
  item: Item,
  rect: Rect,
  inner: Frame | null,
  type: string,
  up: boolean,
): Cell {
  const { x, y, w, h } = rect;
  const typeX = x + w / 2 + BESIDE_EDGE;
  const under = underBox(shape.rowGap);
  const typeY = up ? y - under - SMALL : y + h + under;
  return {
    item,
    caption: (inner ? titleOf : captionOf)(stage, graph, item, LANE_COLUMNS),
    inner,
    type,
    typeX,
    typeY,
    x,
    y,
    w,
    h,
  };
}

/** All cells of a step. Those within an open pair are in the frames of that pair's cells. */
function cellsOf(
  plan: StepPlan,
  atoms: Atom[],
  outer: List,
  { columns }: Geometry,
  types: ReadonlyMap<Atom, string>,
): Cell[] {
  const ofAtom = (one: Atom) => cellOfAtom(plan, one, types);
  const ofList = (list: List, lane: LaneName): Cell[] =>
    list.places.flatMap((place) => {
      const one = place.atoms.get(lane);
      if (one) return [ofAtom(one)];
      const item = place.row[lane];
      if (!item || !place.inner) return [];
      const rect = rectOf(place, lane, columns);
      return [cell(plan, item, rect, around(rect, ofList(place.inner, lane)), '', false)];
    });
  const beside = (column: Column) => atoms.filter((one) => one.column === column).map(ofAtom);
  return [
    ...beside('inputs'),
    ...LANES.flatMap((lane) => ofList(outer, lane)),
    ...beside('after'),
    ...beside('outputs'),
  ];
}

/** A frame around cells that already have their positions. */
function around({ x, y, w, h }: Rect, cells: Cell[]): Frame {
  const moved = cells.map((cell) => movedCell(cell, -x, -y));
  return { ...ONLY_CELLS, w, h, cells: moved };
}

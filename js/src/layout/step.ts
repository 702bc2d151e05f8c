import type { Item } from '../model/outline';
import { type Bundle, bundlesOf, carried, labelOf } from './bundles';
import { captionOf, sizeOf, typesOf } from './caption';
import type { Cell, Frame, Plan } from './frame';
import { isFramed, LANES, type LaneName, type Row, type Step } from './lanes';
import { linksOf } from './links';
import { FRAME, SMALL, textWidth } from './measure';
import { layoutRegion } from './region';
import { wiresOfGraph } from './wires';

export const COLUMNS = ['inputs', ...LANES, 'after', 'outputs'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** What is drawn as one: a closed box, or an open one that was laid out before. */
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
  /** Of each lane, without the room for arcs. */
  width: Record<LaneName, number>;
  height: number;
  /** Arcs side by side: left of the forward lane and right of the backward lane. */
  arcs: number;
}

interface Place {
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
  top: number;
  bottom: number;
}

/** Between rows stand the type of what flows on and the names of what comes from afar. */
const GAP = 30;
const PAD = 18;
export const ARC = 9;
/** Between columns: at least this, and this around what is written there. */
const GUTTER = { least: 48, around: 48 };
const BESIDE = 6;

/** A step as a frame that holds the frames of its lanes. `frameOf` gives those laid out before. */
export function layoutStep(
  plan: Pick<Plan, 'stage' | 'graph' | 'title'>,
  step: Step,
  frameOf: (item: Item) => Frame | null,
): Frame {
  const atoms: Atom[] = [];
  const atom = (item: Item, column: Column, list: List | null, row: number): Atom => {
    const frame = frameOf(item);
    const size = sizeOf(item, captionOf(item, plan.graph));
    const order = atoms.filter((one) => one.column === column).length;
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

/** Sizes from the inside out. The closed groups of a lane are of one width. */
function measure(list: List, types: ReadonlyMap<Atom, string>): void {
  for (const lane of LANES) {
    const own = list.places.flatMap(({ atoms }) => atoms.get(lane) ?? []);
    const closed = own.filter(({ item, frame }) => item.kind === 'group' && !frame);
    const wide = Math.max(0, ...closed.map(({ w }) => w));
    for (const one of closed) one.w = wide;
    const room = (one: Atom) => 2 * (BESIDE + textWidth(types.get(one) ?? '', SMALL));
    list.width[lane] = Math.max(0, ...own.map((one) => Math.max(one.w, room(one))));
  }
  for (const place of list.places) {
    const { inner, atoms } = place;
    place.h = Math.max(0, ...[...atoms.values()].map(({ h }) => h));
    if (!inner) continue;
    measure(inner, types);
    place.h = Math.max(place.h, FRAME.title + inner.height + 2 * PAD);
    for (const lane of LANES) {
      if (!isFramed(place.row, lane)) continue;
      list.width[lane] = Math.max(list.width[lane], widthWithin(inner, lane));
    }
  }
  list.height = list.places.reduce((sum, { h }) => sum + h + GAP, -GAP);
}

const widthWithin = (list: List, lane: LaneName): number =>
  list.width[lane] + 2 * (PAD + ARC * list.arcs);

function place(
  plan: Pick<Plan, 'stage' | 'graph' | 'title'>,
  atoms: Atom[],
  outer: List,
  bundles: Bundle[],
): Geometry {
  const top = plan.title === 0 ? 0 : FRAME.title + FRAME.end;
  const after = arrange(atoms, bundles);
  const widths = new Map<Column, number>();
  for (const column of COLUMNS) {
    const lane = LANES.find((one) => one === column);
    const own = atoms.filter((one) => one.column === column);
    const wide = lane ? outer.width[lane] : Math.max(0, ...own.map(({ w }) => w));
    const width = column === 'after' ? after.width : wide;
    if (width > 0) widths.set(column, width + (lane ? 2 * ARC * outer.arcs : 0));
  }
  const columns = new Map<Column, [number, number]>();
  let x = plan.title === 0 ? 0 : FRAME.side;
  for (const [column, width] of widths) {
    if (columns.size > 0) x += gutter(plan, bundles, column);
    columns.set(column, [x, x + width]);
    x += width;
  }
  const frames = new Map<LaneName, Rect & { item: Item }>();
  const bottom = placeList(outer, columns, frames, top);
  for (const one of atoms) {
    const column = columns.get(one.column);
    if (one.column === 'after' && column) {
      one.x += column[0];
      one.y += frames.get('backward')?.y ?? top;
    }
  }
  const low = Math.max(bottom, ...atoms.map(({ y, h }) => y + h));
  stack(atoms, 'inputs', columns, frames.get('forward')?.y ?? top, () => 0);
  const fromBelow = (one: Atom) =>
    bundles.some(({ target, source }) => target === one && source.column === 'forward');
  const last = outer.places[outer.places.length - 1];
  stack(atoms, 'outputs', columns, frames.get('backward')?.y ?? top, (one) =>
    fromBelow(one) ? (last ? last.y + last.h - one.h : 0) : 0,
  );
  const ends = atoms.map(({ y, h }) => y + h);
  return { columns, frames, top, bottom: Math.max(low, ...ends) };
}

/** Gives rows and what they hold their place, and returns where the last one ends. */
function placeList(
  list: List,
  columns: ReadonlyMap<Column, [number, number]>,
  frames: Map<LaneName, Rect & { item: Item }>,
  top: number,
): number {
  let y = top;
  for (const place of list.places) {
    place.y = y;
    for (const [lane, atom] of place.atoms) {
      atom.x = centre(columns, lane) - atom.w / 2;
      atom.y = y + (place.h - atom.h) / 2;
    }
    if (place.inner) {
      placeList(place.inner, columns, new Map(), y + FRAME.title + PAD);
      for (const lane of LANES) {
        const item = place.row[lane];
        if (!item || !isFramed(place.row, lane)) continue;
        frames.set(lane, { item, ...rectOf(place, lane, columns) });
      }
    }
    y += place.h + GAP;
  }
  return y - GAP;
}

const centre = (columns: ReadonlyMap<Column, [number, number]>, lane: LaneName): number => {
  const [left, right] = columns.get(lane) ?? [0, 0];
  return (left + right) / 2;
};

/** The frame of an open pair in one lane. */
function rectOf(
  { inner, y, h }: Place,
  lane: LaneName,
  columns: ReadonlyMap<Column, [number, number]>,
): Rect {
  const w = inner ? widthWithin(inner, lane) : 0;
  return { x: centre(columns, lane) - w / 2, y, w, h };
}

/** Below one another, none higher than its `least`. */
function stack(
  atoms: Atom[],
  column: Column,
  columns: ReadonlyMap<Column, [number, number]>,
  top: number,
  least: (atom: Atom) => number,
): void {
  let y = top;
  for (const one of atoms) {
    if (one.column !== column) continue;
    one.x = columns.get(column)?.[0] ?? 0;
    one.y = Math.max(y, least(one));
    y = one.y + one.h + GAP;
  }
}

/** What follows the lanes is a small region of its own. */
function arrange(atoms: Atom[], bundles: Bundle[]): { width: number } {
  const own = atoms.filter(({ column }) => column === 'after');
  if (own.length === 0) return { width: 0 };
  const within = bundles.filter(
    ({ source, target }) => source.column === 'after' && target.column === 'after',
  );
  const placement = layoutRegion({
    width: own.map(({ w }) => w),
    height: own.map(({ h }) => h),
    source: within.map(({ source }) => source.order),
    target: within.map(({ target }) => target.order),
  });
  own.forEach((one, index) => {
    one.x = placement.x[index]! - one.w / 2;
    one.y = placement.y[index]! - one.h / 2;
  });
  return { width: placement.width };
}

/** The space on the left of a column: room for what is written on the edges to it. */
function gutter(plan: Pick<Plan, 'stage' | 'graph'>, bundles: Bundle[], column: Column): number {
  const labels = bundles
    .filter(({ target }) => target.column === column)
    .map((bundle) => labelOf(plan, bundle));
  if (column === 'after' || column === 'outputs')
    labels.push(...gradientsOf(plan, bundles, column));
  const wide = Math.max(0, ...labels.map((label) => textWidth(label, SMALL)));
  return Math.max(GUTTER.least, wide === 0 ? 0 : wide + GUTTER.around);
}

/** What is written on the edges from the whole backward lane to the atoms of a column. */
function gradientsOf(
  plan: Pick<Plan, 'stage' | 'graph'>,
  bundles: Bundle[],
  column: Column,
): string[] {
  const found = new Map<Atom, number[]>();
  for (const { source, target, vars } of bundles) {
    if (source.column !== 'backward' || target.column !== column) continue;
    found.set(target, [...(found.get(target) ?? []), ...vars]);
  }
  return [...found.values()].map((vars) => carried(plan, vars, 'gradients'));
}

/** What is written at the atoms: the type of what flows to the next row; of an input its own type,
 * and where it goes without an edge. */
function typesWithin(
  { stage, graph }: Pick<Plan, 'stage' | 'graph'>,
  bundles: Bundle[],
): Map<Atom, string> {
  const types = new Map<Atom, string>();
  const beyond = new Map<Atom, Set<string>>();
  for (const { source, target, vars, kind } of bundles) {
    if (kind === 'next' && !source.frame) types.set(source, typesOf(stage, graph, vars));
    if (source.column !== 'inputs' || target.column === 'forward') continue;
    const names = beyond.get(source) ?? new Set();
    beyond.set(source, names.add(target.column === 'after' ? target.item.label : target.column));
  }
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

/** Cells, those of open pairs within the cells of these. */
function cellsOf(
  plan: Pick<Plan, 'stage' | 'graph'>,
  atoms: Atom[],
  outer: List,
  { columns }: Geometry,
  types: ReadonlyMap<Atom, string>,
): Cell[] {
  const cell = (item: Item, rect: Rect, inner: Frame | null, type: string, up: boolean): Cell => ({
    item,
    caption: captionOf(item, plan.graph),
    inner,
    type,
    typeX: rect.x + rect.w / 2 + BESIDE,
    typeY: up ? rect.y - 4 - SMALL : rect.y + rect.h + 4,
    x: rect.x,
    y: rect.y,
    w: rect.w,
    h: rect.h,
  });
  const ofAtom = (one: Atom): Cell => {
    const made = cell(one.item, one, one.frame, types.get(one) ?? '', one.column === 'backward');
    return one.column === 'inputs' ? { ...made, typeX: one.x + BESIDE } : made;
  };
  const ofList = (list: List, lane: LaneName): Cell[] =>
    list.places.flatMap((place) => {
      const one = place.atoms.get(lane);
      if (one) return [ofAtom(one)];
      const item = place.row[lane];
      if (!item || !place.inner) return [];
      const rect = rectOf(place, lane, columns);
      return [cell(item, rect, around(rect, ofList(place.inner, lane)), '', false)];
    });
  const beside = (column: Column) => atoms.filter((one) => one.column === column).map(ofAtom);
  return [
    ...beside('inputs'),
    ...LANES.flatMap((lane) => ofList(outer, lane)),
    ...beside('after'),
    ...beside('outputs'),
  ];
}

/** A frame around cells that have their place already. */
function around({ x, y, w, h }: Rect, cells: Cell[]): Frame {
  const moved = cells.map((cell) => ({
    ...cell,
    x: cell.x - x,
    y: cell.y - y,
    typeX: cell.typeX - x,
    typeY: cell.typeY - y,
  }));
  const none = { routes: [], mentions: [], links: [], entries: [], exits: [] };
  return { w, h, title: FRAME.title, up: false, cells: moved, ...none };
}

/** Lays out a training step for a view too narrow for its columns: the inputs above the lanes, the rest below them.
 * What follows the lanes stands beside them if that takes less area. */
import { type Cell, type Link, movedCell, movedLink, PLAIN_LINK } from '../frame';
import { type Rect, type Shape, SMALL, textWidth } from '../measure';
import { layoutRegion } from '../region';
import { PIN, type Placement, spacingOf } from '../region/region';
import type { Atom, Geometry } from './atoms';
import { isWithin } from './atoms';
import type { Bundle } from './bundles';
import type { LaneName } from './lanes';

/** A finished layout, px from its upper left corner. */
export interface Stack {
  cells: Cell[];
  links: Link[];
  width: number;
  height: number;
}

/** The parts that stand side by side, the geometry of their lanes, and their atoms. */
export interface Lanes extends Stack {
  geometry: Geometry;
  atoms: readonly Atom[];
}

/** Px between an atom and the text beside it, or an edge that turns there. */
const BESIDE = 6;

/** Lays out the parts that stand side by side as one box of a region, with the inputs above and the rest below. */
export function stackAround(
  shape: Shape,
  lanes: Lanes,
  atoms: readonly Atom[],
  bundles: readonly Bundle[],
  cellOf: (atom: Atom) => Cell,
): Stack {
  const inputs = atoms.filter(({ column }) => column === 'inputs');
  const within = new Set(lanes.atoms);
  const rest = atoms.filter((one) => one.column !== 'inputs' && !within.has(one));
  const place = new Map<Atom, number>();
  for (const [index, atom] of inputs.entries()) place.set(atom, index);
  for (const [index, atom] of rest.entries()) place.set(atom, inputs.length + 1 + index);
  const boxes = [...inputs, { w: lanes.width, h: lanes.height }, ...rest];
  const edges = edgesOf(lanes, within, bundles, place, inputs.length);
  const reach = [...inputs, null, ...rest].map((atom) =>
    atom ? BESIDE + textWidth(cellOf(atom).type, SMALL) : 0,
  );
  const pin = [...inputs.map(() => PIN.first), PIN.free, ...rest.map(pinOf)];
  const tied = [...edges, ...tiesOf(edges, inputs.length, pin)];
  const placement = placed(shape, boxes, tied, reach, pin);
  const corner = (index: number) => ({
    x: placement.x[index]! - boxes[index]!.w / 2,
    y: placement.y[index]! - boxes[index]!.h / 2,
  });
  for (const [atom, index] of place) Object.assign(atom, corner(index));
  const { x, y } = corner(inputs.length);
  return {
    cells: [...lanes.cells.map((cell) => movedCell(cell, x, y)), ...[...place.keys()].map(cellOf)],
    links: [
      ...lanes.links.map((link) => movedLink(link, x, y)),
      ...edges.map((edge, index) => linkOf(edge, placement, index, x, y)),
      ...cutLinks(lanes, within, bundles, x, y),
    ],
    width: placement.width,
    height: placement.height,
  };
}

const pinOf = ({ column }: Atom): number => (column === 'outputs' ? PIN.last : PIN.free);

/** The positions of the boxes. `reach` is the px that the text at each needs. */
const placed = (
  shape: Shape,
  boxes: readonly { w: number; h: number }[],
  edges: readonly Edge[],
  reach: readonly number[],
  pin: readonly number[],
): Placement =>
  layoutRegion(
    {
      width: boxes.map(({ w }) => w),
      height: boxes.map(({ h }) => h),
      source: edges.map(({ source }) => source.box),
      target: edges.map(({ target }) => target.box),
      sourceX: edges.map(({ source }) => source.x),
      targetX: edges.map(({ target }) => (target.rect ? target.x : Number.NaN)),
      reach,
      pin,
    },
    spacingOf(shape),
  );

/** Edges that are not drawn, between the lanes and the inputs and outputs without edges. They keep these above and
 * below the lanes, not beside everything. */
const tiesOf = (edges: readonly Edge[], block: number, pin: readonly number[]): Edge[] => {
  const end = { x: 0, id: '', rect: null, side: null };
  const tied = new Set(edges.flatMap(({ source, target }) => [source.box, target.box]));
  return pin.flatMap((at, box): Edge[] => {
    if (tied.has(box) || at === PIN.free) return [];
    const [source, target] = at === PIN.first ? [box, block] : [block, box];
    return [{ source: { ...end, box: source }, target: { ...end, box: target }, vars: [] }];
  });
};

/** The link of an edge, continued to the item within the lanes, whose corner is at (x, y). */
function linkOf(
  { source, target, vars }: Edge,
  placement: Placement,
  index: number,
  x: number,
  y: number,
): Link {
  const [from, to] = [placement.start[index]!, placement.start[index + 1]!];
  const middle = Array.from(placement.points.subarray(2 * from, 2 * to));
  const points = [...tail(source, x, y), ...middle, ...head(target, x, y)];
  const direction = target.side === null ? 'down' : 'right';
  const cut = placement.cut[index] === 1;
  return { ...PLAIN_LINK, source: source.id, target: target.id, vars, points, direction, cut };
}

/** The end of an edge: a box of the region, the px right of its centre, and the item there. */
interface End {
  box: number;
  x: number;
  id: string;
  /** The rectangle of that item among the lanes. */
  rect: Rect | null;
  /** The x at which the edge passes the atoms between the item and the border of the lanes; null if there are none. */
  side: number | null;
}

/** The points from an item among the lanes to their lower border. */
function tail({ rect, side }: End, x: number, y: number): number[] {
  if (!rect) return [];
  const level = y + rect.y + rect.h / 2;
  if (side === null) return [x + rect.x + rect.w / 2, y + rect.y + rect.h];
  return [x + rect.x + rect.w, level, x + side, level];
}

/** The points from the upper border of the lanes to an item among them. */
function head({ rect, side }: End, x: number, y: number): number[] {
  if (!rect) return [];
  const level = y + rect.y + rect.h / 2;
  if (side === null) return [x + rect.x + rect.w / 2, y + rect.y];
  return [x + side, level, x + rect.x, level];
}

/** The x beside these rectangles: right of them for an edge that leaves, else left of them. */
const sideOf = (passed: readonly Rect[], leaves: boolean): number =>
  leaves
    ? Math.max(...passed.map(({ x, w }) => x + w)) + BESIDE
    : Math.min(...passed.map(({ x }) => x)) - BESIDE;

/** The values that flow between two ends. */
interface Edge {
  source: End;
  target: End;
  vars: number[];
}

/** True if the text at an input lists the target, so that no edge is drawn. */
const isListedAtInput = ({ source, target }: Bundle): boolean =>
  source.column === 'inputs' && (target.column === 'backward' || target.column === 'after');

/** One edge for all values between the same boxes and lanes, except those listed at inputs. */
function edgesOf(
  { geometry, width, atoms }: Lanes,
  within: ReadonlySet<Atom>,
  bundles: readonly Bundle[],
  place: ReadonlyMap<Atom, number>,
  block: number,
): Edge[] {
  const endOf = (atom: Atom, leaves: boolean): End => {
    const box = place.get(atom);
    if (box !== undefined) return { box, x: 0, id: atom.item.id, rect: null, side: null };
    const frame = geometry.frames.get(atom.column as LaneName);
    const rect = frame && isWithin(atom, frame) ? frame : { ...atom, item: atom.item };
    const passed = atoms.filter(
      (one) =>
        one.column === atom.column &&
        !isWithin(one, rect) &&
        (leaves ? one.y >= rect.y : one.y <= rect.y),
    );
    const side = passed.length === 0 ? null : sideOf([rect, ...passed], leaves);
    const at = side ?? rect.x + rect.w / 2;
    return { box: block, x: at - width / 2, id: rect.item.id, rect, side };
  };
  const found = new Map<string, Edge>();
  for (const bundle of bundles) {
    const { source, target, vars } = bundle;
    if ((within.has(source) && within.has(target)) || isListedAtInput(bundle)) continue;
    const ends = { source: endOf(source, true), target: endOf(target, false) };
    const key = `${ends.source.id} ${ends.target.id}`;
    const existing = found.get(key);
    if (existing) existing.vars = [...new Set([...existing.vars, ...vars])];
    else found.set(key, { ...ends, vars: [...vars] });
  }
  return [...found.values()];
}

/** The edges from and to single atoms of the lanes. They are cut: unless selected, the edges of the whole lane
 * replace them. */
function cutLinks(
  { geometry, height }: Lanes,
  within: ReadonlySet<Atom>,
  bundles: readonly Bundle[],
  x: number,
  y: number,
): Link[] {
  return bundles.flatMap((bundle): Link[] => {
    const { source, target, vars } = bundle;
    const listed = isListedAtInput(bundle);
    const [from, to] = [within.has(source), within.has(target)];
    const atom = from ? source : target;
    const frame = geometry.frames.get(atom.column as LaneName);
    if (!listed && (from === to || !frame || !isWithin(atom, frame))) return [];
    const ends = { source: source.item.id, target: target.item.id, vars };
    const points = pointsOf(bundle, from, to, height, x, y);
    return [{ ...PLAIN_LINK, ...ends, points, direction: to ? 'right' : 'down', cut: true }];
  });
}

/** The points of such an edge: past the lanes of this `height`, whose corner is at (x, y). */
function pointsOf(
  { source, target }: Bundle,
  from: boolean,
  to: boolean,
  height: number,
  x: number,
  y: number,
): number[] {
  const atom = from ? source : target;
  const level = y + atom.y + atom.h / 2;
  const start = source.x + source.w / 2;
  const end = target.x + target.w / 2;
  if (from === to) return [start, source.y + source.h, end, target.y];
  if (from) {
    const right = x + atom.x + atom.w;
    const [turn, low] = [right + BESIDE, y + height + BESIDE];
    return [right, level, turn, level, turn, low, end, low, end, target.y];
  }
  const left = x + atom.x;
  const [turn, high] = [left - BESIDE, y - BESIDE];
  return [start, source.y + source.h, start, high, turn, high, turn, level, left, level];
}

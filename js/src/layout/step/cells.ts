/** Makes the cells of a training step from its atoms, once these have their places. */
import type { Item } from '../../facts/outline';
import { captionOf, LANE_COLUMNS, typesOf } from '../caption';
import type { Cell, Frame } from '../frame';
import { FRAME, SMALL } from '../measure';
import { movedCell } from '../moved';
import type { Atom, Column, Drawn, Geometry, List, Rect } from './atoms';
import type { Bundle } from './bundles';
import { BESIDE_MIDDLE, rectOf } from './geometry';
import { LANES, type LaneName } from './lanes';

/** The text at each atom: the type of what flows to the next row; at an input its own type, and
 * where it goes without an edge. */
export function typesWithin({ stage, graph }: Drawn, bundles: Bundle[]): Map<Atom, string> {
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

/** The cell of an atom. */
export function cellOfAtom(plan: Drawn, one: Atom, types: ReadonlyMap<Atom, string>): Cell {
  const up = one.column === 'backward';
  const made = cell(plan, one.item, one, one.frame, types.get(one) ?? '', up);
  return one.column === 'inputs' ? { ...made, typeX: one.x + BESIDE_MIDDLE } : made;
}

/** A cell at a place. Where data flows `up`, its type is written above it. */
function cell(
  { stage, graph }: Drawn,
  item: Item,
  rect: Rect,
  inner: Frame | null,
  type: string,
  up: boolean,
): Cell {
  const { x, y, w, h } = rect;
  const typeX = x + w / 2 + BESIDE_MIDDLE;
  const typeY = up ? y - 4 - SMALL : y + h + 4;
  return {
    item,
    caption: captionOf(stage, graph, item, LANE_COLUMNS),
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

/** All cells of a step. Those within an open pair are in the frames of the cells of that pair. */
export function cellsOf(
  plan: Drawn,
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

/** A frame around cells that have their place already. */
function around({ x, y, w, h }: Rect, cells: Cell[]): Frame {
  const moved = cells.map((cell) => movedCell(cell, -x, -y));
  const none = { routes: [], mentions: [], links: [], entries: [], exits: [] };
  return { w, h, title: FRAME.title, up: false, cells: moved, ...none };
}

/** The inside of an open item after layout: its cells, edges and names. It is moved, lowered or turned upside down as
 * a whole. */
import type { Id } from '../facts/ids';
import type { Item } from '../facts/outline';
import type { Caption } from './caption';
import { FRAME, SMALL } from './measure';
import type { Ports, Wire } from './wires';

/** An item with its place. `inner` is its laid-out inside; null if it is closed. */
export interface Cell {
  item: Item;
  caption: Caption;
  inner: Frame | null;
  /** Upper left corner, px from that of the frame. */
  x: number;
  y: number;
  w: number;
  h: number;
  /** The type of its results, written below it; empty if its inside shows that. */
  type: string;
  /** Upper left corner of that text. */
  typeX: number;
  typeY: number;
  /** The number of the column that begins with it, if a chain stands in several; else 0. */
  column?: number;
}

/** The direction in which an edge enters its target. */
export type Direction = 'down' | 'up' | 'right' | 'left';

/** An edge between any two items, also across the borders of groups. */
export interface Link {
  source: Id;
  target: Id;
  vars: readonly number[];
  points: number[];
  direction: Direction;
  cut: boolean;
  /** True if it passes the carry of a loop to the next iteration. */
  returns: boolean;
  /** `label` is written above the line and `note` below it; their middle is at (labelX, labelY). */
  label: string;
  note: string;
  labelX: number;
  labelY: number;
  /** The name of its values beside the target, if the link is cut. */
  mention: { text: string; x: number; y: number; w: number; h: number } | null;
}

/** A wire as it is drawn. `points` are as in `Placement`, px from the frame's upper left corner. */
export interface Route {
  wire: Wire;
  points: number[];
  /** True if it is too long to draw; a name at its end says where it comes from. */
  cut: boolean;
}

/** The end of a cut wire: the name of its values, beside their user. */
export interface Mention {
  wire: Wire;
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** From the text to the user. */
  points: number[];
}

/** The inside of an open item, or of the whole program. */
export interface Frame extends Ports {
  w: number;
  h: number;
  /** Height of the title, px. */
  title: number;
  /** The call whose contents it shows, if that has no box of its own. */
  call?: Item;
  /** True if data flows up in it. */
  up: boolean;
  /** The least `wide` of a shape with which it is the same; infinite if it depends on `wide`. */
  leastWide: number;
  cells: Cell[];
  routes: Route[];
  mentions: Mention[];
  links: Link[];
}

/** The fields of a link that is drawn whole and without text. */
export const PLAIN_LINK = {
  cut: false,
  returns: false,
  label: '',
  note: '',
  labelX: 0,
  labelY: 0,
  mention: null,
} as const;

/** The fields of a frame that contains only cells and links. */
export const ONLY_CELLS = {
  title: FRAME.title,
  up: false,
  leastWide: 0,
  routes: [],
  mentions: [],
  links: [],
  entries: [],
  exits: [],
} as const satisfies Partial<Frame>;

/** Points moved by (x, y), px. */
export const movedPoints = (points: readonly number[], x: number, y: number): number[] =>
  points.map((value, at) => value + (at % 2 === 0 ? x : y));

/** A cell moved by (x, y), px: from the corner of one frame to that of another. */
export const movedCell = (cell: Cell, x: number, y: number): Cell => ({
  ...cell,
  x: cell.x + x,
  y: cell.y + y,
  typeX: cell.typeX + x,
  typeY: cell.typeY + y,
});

/** A link moved in the same way. */
export const movedLink = (link: Link, x: number, y: number): Link => ({
  ...link,
  points: movedPoints(link.points, x, y),
  labelX: link.labelX + x,
  labelY: link.labelY + y,
  mention: link.mention && { ...link.mention, x: link.mention.x + x, y: link.mention.y + y },
});

/** The frame made `by` px taller, with its contents moved down by as much. */
export function lowered(frame: Frame, by: number): Frame {
  const down = (points: readonly number[]) => movedPoints(points, 0, by);
  return {
    ...frame,
    h: frame.h + by,
    cells: frame.cells.map((cell) => movedCell(cell, 0, by)),
    routes: frame.routes.map((route) => ({ ...route, points: down(route.points) })),
    mentions: frame.mentions.map((one) => ({ ...one, y: one.y + by, points: down(one.points) })),
    links: frame.links.map((link) => movedLink(link, 0, by)),
  };
}

/** The direction of an edge after its frame is turned over, by its direction before. */
const FLIPPED = { down: 'up', up: 'down', right: 'right', left: 'left' } as const;

/** The frame upside down, except for its title, which stays on top. */
export function flipped(frame: Frame): Frame {
  const sum = frame.title + frame.h;
  const turned = (points: readonly number[]) =>
    points.map((value, at) => (at % 2 === 0 ? value : sum - value));
  const over = <T extends { y: number; h: number }>(one: T): T => ({
    ...one,
    y: sum - one.y - one.h,
  });
  return {
    ...frame,
    up: !frame.up,
    cells: frame.cells.map((cell) => ({ ...over(cell), typeY: sum - cell.typeY - SMALL })),
    routes: frame.routes.map((route) => ({ ...route, points: turned(route.points) })),
    mentions: frame.mentions.map((one) => ({ ...over(one), points: turned(one.points) })),
    links: frame.links.map((link) => ({
      ...link,
      points: turned(link.points),
      direction: FLIPPED[link.direction],
      labelY: sum - link.labelY,
      mention: link.mention && over(link.mention),
    })),
  };
}

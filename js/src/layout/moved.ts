/** Moves points, cells and links by (x, y), px: from the corner of one frame to that of another. */
import type { Cell, Link } from './frame';

export const movedPoints = (points: readonly number[], x: number, y: number): number[] =>
  points.map((value, at) => value + (at % 2 === 0 ? x : y));

export const movedCell = (cell: Cell, x: number, y: number): Cell => ({
  ...cell,
  x: cell.x + x,
  y: cell.y + y,
  typeX: cell.typeX + x,
  typeY: cell.typeY + y,
});

export const movedLink = (link: Link, x: number, y: number): Link => ({
  ...link,
  points: movedPoints(link.points, x, y),
  labelX: link.labelX + x,
  labelY: link.labelY + y,
  mention: link.mention && { ...link.mention, x: link.mention.x + x, y: link.mention.y + y },
});

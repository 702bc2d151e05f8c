/** Points and distances that the edges of a training step are routed by, px. */
import type { Atom, Column, Geometry, Rect } from './atoms';

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

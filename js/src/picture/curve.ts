import type { Edge } from '../layout/scene';
import { at, px } from './markup';

/** How round an edge turns from level to upright, px. */
const ROUND = 7;
/** Where the controls of a cubic lie that draws a quarter of a circle of radius 1. */
const QUARTER = 0.5523;

const HEADS = {
  down: 'l-3.2-7h6.4z',
  up: 'l3.2 7h-6.4z',
  right: 'l-7-3.2v6.4z',
  left: 'l7 3.2v-6.4z',
} as const;

/** An arrowhead at the last point of an edge. */
export const arrowhead = ({ points, way }: Edge): string =>
  `M${at(points.at(-2)!, points.at(-1)!)}${HEADS[way]}`;

/** Straight where it runs level or upright, with rounded corners; else a cubic. */
export function curve({ points }: Edge): string {
  let d = `M${at(points[0]!, points[1]!)}`;
  for (let k = 2; k < points.length; k += 2) {
    const [fromX, fromY, x, y] = points.slice(k - 2, k + 2) as [number, number, number, number];
    const middle = px((fromY + y) / 2);
    if (fromX !== x && fromY !== y) d += `C${px(fromX)} ${middle} ${px(x)} ${middle} ${at(x, y)}`;
    else if (k + 2 < points.length) d += turn(fromX, fromY, x, y, points[k + 2]!, points[k + 3]!);
    else d += fromX === x ? `V${px(y)}` : `H${px(x)}`;
  }
  return d;
}

/** To (x, y), from where it goes on to (onX, onY): round where that is a right angle. */
function turn(fromX: number, fromY: number, x: number, y: number, onX: number, onY: number) {
  if ((fromX === x) === (onX === x) || (onX === x) === (onY === y)) return `L${at(x, y)}`;
  const before = Math.abs(x - fromX) + Math.abs(y - fromY);
  const after = Math.abs(onX - x) + Math.abs(onY - y);
  const round = Math.min(ROUND, before / 2, after / 2);
  const near = round * (1 - QUARTER);
  const back = (by: number) => at(x - Math.sign(x - fromX) * by, y - Math.sign(y - fromY) * by);
  const on = (by: number) => at(x + Math.sign(onX - x) * by, y + Math.sign(onY - y) * by);
  return `L${back(round)}C${back(near)} ${on(near)} ${on(round)}`;
}

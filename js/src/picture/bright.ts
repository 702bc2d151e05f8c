/** What of a scene alone is bright. */
import type { Id } from '../facts/ids';
import { type Bright, waysBetween } from '../facts/ways';
import type { Scene } from '../layout/scene';
import { boxShowing } from '../layout/scene-walk';
import type { Born, Stage } from '../schema';
import type { Marks } from './looks';

/** The boxes of what alone is bright. */
export const boxesIn = ({ boxes }: Scene, { has }: Bright): Set<number> =>
  new Set(boxes.flatMap(({ item }, box) => (has(item) ? [box] : [])));

/** The edges of what alone is bright; null where that says nothing of edges. */
export function edgesIn({ boxes, edges }: Scene, bright: Bright | null): Set<number> | null {
  const { carries, has } = bright ?? {};
  if (!carries || !has) return null;
  const isOn = (box: number) => boxes[box] !== undefined && has(boxes[box].item);
  return new Set(
    edges.flatMap(({ path, vars, source, target }, edge) =>
      isOn(source) && isOn(target) && vars.some((one) => carries(path, one)) ? [edge] : [],
    ),
  );
}

/** The marks of a scene in which all ways from where a NaN was born to the result are bright. */
export function marksOfBirth(stage: Stage, scene: Scene, born: Born): Partial<Marks> {
  const [at, to] = [born.at as Id, born.to as Id];
  const bright = waysBetween(stage, at, to);
  const [near, lit] = [boxesIn(scene, bright), edgesIn(scene, bright) ?? new Set<number>()];
  return { near, lit, selected: boxShowing(stage, scene, at) };
}

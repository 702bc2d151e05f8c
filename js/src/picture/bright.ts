/** What of a scene alone is bright. */
import type { Id } from '../facts/ids';
import { recordedIn } from '../facts/trace-steps';
import { type Bright, waysBetween } from '../facts/ways';
import type { Scene } from '../layout/scene';
import { boxShowing } from '../layout/scene-walk';
import type { Report, Stage } from '../schema';
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

/** What a report marks in the scene of a stage: all paths from where a NaN was born to the result, or the
 * eqns of which optimized HLO has an instruction. */
export function marksOf(report: Report, stage: Stage, scene: Scene): Partial<Marks> {
  if (stage.kind !== 'jaxpr') return {};
  const [born] = report.tool === 'find_nan' ? report.born : [];
  if (born) {
    const [at, to] = [born.at as Id, born.to as Id];
    const bright = waysBetween(stage, at, to);
    const [near, lit] = [boxesIn(scene, bright), edgesIn(scene, bright) ?? new Set<number>()];
    return { near, lit, selected: boxShowing(stage, scene, at) };
  }
  if (report.tool !== 'passes') return {};
  const { passes, unnamed } = report;
  const gone = new Set([...unnamed, ...passes.flatMap((one) => one.gone)]);
  const eqns = stage.graphs.flatMap((graph) => graph.eqns).map((_, eqn) => eqn);
  const left = new Set(eqns.filter((eqn) => !gone.has(eqn)));
  return { near: boxesIn(scene, { has: recordedIn(stage, left) }) };
}

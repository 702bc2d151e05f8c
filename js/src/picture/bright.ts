/** What of a scene alone is bright. */
import type { Id } from '../facts/ids';
import { recordedBy, recordedIn } from '../facts/trace-steps';
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

/** The marks of a report in the scene of a stage: all paths from the origin of a NaN to the result, the eqns that
 * have an instruction in optimized HLO, or the last step in which a line of the user's added eqns, with all that
 * JAX had recorded by then. */
export function marksOf(report: Report, stage: Stage, scene: Scene): Partial<Marks> {
  if (stage.kind !== 'jaxpr') return {};
  const [origin] = report.tool === 'find_nan' ? report.origins : [];
  if (origin) {
    const [at, to] = [origin.at as Id, origin.to as Id];
    const bright = waysBetween(stage, at, to);
    const [near, lit] = [boxesIn(scene, bright), edgesIn(scene, bright) ?? new Set<number>()];
    return { near, lit, selected: boxShowing(stage, scene, at) };
  }
  if (report.tool === 'steps') {
    const adding = report.steps.map(({ kind, eqns }) => kind !== 'rest' && eqns.length > 0);
    const at = adding.lastIndexOf(true);
    const isOfStep = recordedIn(stage, new Set(report.steps[at]?.eqns));
    const linked = scene.boxes.flatMap(({ item, open }, box) =>
      !open && item.start < item.stop && isOfStep(item) ? [box] : [],
    );
    const near = boxesIn(scene, { has: recordedIn(stage, recordedBy(report, at)) });
    return at < 0 ? {} : { near, linked: new Set(linked) };
  }
  if (report.tool !== 'passes') return {};
  const { passes, unnamed } = report;
  const gone = new Set([...unnamed, ...passes.flatMap((one) => one.gone)]);
  const eqns = stage.graphs.flatMap((graph) => graph.eqns).map((_, eqn) => eqn);
  const left = new Set(eqns.filter((eqn) => !gone.has(eqn)));
  return { near: boxesIn(scene, { has: recordedIn(stage, left) }) };
}

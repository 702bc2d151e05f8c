/** The marks of XLA's passes in a picture. */
import { recordedIn } from '../../facts/reports';
import { boxesIn } from '../../picture/appearance';
import type { ReportMarks } from '../../picture/picture';
import type { Passes } from '../../schema';

/** The eqns with an instruction in optimized HLO. */
export const passMarks = ({ passes, unnamed }: Passes): ReportMarks => ({
  marks: (jaxpr, scene) => {
    const gone = new Set([...unnamed, ...passes.flatMap((one) => one.gone)]);
    const eqns = jaxpr.graphs.flatMap((graph) => graph.eqns).map((_, eqn) => eqn);
    const left = new Set(eqns.filter((eqn) => !gone.has(eqn)));
    return { near: boxesIn(scene, { has: recordedIn(jaxpr, left) }) };
  },
});

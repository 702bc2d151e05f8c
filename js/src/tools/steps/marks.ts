/** The marks of the steps of a trace in a picture. */
import { recordedBy, recordedIn } from '../../facts/reports';
import { boxesIn } from '../../picture/appearance';
import type { ReportMarks } from '../../picture/picture';
import type { Steps } from '../../schema';

/** The eqns that JAX had recorded up to the last step whose line added eqns. */
export const stepMarks = (report: Steps): ReportMarks => ({
  marks: (jaxpr, scene) => {
    const adding = report.steps.map(({ kind, eqns }) => kind !== 'rest' && eqns.length > 0);
    const at = adding.lastIndexOf(true);
    if (at < 0) return {};
    const isOfStep = recordedIn(jaxpr, new Set(report.steps[at]?.eqns));
    const linked = scene.boxes.flatMap(({ item, open }, box) =>
      !open && item.start < item.stop && isOfStep(item) ? [box] : [],
    );
    const near = boxesIn(scene, { has: recordedIn(jaxpr, recordedBy(report, at)) });
    return { near, linked: new Set(linked) };
  },
});

/** The marks of an origin of a NaN or an infinity in a picture. */
import { isId } from '../../facts/ids';
import { pathsBetween } from '../../facts/reach';
import { boxShowing } from '../../layout/scene-walk';
import { boxesIn, edgesIn } from '../../picture/appearance';
import type { ReportMarks } from '../../picture/picture';
import type { NanOrigins } from '../../schema';

/** All paths from the first origin to the result. */
export const originMarks = ({ origins: [origin] }: NanOrigins): ReportMarks => ({
  marks: (jaxpr, scene) => {
    if (!origin || !isId(origin.at) || !isId(origin.to)) return {};
    const bright = pathsBetween(jaxpr, origin.at, origin.to);
    return {
      near: boxesIn(scene, bright),
      lit: edgesIn(scene, bright) ?? new Set(),
      selected: boxShowing(jaxpr, scene, origin.at),
    };
  },
});

/** The casts of a stage: the eqns that give values another dtype. An outlier is a cast in one layer that the other
 * layers do not make. */
import type { Outlier, Stage } from '../../schema';
import { avalOf, type EqnPlace } from '../graph';
import { cached } from '../maps';

/** An eqn that turns values into another dtype. */
export interface Cast extends EqnPlace {
  /** The dtypes as the stage's text has them: `bf16`, `f32`. */
  from: string;
  to: string;
  /** The size of the result; null if it is not known. */
  bytes: number | null;
  /** The kernel's sentence about a cast that the other layers of its kind do not make. */
  outlier: Outlier | null;
}

/** The dtype of a type as the text has it: `bf16` of `bf16[8,64]`. */
export const shortDtype = (type: string): string => /^~?([^[{(]*)/.exec(type)?.[1] ?? '';

/** True if an op of any stage gives values another dtype. */
export const isCast = (op: string): boolean =>
  op === 'convert_element_type' || op === 'stablehlo.convert' || op === 'convert';

/** All casts of a stage: outliers first, then the largest results. A change of weak type only is no cast. */
export const castsIn = cached((stage: Stage): readonly Cast[] => {
  const outliers = outliersIn(stage);
  let passed = -1;
  const found = stage.graphs.flatMap((graph, number) =>
    graph.eqns.flatMap(({ op, invars: [operand], outvars: [result] }, eqn): Cast[] => {
      passed += 1;
      if (!isCast(op) || operand === undefined || result === undefined) return [];
      const [before, after] = [avalOf(stage, graph, operand), avalOf(stage, graph, result)];
      if (before.dtype === after.dtype) return [];
      const outlier = outliers.get(passed) ?? null;
      const [from, to] = [shortDtype(before.text), shortDtype(after.text)];
      return [{ graph: number, eqn, from, to, bytes: after.bytes, outlier }];
    }),
  );
  const size = ({ outlier, bytes }: Cast) => (outlier ? Number.POSITIVE_INFINITY : (bytes ?? -1));
  return found
    .map((cast, at) => ({ cast, at, size: size(cast) }))
    .sort((one, other) => (one.size === other.size ? one.at - other.at : other.size - one.size))
    .map(({ cast }) => cast);
});

/** True if a stage contains a cast. */
export const hasCasts = cached((stage: Stage): boolean =>
  stage.graphs.some(({ eqns }) => eqns.some(({ op }) => isCast(op))),
);

/** The outliers of a stage by the numbers of their eqns. */
export const outliersIn = cached(
  ({ strays }: Stage): ReadonlyMap<number, Outlier> => new Map(strays.map((one) => [one.eqn, one])),
);

/** The outliers of each layer that has some, in program order. */
export function outlierLayers({ strays }: Stage): readonly [Outlier, ...Outlier[]][] {
  const found = new Map<string, [Outlier, ...Outlier[]]>();
  for (const one of strays) {
    const layer = found.get(one.layer);
    if (layer) layer.push(one);
    else found.set(one.layer, [one]);
  }
  return [...found.values()];
}

/** The casts of a stage: where values get another dtype, and which of them are strays, which the
 * other layers do not make. */
import type { Outlier, Stage } from '../../schema';
import { avalOf, type EqnPlace } from '../graph';
import { cached } from '../maps';

/** An eqn that turns values into another dtype. */
export interface Cast extends EqnPlace {
  /** The dtypes as the stage's text has them: `bf16`, `f32`. */
  from: string;
  to: string;
  /** Of the result; null where that is not known. */
  bytes: number | null;
  /** What the kernel says where the layers like its own make no such cast. */
  stray: Outlier | null;
}

/** The dtype of a type as the text has it: `bf16` of `bf16[8,64]`. */
export const shortDtype = (type: string): string => /^~?([^[{(]*)/.exec(type)?.[1] ?? '';

/** Whether an op of any stage turns values into another dtype. */
export const isCast = (op: string): boolean =>
  op === 'convert_element_type' || op === 'stablehlo.convert' || op === 'convert';

/** All casts of a stage: strays first, and else the largest result first. What changes a weak type
 * alone is none. */
export const castsIn = cached((stage: Stage): readonly Cast[] => {
  const strays = straysIn(stage);
  let passed = -1;
  const found = stage.graphs.flatMap((graph, number) =>
    graph.eqns.flatMap(({ op, invars: [operand], outvars: [result] }, eqn): Cast[] => {
      passed += 1;
      if (!isCast(op) || operand === undefined || result === undefined) return [];
      const [before, after] = [avalOf(stage, graph, operand), avalOf(stage, graph, result)];
      if (before.dtype === after.dtype) return [];
      const stray = strays.get(passed) ?? null;
      const [from, to] = [shortDtype(before.text), shortDtype(after.text)];
      return [{ graph: number, eqn, from, to, bytes: after.bytes, stray }];
    }),
  );
  const size = ({ stray, bytes }: Cast) => (stray ? Number.POSITIVE_INFINITY : (bytes ?? -1));
  return found
    .map((cast, at) => ({ cast, at, size: size(cast) }))
    .sort((one, other) => (one.size === other.size ? one.at - other.at : other.size - one.size))
    .map(({ cast }) => cast);
});

/** Whether a stage has any cast. */
export const hasCasts = cached((stage: Stage): boolean =>
  stage.graphs.some(({ eqns }) => eqns.some(({ op }) => isCast(op))),
);

/** The strays of a stage by the numbers of their eqns. */
export const straysIn = cached(
  ({ strays }: Stage): ReadonlyMap<number, Outlier> => new Map(strays.map((one) => [one.eqn, one])),
);

/** The strays of each layer that has some, in program order. */
export function strayLayers({ strays }: Stage): readonly [Outlier, ...Outlier[]][] {
  const found = new Map<string, [Outlier, ...Outlier[]]>();
  for (const one of strays) {
    const known = found.get(one.layer);
    if (known) known.push(one);
    else found.set(one.layer, [one]);
  }
  return [...found.values()];
}

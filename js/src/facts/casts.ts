/** The casts of a stage: where values get another dtype, and which of them are strays: casts that
 * no sibling layer has, and ops that are wider than in all sibling layers. */

import type { Stage } from '../schema';
import { cached } from './cached';
import { avalOf } from './graph';
import { type EqnPlace, isCast, type UnlikeGroup, unlikeGroups } from './siblings';

/** An eqn that turns values into another dtype. */
export interface Cast extends EqnPlace {
  /** The dtypes as the stage's text has them: `bf16`, `f32`. */
  from: string;
  to: string;
  /** Of the result; null where that is not known. */
  bytes: number | null;
  /** The group that it is in, where the groups like that one have no such cast. */
  stray: UnlikeGroup | null;
}

/** The dtype of a type as the text has it: `bf16` of `bf16[8,64]`. */
export const shortDtype = (type: string): string => /^~?([^[{(]*)/.exec(type)?.[1] ?? '';

/** The bits of a float or complex dtype, by its long name; 0 of any other. */
export const floatBits = (dtype: string): number =>
  Number(/^(?:b?float|complex)(\d+)/.exec(dtype)?.[1] ?? 0);

/** All casts of a stage: strays first, and else the largest result first. What changes a weak type
 * alone is none. */
export const castsIn = cached((stage: Stage): readonly Cast[] => {
  const strays = straysIn(stage);
  const found = stage.graphs.flatMap((graph, number) =>
    graph.eqns.flatMap(({ op, invars: [operand], outvars: [result] }, eqn): Cast[] => {
      if (!isCast(op) || operand === undefined || result === undefined) return [];
      const [before, after] = [avalOf(stage, graph, operand), avalOf(stage, graph, result)];
      if (before.dtype === after.dtype) return [];
      const stray = strays.get(keyOf({ graph: number, eqn })) ?? null;
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

/** Whether a stage has any cast, without comparing its layers. */
export const hasCasts = cached((stage: Stage): boolean =>
  stage.graphs.some(({ eqns }) => eqns.some(({ op }) => isCast(op))),
);

const keyOf = ({ graph, eqn }: EqnPlace): string => `${graph} ${eqn}`;

/** The eqns of a group that are wider than in those like it, and the casts that these lack. */
export const straysOf = (stage: Stage, { own, retyped }: UnlikeGroup): readonly EqnPlace[] => [
  ...own.filter(({ graph, eqn }) => isCast(stage.graphs[graph]!.eqns[eqn]!.op)),
  ...retyped.filter(({ before, after }) => floatBits(after) > floatBits(before)),
];

/** The groups with casts or wide ops that those like them lack. */
export const strayGroups = cached((stage: Stage): readonly UnlikeGroup[] =>
  unlikeGroups(stage).filter((one) => straysOf(stage, one).length > 0),
);

const straysIn = cached(
  (stage: Stage): ReadonlyMap<string, UnlikeGroup> =>
    new Map(
      strayGroups(stage).flatMap((one) =>
        straysOf(stage, one).map((place): [string, UnlikeGroup] => [keyOf(place), one]),
      ),
    ),
);

export const isStray = (stage: Stage, graph: number, eqn: number): boolean =>
  straysIn(stage).has(keyOf({ graph, eqn }));

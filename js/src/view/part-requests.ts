/** Asks the kernel what the values of a part of a program are like, for which it runs once more. */
import { useMemo, useState } from 'preact/hooks';
import { withHeld } from '../facts/linked/origins';
import type { LineValues, PartValues, Program, Stage } from '../schema';
import type { Kernel, RequestState } from '../state/kernel-requests';
import { useRequest } from './one-request';

/** What was told of parts so far. */
export interface ShownParts {
  /** The results of some eqns and of what they hold; null where not all of these were told. */
  of: (eqns: readonly number[]) => readonly LineValues[] | null;
  /** How the request for some eqns goes; null where none is on its way or failed. */
  request: (eqns: readonly number[]) => RequestState | null;
  ask: (eqns: readonly number[]) => void;
  stop: () => void;
}

interface Told extends PartValues {
  /** All eqns that were asked for, with what they hold. */
  numbers: ReadonlySet<number>;
}

/** A program whose values were told, with what was told of parts in its jaxpr, and what tells more: null where no
 * kernel can. */
export function useParts(program: Program, kernel: Kernel | null): [Program, ShownParts | null] {
  const [told, tell] = useState<readonly Told[]>([]);
  const [asked, setAsked] = useState('');
  const [request, begin, stop] = useRequest();
  const whole = useMemo(() => withParts(program, told), [program, told]);
  const [jaxpr] = program.stages;
  if (!kernel || jaxpr?.kind !== 'jaxpr') return [program, null];
  const ask = (eqns: readonly number[]) => {
    setAsked(eqns.join());
    begin(
      (hear, signal) => kernel.values(eqns, hear, signal),
      (part) => tell((before) => [...before, { ...part, numbers: heldBy(jaxpr, eqns) }]),
    );
  };
  const shown: ShownParts = {
    of: (eqns) => resultsOf(told, heldBy(jaxpr, eqns)),
    request: (eqns) => (eqns.join() === asked ? request : null),
    ask,
    stop,
  };
  return [whole, shown];
}

const heldBy = (stage: Stage, eqns: readonly number[]): ReadonlySet<number> =>
  new Set(withHeld(stage, eqns, () => [], []).map(({ number }) => number));

function resultsOf(told: readonly Told[], wanted: ReadonlySet<number>): LineValues[] | null {
  const part = told.find(({ numbers }) => [...wanted].every((eqn) => numbers.has(eqn)));
  return part?.results.filter(({ eqn }) => wanted.has(eqn)) ?? null;
}

/** The program, of which the jaxpr has what was told last of each eqn. */
function withParts(program: Program, told: readonly Told[]): Program {
  if (told.length === 0) return program;
  const stages = program.stages.map((stage) => {
    if (stage.kind !== 'jaxpr') return stage;
    const all = [...stage.values, ...told.flatMap(({ eqns }) => eqns)];
    const values = [...new Map(all.map((one) => [one.eqn, one])).values()];
    return { ...stage, values: values.sort((a, b) => a.eqn - b.eqn) };
  });
  return { ...program, stages };
}

/** Asks the kernel for the values of a part of a program, which runs once more for it. */
import { useMemo, useState } from 'preact/hooks';
import { withHeld } from '../../facts/linked/origins';
import type { LineValues, PartValues, Program, Stage } from '../../schema';
import { useRequest } from '../../shell/parts/arrival';
import {
  type Kernel,
  type KernelRequest,
  type RequestState,
  recordReader,
} from '../../state/kernel-requests';

/** The parts that were answered so far. */
export interface ShownParts {
  /** The results of some eqns and of those in their bodies; null if some of these have no answer yet. */
  of: (eqns: readonly number[]) => readonly LineValues[] | null;
  /** How the request for some eqns goes; null where none is on its way or failed. */
  request: (eqns: readonly number[]) => RequestState | null;
  ask: (eqns: readonly number[]) => void;
  stop: () => void;
}

interface Answer extends PartValues {
  /** All eqns that were asked for, with those in their bodies. */
  numbers: ReadonlySet<number>;
}

/** A program with the answers for parts of its jaxpr, and the requests for more: null if no kernel
 * answers. */
export function useParts(program: Program, kernel: Kernel | null): [Program, ShownParts | null] {
  const [answers, add] = useState<readonly Answer[]>([]);
  const [asked, setAsked] = useState('');
  const [request, begin, stop] = useRequest();
  const whole = useMemo(() => withParts(program, answers), [program, answers]);
  const [jaxpr] = program.stages;
  if (!kernel || jaxpr?.kind !== 'jaxpr') return [program, null];
  const ask = (eqns: readonly number[]) => {
    setAsked(eqns.join());
    begin(
      (onProgress, signal) => kernel.request(valuesRequest(eqns), onProgress, signal),
      (part) => add((before) => [...before, { ...part, numbers: within(jaxpr, eqns) }]),
    );
  };
  const shown: ShownParts = {
    of: (eqns) => resultsOf(answers, within(jaxpr, eqns)),
    request: (eqns) => (eqns.join() === asked ? request : null),
    ask,
    stop,
  };
  return [whole, shown];
}

/** The values of some eqns. The program runs once more. */
const valuesRequest = (eqns: readonly number[]): KernelRequest<PartValues> => ({
  fields: { values: [...eqns] },
  read: recordReader('PartValues'),
});

const within = (stage: Stage, eqns: readonly number[]): ReadonlySet<number> =>
  new Set(withHeld(stage, eqns, () => [], []).map(({ number }) => number));

function resultsOf(answers: readonly Answer[], wanted: ReadonlySet<number>): LineValues[] | null {
  const part = answers.find(({ numbers }) => [...wanted].every((eqn) => numbers.has(eqn)));
  return part?.results.filter(({ eqn }) => wanted.has(eqn)) ?? null;
}

/** The program. Its jaxpr has the last answer for each eqn. */
function withParts(program: Program, answers: readonly Answer[]): Program {
  if (answers.length === 0) return program;
  const stages = program.stages.map((stage) => {
    if (stage.kind !== 'jaxpr') return stage;
    const all = [...stage.values, ...answers.flatMap(({ eqns }) => eqns)];
    const values = [...new Map(all.map((one) => [one.eqn, one])).values()];
    return { ...stage, values: values.sort((a, b) => a.eqn - b.eqn) };
  });
  return { ...program, stages };
}

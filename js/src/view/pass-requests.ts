/** Asks the kernel for XLA's passes, for the program after one of them, and for what it changed. */
import { useState } from 'preact/hooks';
import { kindAfter } from '../facts/passes';
import type { Passes, Program, Stage } from '../schema';
import type { Kernel, RequestState } from '../state/kernel-requests';
import { useRequest } from './one-request';

/** What is known of XLA's passes, and what of them is shown. */
export interface ShownPasses {
  /** Null until they were asked for. */
  passes: Passes | null;
  /** How the last request goes; null where none is on its way or failed. */
  request: RequestState | null;
  /** The pass that is shown; 0 is the program before the first. */
  pass: number;
  /** The program after that pass, as a stage of the program. */
  stage: Stage | null;
  /** What that pass changed, in place of the program after it. */
  changes: Program | null;
  ask: (agreed: boolean) => void;
  /** Null where no kernel has the programs. */
  show: ((pass: number, changes: boolean) => void) | null;
  stop: () => void;
}

type Seen = Pick<ShownPasses, 'pass' | 'stage' | 'changes'>;

const NOTHING: Seen = { pass: 0, stage: null, changes: null };

/** The passes of a program; null where they are not reported, and no kernel can tell of them. */
export function usePasses(kernel: Kernel | null, reported: Passes | null): ShownPasses | null {
  const [passes, tell] = useState(reported);
  const [seen, see] = useState(NOTHING);
  const [request, begin, stop] = useRequest();
  const ended = { passes, request, ...seen, ask: () => undefined, show: null, stop };
  if (!kernel) return reported && ended;
  const show = (pass: number, changes: boolean) =>
    changes
      ? begin(
          (told, signal) => kernel.changesOfPass(pass, told, signal),
          (found) => see((before) => ({ ...before, pass, changes: found })),
        )
      : begin(
          (told, signal) => kernel.afterPass(pass, told, signal),
          (found) => see({ pass, stage: stageAfter(found, pass), changes: null }),
        );
  const ask = (agreed: boolean) =>
    begin(
      (told, signal) => kernel.passes(agreed, told, signal),
      (found) => {
        tell(found);
        if (found.passes.length > 0) show(found.passes.length, false);
      },
    );
  return { passes, request, ...seen, ask, show, stop };
}

/** The stage of an answer, under the name that it has here. */
function stageAfter({ stages }: Program, pass: number): Stage | null {
  const [stage] = stages;
  return stage ? { ...stage, kind: kindAfter(pass) } : null;
}

/** The tab of XLA's passes: the changes of each pass, and the program after it. The kernel is asked
 * when the tab is opened. */
import { useMemo, useState } from 'preact/hooks';
import { kindAfter } from '../../facts/kinds';
import { __ } from '../../language';
import type { Passes, Program, Stage } from '../../schema';
import { useRequest } from '../../shell/parts/arrival';
import { later } from '../../shell/parts/deferred';
import type { ToolTab } from '../../shell/program-view';
import type { Kernel } from '../../state/kernel-requests';
import { changesOf, passesRequest, programAfter } from './requests';
import type { ShownPasses } from './view';
import { passText } from './words';

const PassesView = later(async () => (await import('./view')).PassesView);

export const PASSES: ToolTab = {
  tool: 'passes',
  label: () => __('Passes'),
  useShown(kernel, report) {
    const shown = usePasses(kernel, report?.tool === 'passes' ? report : null);
    const passes = shown?.passes;
    const text = useMemo(
      () => passes && ((eqns: readonly number[]) => passText(passes, eqns)),
      [passes],
    );
    return (
      shown && {
        stage: shown.stage,
        passText: text ?? null,
        view: (props) => <PassesView {...props} shown={shown} />,
      }
    );
  },
};

const NOTHING: Pick<ShownPasses, 'pass' | 'stage' | 'changes'> = {
  pass: 0,
  stage: null,
  changes: null,
};

/** The passes of a program; null if they are not reported and no kernel can report them. */
function usePasses(kernel: Kernel | null, reported: Passes | null): ShownPasses | null {
  const [passes, setPasses] = useState(reported);
  const [shown, setShown] = useState(NOTHING);
  const [request, begin, stop] = useRequest();
  const ended = { passes, request, ...shown, ask: () => undefined, show: null, stop };
  if (!kernel) return reported && ended;
  const show = (pass: number, changes: boolean) =>
    changes
      ? begin(
          (onProgress, signal) => kernel.request(changesOf(pass), onProgress, signal),
          (changes) => setShown((before) => ({ ...before, pass, changes })),
        )
      : begin(
          (onProgress, signal) => kernel.request(programAfter(pass), onProgress, signal),
          (program) => setShown({ pass, stage: stageAfter(program, pass), changes: null }),
        );
  const ask = (agreed: boolean) =>
    begin(
      (onProgress, signal) => kernel.request(passesRequest(agreed), onProgress, signal),
      (found) => {
        setPasses(found);
        if (found.passes.length > 0) show(found.passes.length, false);
      },
    );
  return { passes, request, ...shown, ask, show, stop };
}

/** The stage of an answer, under its name on the page. */
function stageAfter({ stages }: Program, pass: number): Stage | null {
  const [stage] = stages;
  return stage ? { ...stage, kind: kindAfter(pass) } : null;
}

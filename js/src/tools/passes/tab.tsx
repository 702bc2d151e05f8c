/** The tab of XLA's passes, for which the kernel is asked once it is opened: what each pass changed, and the
 * program after it. */
import { useMemo, useState } from 'preact/hooks';
import { kindAfter } from '../../facts/kinds';
import { __ } from '../../language';
import type { Passes, Program, Stage } from '../../schema';
import { useRequest } from '../../shell/parts/arrival';
import { later } from '../../shell/parts/deferred';
import type { ToolTab } from '../../shell/program-view';
import type { Kernel } from '../../state/kernel-requests';
import type { ShownPasses } from './view';
import { wentText } from './words';

const PassesView = later(async () => (await import('./view')).PassesView);

export const PASSES: ToolTab = {
  tool: 'passes',
  label: () => __('Passes'),
  useShown(kernel, report) {
    const shown = usePasses(kernel, report?.tool === 'passes' ? report : null);
    const passes = shown?.passes;
    const went = useMemo(
      () => passes && ((eqns: readonly number[]) => wentText(passes, eqns)),
      [passes],
    );
    return (
      shown && {
        stage: shown.stage,
        wentText: went ?? null,
        view: (props) => <PassesView {...props} shown={shown} />,
      }
    );
  },
};

type Seen = Pick<ShownPasses, 'pass' | 'stage' | 'changes'>;

const NOTHING: Seen = { pass: 0, stage: null, changes: null };

/** The passes of a program; null where they are not reported, and no kernel can tell of them. */
function usePasses(kernel: Kernel | null, reported: Passes | null): ShownPasses | null {
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

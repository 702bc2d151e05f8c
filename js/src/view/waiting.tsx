import { useEffect, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Program } from '../schema';
import { fromKernel } from '../words/kernel-words';
import { phrase } from './phrase';
import type { Stages } from './stages';

interface Props {
  kind: string;
  stages: Stages;
}

/** In place of a stage that is not here: how it is made, or why not. */
export function Waiting({ kind, stages: { program, asked, ask, stop } }: Props) {
  const stage = program.stages.find((one) => one.kind === kind);
  const now = asked?.get(kind);
  if (now && 'doing' in now) {
    return (
      <div class="jxv-waiting">
        <Making {...now} stop={() => stop(kind)} />
      </div>
    );
  }
  const failure = now?.failure ?? stage?.error ?? '';
  return (
    <div class="jxv-waiting">
      {failure !== '' && <p class="jxv-reason">{failure}</p>}
      {asked ? (
        <button type="button" class="jxv-button" onClick={() => ask(kind)}>
          {failure === '' ? MAKE.get(kind)?.() : __('Try again')}
        </button>
      ) : (
        failure === '' && (
          <p class="jxv-reason">{phrase(notSaved, <code>{callOf(kind, program)}</code>)}</p>
        )
      )}
    </div>
  );
}

interface MakingProps {
  doing: string;
  seconds: number;
  stop: () => void;
}

/** What the kernel does for the reader, who need not wait for it. */
export function Making({ doing, seconds, stop }: MakingProps) {
  return (
    <>
      <p>
        <span role="status">{fromKernel(doing)}</span> · <Seconds from={seconds} />
      </p>
      <button type="button" class="jxv-button" onClick={stop}>
        {__('Stop')}
      </button>
    </>
  );
}

const MAKE = new Map([
  ['stablehlo', () => __('Make it (lowers the program)')],
  ['hlo', () => __('Make it (compiles the program)')],
]);

/** How a stage comes into an output that no kernel stands behind. */
export const notSaved = (call: string): string =>
  __('This stage was not saved. To have it here, run %1', call);
export const callOf = (kind: string, { name }: Program): string =>
  `%jaxviz ${name}(…) --stage ${kind}`;

/** Whole seconds, counted on from what the kernel last said. */
function Seconds({ from }: { from: number }) {
  const [since, setSince] = useState(0);
  useEffect(() => {
    setSince(0);
    const timer = setInterval(() => setSince((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, [from]);
  return <span class="jxv-seconds">{Math.round(from + since)} s</span>;
}

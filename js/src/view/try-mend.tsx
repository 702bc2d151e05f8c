/** A button that has the kernel trace the function with a mend, and shows what JAX makes of it. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { ReportedProgram, Tries } from '../state/kernel-requests';
import { ProgramView, type ReportProps } from './program-view';

/** How the program is shown that a mend makes. */
type Source = Omit<ReportProps, 'report' | 'program' | 'partial' | 'later'>;

type Fate = ReportedProgram | 'none' | 'asked' | { failure: string };

/** Calls `children` with what the button and its answer are: they stand in two places. */
export function TryMend({
  tries,
  mend,
  runs,
  children,
  ...source
}: Source & {
  tries: Tries;
  mend: number;
  /** Whether it runs the program, to find its NaN. */
  runs: boolean;
  children: (button: ComponentChildren, answer: ComponentChildren) => ComponentChildren;
}) {
  const [fate, settle] = useState<Fate>('none');
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const ask = () => {
    const { signal } = gone.current;
    settle('asked');
    const failed = (why: unknown) =>
      settle({ failure: why instanceof Error ? why.message : String(why) });
    const unlessGone =
      <T,>(then: (value: T) => void) =>
      (value: T) =>
        signal.aborted || then(value);
    tries.tried(mend, signal).then(unlessGone(settle), unlessGone(failed));
  };
  const button = <Ask {...{ runs, ask }} isAsked={fate === 'asked'} />;
  return <Fragment>{children(button, <Answer {...{ ...source, fate }} />)}</Fragment>;
}

function Ask({ runs, isAsked, ask }: { runs: boolean; isAsked: boolean; ask: () => void }) {
  const title = runs
    ? __(
        'Evaluates this call as written, with the current values of its names, traces it, and runs its program once',
      )
    : __('Runs the Python of the function once, with types in place of arrays, to trace it');
  return (
    <button type="button" class="jxv-button" disabled={isAsked} title={title} onClick={ask}>
      {!isAsked && (runs ? __('Run it once more') : __('Try: trace it'))}
      {isAsked && (runs ? __('Running…') : __('Tracing…'))}
    </button>
  );
}

function Answer({ fate, ...source }: Source & { fate: Fate }) {
  const answered = typeof fate === 'object';
  return (
    <div class="jxv-card-tried" role="status">
      {answered && 'failure' in fate && <p>{fate.failure}</p>}
      {answered && 'program' in fate && <Made {...source} {...fate} />}
    </div>
  );
}

function Made({ program, report, show: ReportView, ...source }: Source & ReportedProgram) {
  const shown = { ...source, program, partial: null, later: false };
  return (
    <>
      {report?.tool === 'explain' && <p>{__('With this, something else fails:')}</p>}
      {!report && <p>{__('With this, JAX makes:')}</p>}
      {report && ReportView ? (
        <ReportView {...shown} report={report} />
      ) : (
        <ProgramView {...shown} />
      )}
    </>
  );
}

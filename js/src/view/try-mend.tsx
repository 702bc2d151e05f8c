/** A button that has the kernel trace the function with a mend, and shows what JAX makes of it. */
import { type ComponentChildren, Fragment } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Births, Card, Program } from '../schema';
import { fromKernel } from '../words/from-kernel';

/** What a mend makes: a program, where its NaN was born, or the card of the error that is next, with the
 * program so far. */
export interface Tried {
  program: Program;
  card: Card | null;
  births: Births | null;
}

/** Asks the kernel what a mend makes, by its number. */
export interface Tries {
  tried(mend: number, signal: AbortSignal): Promise<Tried>;
}

type Fate = Tried | 'none' | 'asked' | { failure: string };

/** Calls `children` with what the button and its answer are: they stand in two places. */
export function TryMend({
  tries,
  mend,
  runs,
  show,
  children,
}: {
  tries: Tries;
  mend: number;
  /** Whether it runs the program, to find its NaN. */
  runs: boolean;
  show: (found: Tried) => ComponentChildren;
  children: (button: ComponentChildren, answer: ComponentChildren) => ComponentChildren;
}) {
  const [fate, settle] = useState<Fate>('none');
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const ask = () => {
    const { signal } = gone.current;
    settle('asked');
    const failed = (why: unknown) =>
      settle({ failure: fromKernel(why instanceof Error ? why.message : String(why)) });
    const unlessGone =
      <T,>(then: (value: T) => void) =>
      (value: T) =>
        signal.aborted || then(value);
    tries.tried(mend, signal).then(unlessGone(settle), unlessGone(failed));
  };
  const button = <Ask {...{ runs, ask }} isAsked={fate === 'asked'} />;
  return <Fragment>{children(button, <Answer fate={fate} show={show} />)}</Fragment>;
}

function Ask({ runs, isAsked, ask }: { runs: boolean; isAsked: boolean; ask: () => void }) {
  const title = runs
    ? __(
        'Evaluates this call as it is written, with what its names stand for now, traces it, and runs its program once',
      )
    : __('Runs the Python of the function once, with types in place of arrays, to trace it');
  return (
    <button type="button" class="jxv-button" disabled={isAsked} title={title} onClick={ask}>
      {!isAsked && (runs ? __('Run it once more') : __('Try: trace it'))}
      {isAsked && (runs ? __('Running…') : __('Tracing…'))}
    </button>
  );
}

function Answer({ fate, show }: { fate: Fate; show: (found: Tried) => ComponentChildren }) {
  const answered = typeof fate === 'object';
  return (
    <div class="jxv-card-tried" role="status">
      {answered && 'failure' in fate && <p>{fate.failure}</p>}
      {answered && 'program' in fate && (
        <>
          {fate.card && <p>{__('With this, something else fails:')}</p>}
          {!fate.card && !fate.births && <p>{__('With this, JAX makes:')}</p>}
          {show(fate)}
        </>
      )}
    </div>
  );
}

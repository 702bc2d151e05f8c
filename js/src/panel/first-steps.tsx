/** Shown in the panel in place of a missing list or program: what to run first. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { __ } from '../language';
import type { Panel } from '../schema';
import { programFor, type Target } from '../state/panel/function-at-cursor';
import type { Action, Followed, KernelState } from '../state/panel/panel-state';

export const EmptyState = ({ children }: { children: ComponentChildren }) => (
  <div class="jxv-panel-empty" role="status">
    {children}
  </div>
);

/** The reason why nothing is listed, and one action: a button, or a line to run. */
export const FirstSteps = ({ followed }: { followed: Followed }) =>
  followed.kernel.is === 'reported' ? (
    <NothingTraced followed={followed} panel={followed.kernel.panel} />
  ) : (
    <EmptyState>{stepsBeforeAnswer(followed.kernel)}</EmptyState>
  );

function stepsBeforeAnswer(kernel: Exclude<KernelState, { is: 'reported' }>) {
  switch (kernel.is) {
    case 'none':
      return (
        <>
          <h3>{__('No kernel')}</h3>
          <p>{__('The notebook has no kernel: choose or start one.')}</p>
        </>
      );
    case 'waiting':
      return (
        <>
          <h3>{__('Asking the kernel…')}</h3>
          <p>{__('A busy kernel may not answer until its cell ends.')}</p>
        </>
      );
    case 'failed':
      return <p class="jxv-reason">{kernel.reason}</p>;
    case 'absent':
      return <InstallSteps reason={kernel.reason} />;
    case 'unloaded':
      return (
        <>
          <h3>{__('Load jaxviz')}</h3>
          <p>{__('Its kernel has not loaded jaxviz. Run in a cell:')}</p>
          <LineToRun line="%load_ext jaxviz" />
        </>
      );
  }
}

const InstallSteps = ({ reason }: { reason: string }) => (
  <>
    <h3>{__('Install jaxviz')}</h3>
    <p>{reason}</p>
    <p>{__('Run in a cell, then load it:')}</p>
    <LineToRun line="%pip install jupyterlab-jaxviz" />
    <LineToRun line="%load_ext jaxviz" />
  </>
);

/** The kernel has loaded jaxviz, but nothing was traced or captured yet. */
function NothingTraced({ followed, panel }: { followed: Followed; panel: Panel }) {
  const [failure, setFailure] = useState('');
  const watch = () => {
    setFailure('');
    followed.watch(true).catch((error: Error) => setFailure(error.message));
  };
  return (
    <EmptyState>
      <h3>{__('Nothing was captured or traced yet.')}</h3>
      {panel.watching ? (
        <p>{__('Everything that JAX traces from now on is listed here.')}</p>
      ) : (
        <>
          <p>{__('See what JAX traces and compiles from now on, and why it retraces:')}</p>
          <p>
            <button type="button" class="jxv-button jxv-primary" onClick={watch}>
              {__('Watch all cells')}
            </button>
          </p>
          {failure !== '' && (
            <p class="jxv-failure" role="alert">
              {failure}
            </p>
          )}
        </>
      )}
      <p>{__('To see the program of a call, run in a cell:')}</p>
      <LineToRun line="%jaxviz loss(params, x)" />
    </EmptyState>
  );
}

/** A line to run in a cell, with a button that copies it. If the page may not use the clipboard, the
 * button selects the line. */
export function LineToRun({ line }: { line: string }) {
  const text = useRef<HTMLPreElement>(null);
  const [isCopied, setCopied] = useState(false);
  const copy = () => {
    const writing = navigator.clipboard?.writeText(line) ?? Promise.reject(new Error('none'));
    writing.then(
      () => setCopied(true),
      () => text.current && getSelection()?.selectAllChildren(text.current),
    );
  };
  return (
    <div class="jxv-panel-typed">
      <pre ref={text}>{line}</pre>
      <button type="button" class="jxv-button" aria-label={__('Copy %1', line)} onClick={copy}>
        <span role="status">{isCopied ? __('Copied') : __('Copy')}</span>
      </button>
    </div>
  );
}

interface AtCursorProps {
  followed: Followed;
  dispatch: (action: Action) => void;
}

/** Opens the program of the function that the reader asked for in a cell. Until there is one, it
 * says so, and waits. */
export function FunctionAtCursor({ followed: { target, kernel, run }, dispatch }: AtCursorProps) {
  const [wanted, want] = useState(target);
  useLayoutEffect(() => {
    if (target) want(target);
  }, [target]);
  const opened = useMemo(
    () => (wanted && kernel.is === 'reported' ? programFor(kernel.panel, wanted) : null),
    [wanted, kernel],
  );
  useLayoutEffect(() => {
    if (!opened) return;
    want(null);
    dispatch({ type: 'open', opened });
  }, [opened]);
  if (!wanted || opened || kernel.is !== 'reported') return null;
  const capture = (line: string) => want({ ...wanted, ran: run(line, wanted.cell) });
  return <NoProgramYet target={wanted} capture={capture} close={() => want(null)} />;
}

interface NoProgramProps {
  target: Target;
  /** Runs a line in a new cell. */
  capture: (line: string) => void;
  close: () => void;
}

function NoProgramYet({ target: { names, call, ran }, capture, close }: NoProgramProps) {
  const name = names.at(-1) ?? '';
  const line = `%jaxviz ${call ?? `${name}(…)`}`;
  return (
    <div class="jxv-panel-looking" role="status">
      <p>
        {ran === null
          ? __('jaxviz has seen no program of %1 yet. To see it, run:', name)
          : __('The program of %1 opens here once its cell has run:', name)}
      </p>
      <pre>{line}</pre>
      <div class="jxv-panel-line">
        {call !== null && ran === null && (
          <button type="button" class="jxv-button" onClick={() => capture(line)}>
            {__('Run in a new cell')}
          </button>
        )}
        <button type="button" class="jxv-button" onClick={close}>
          {__('Close')}
        </button>
      </div>
    </div>
  );
}

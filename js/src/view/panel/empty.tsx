import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { __ } from '../../model/language';
import type { Followed } from '../../model/panel/followed-kernel';
import type { Panel } from '../../schema';
import { Typed } from './typed';

/** In place of lists that hold nothing: what to do first. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="jxv-panel-empty" role="status">
    {children}
  </div>
);

/** What to do first: one thing, as a button or with the line to type. */
export function First({ followed }: { followed: Followed }) {
  const { known } = followed;
  switch (known.is) {
    case 'none':
      return (
        <Empty>
          <h3>{__('No kernel')}</h3>
          <p>{__('It has no kernel: choose or start one.')}</p>
        </Empty>
      );
    case 'asked':
      return (
        <Empty>
          <h3>{__('Asking the kernel…')}</h3>
          <p>{__('One that is busy may answer only when its cell has ended.')}</p>
        </Empty>
      );
    case 'failed':
      return (
        <Empty>
          <p class="jxv-reason">{known.reason}</p>
        </Empty>
      );
    case 'absent':
      return (
        <Empty>
          <h3>{__('Install jaxviz')}</h3>
          <p>{known.reason}</p>
          <p>{__('Run in a cell, and load it then:')}</p>
          <Typed line="%pip install jupyterlab-jaxviz" />
          <Typed line="%load_ext jaxviz" />
        </Empty>
      );
    case 'silent':
      return (
        <Empty>
          <h3>{__('Load jaxviz')}</h3>
          <p>{__('Its kernel has not loaded jaxviz. Run in a cell:')}</p>
          <Typed line="%load_ext jaxviz" />
        </Empty>
      );
    case 'told':
      return <Nothing followed={followed} panel={known.panel} />;
  }
}

/** Nothing was captured or traced yet. */
function Nothing({ followed, panel }: { followed: Followed; panel: Panel }) {
  const [failure, setFailure] = useState('');
  const watch = () => {
    setFailure('');
    followed.watch(true).catch((error: Error) => setFailure(error.message));
  };
  return (
    <Empty>
      <h3>{__('Nothing was captured or traced yet.')}</h3>
      {panel.watching ? (
        <p>{__('All that JAX traces from now on will be listed here.')}</p>
      ) : (
        <>
          <p>{__('See what JAX traces and compiles from now on, and why again:')}</p>
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
      <Typed line="%jaxviz loss(params, x)" />
    </Empty>
  );
}

import { useState } from 'preact/hooks';
import { __ } from '../../model/language';
import type { Followed } from '../../model/panel/followed-kernel';
import type { Panel } from '../../schema';
import { Middle } from '../log/middle';

interface Props {
  followed: Followed;
  panel: Panel | null;
}

/** Whose kernel it is, whether it is watched, and what can be done about that. */
export function Head({ followed: { title, watch, clear }, panel }: Props) {
  const [failure, setFailure] = useState('');
  const told = (work: Promise<void>) => {
    setFailure('');
    work.catch((error: Error) => setFailure(error.message));
  };
  return (
    <header class="jxv-panel-head">
      <div class="jxv-panel-line">
        <b class="jxv-panel-title">
          <Middle text={title} />
        </b>
        {panel && (
          <>
            <button
              type="button"
              class="jxv-button jxv-panel-watch"
              aria-pressed={panel.watching}
              title={
                panel.watching
                  ? __('Stop watching: %1', '%jaxviz off')
                  : __('Watch all cells: %1', '%jaxviz on')
              }
              onClick={() => told(watch(!panel.watching))}
            >
              {panel.watching ? __('Watching') : __('Watch')}
            </button>
            <button
              type="button"
              class="jxv-button"
              title={__('Forget what happened so far')}
              onClick={() => told(clear())}
            >
              {__('Clear')}
            </button>
          </>
        )}
      </div>
      {failure !== '' && (
        <p class="jxv-failure" role="alert">
          {failure}
        </p>
      )}
    </header>
  );
}

import { useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { __ } from '../../model/language';
import type { Followed } from '../../model/panel/followed-kernel';
import { programFor, type Target } from '../../model/panel/function-at-cursor';
import type { Action } from '../../model/panel/panel-state';

interface Props {
  followed: Followed;
  dispatch: (action: Action) => void;
}

/** Opens the program of a function that is looked for, or says that there is none yet. */
export function Looking({ followed: { target, known, run }, dispatch }: Props) {
  const [wanted, want] = useState(target);
  useLayoutEffect(() => {
    if (target) want(target);
  }, [target]);
  const opened = useMemo(
    () => (wanted && known.is === 'told' ? programFor(known.panel, wanted) : null),
    [wanted, known],
  );
  useLayoutEffect(() => {
    if (!opened) return;
    want(null);
    dispatch({ type: 'open', opened });
  }, [opened]);
  if (!wanted || opened || known.is !== 'told') return null;
  const capture = (line: string) => want({ ...wanted, ran: run(line, wanted.cell) });
  return <Unknown target={wanted} capture={capture} close={() => want(null)} />;
}

interface UnknownProps {
  target: Target;
  capture: (line: string) => void;
  close: () => void;
}

function Unknown({ target: { names, call, ran }, capture, close }: UnknownProps) {
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

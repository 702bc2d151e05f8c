import { __ } from '../../model/language';
import { whatText } from '../../model/log/words';
import type { Action } from '../../model/panel/panel-state';
import type { Event, Log } from '../../schema';

interface Props {
  log: Log;
  picked: Event;
  dispatch: (action: Action) => void;
}

/** A trace waits for the one that it is to be compared with. */
export const Picked = ({ log, picked, dispatch }: Props) => (
  <p class="jxv-panel-line jxv-panel-picked" role="status">
    <span>{__('Choose what to compare with %1, %2.', picked.name, whatText(log, picked))}</span>
    <button
      type="button"
      class="jxv-button"
      onClick={() => dispatch({ type: 'pick', picked: null })}
    >
      {__('Stop')}
    </button>
  </p>
);

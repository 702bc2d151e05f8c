import { __ } from '../../model/language';
import { EVENT_KINDS, type EventKind, functionsOf } from '../../model/panel/event-list';
import type { Action, PanelState } from '../../model/panel/panel-state';
import type { Log } from '../../schema';

interface Props {
  log: Log;
  state: PanelState;
  dispatch: (action: Action) => void;
}

/** Which events are listed. */
export function Filters({ log, state: { filter }, dispatch }: Props) {
  return (
    <div class="jxv-panel-line jxv-panel-tools">
      <fieldset class="jxv-panel-kinds" aria-label={__('Kinds of events')}>
        {EVENT_KINDS.map((kind) => (
          <button
            type="button"
            key={kind}
            class="jxv-button"
            aria-pressed={filter.kinds.has(kind)}
            onClick={() => dispatch({ type: 'kind', kind })}
          >
            <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" /> {kindText(kind)}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        class="jxv-button jxv-panel-only"
        aria-pressed={filter.again}
        title={__('Those alone that were made again')}
        onClick={() => dispatch({ type: 'filter', filter: { again: !filter.again } })}
      >
        {__('again')}
      </button>
      <select
        aria-label={__('Function')}
        value={filter.of}
        onChange={(event) =>
          dispatch({ type: 'filter', filter: { of: event.currentTarget.value } })
        }
      >
        <option value="">{__('all functions')}</option>
        {functionsOf(log).map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function kindText(kind: EventKind): string {
  switch (kind) {
    case 'trace':
      return __('trace');
    case 'lower':
      return __('lower');
    case 'compile':
      return __('compile');
  }
}

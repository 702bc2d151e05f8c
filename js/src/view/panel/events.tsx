import { useState } from 'preact/hooks';
import { traceOf } from '../../model/log/events';
import { tookText, whatText } from '../../model/log/words';
import { functionsOf, KINDS, type Kind, listed } from '../../model/panel/events';
import { type Action, compared, type PanelState } from '../../model/panel/state';
import type { Event, Log, Panel } from '../../schema';
import { Changes } from '../log/changes';
import { Middle } from '../log/middle';
import { askForSource } from '../source';
import { Empty } from './empty';

interface Props {
  panel: Panel;
  state: PanelState;
  dispatch: (action: Action) => void;
}

/** Events that are listed at first, and further ones each time. */
const STEP = 200;
/** Changes of a reason that are shown. */
const MOST_CHANGES = 2;

/** The live log, the newest first. */
export function EventsTab({ panel: { log }, state, dispatch }: Props) {
  const [most, setMost] = useState(STEP);
  const events = listed(log, state.filter);
  return (
    <>
      <Filters {...{ log, state, dispatch }} />
      {state.picked && (
        <p class="jxv-panel-line jxv-panel-picked" role="status">
          <span>
            Choose what to compare with {state.picked.name}, {whatText(log, state.picked)}.
          </span>
          <button
            type="button"
            class="jxv-button"
            onClick={() => dispatch({ type: 'pick', picked: null })}
          >
            Stop
          </button>
        </p>
      )}
      {events.length === 0 ? (
        <Empty>
          <p>{log.events.length === 0 ? 'No event yet.' : 'No event is of these kinds.'}</p>
          {log.events.length === 0 && <pre>%jaxviz on</pre>}
        </Empty>
      ) : (
        <ol class="jxv-panel-list" aria-label="Events, the newest first">
          {events.slice(0, most).map((event) => (
            <EventRow key={event.number} log={log} event={event} choose={choose} />
          ))}
          {events.length > most && (
            <li class="jxv-panel-more">
              <button type="button" class="jxv-link" onClick={() => setMost(most + STEP)}>
                show earlier ones
              </button>
            </li>
          )}
          {log.omitted > 0 && (
            <li class="jxv-panel-more jxv-words">
              {log.omitted.toLocaleString('en')} between the first and the latest are counted, not
              listed.
            </li>
          )}
        </ol>
      )}
    </>
  );

  function choose(event: Event, from: EventTarget) {
    if (event.site) askForSource(from, event.site);
    const [one, other] = [state.picked, traceOf(log, event)];
    if (one && other && one.number !== other.number) {
      dispatch({ type: 'open', opened: compared(one, other) });
    } else if (!one) {
      dispatch({ type: 'open', opened: { event: event.number } });
    }
  }
}

const LABELS: Record<Kind, string> = { trace: 'trace', lower: 'lower', compile: 'compile' };

interface FiltersProps {
  log: Log;
  state: PanelState;
  dispatch: (action: Action) => void;
}

function Filters({ log, state: { filter }, dispatch }: FiltersProps) {
  return (
    <div class="jxv-panel-line jxv-panel-tools">
      <fieldset class="jxv-panel-kinds" aria-label="Kinds of events">
        {KINDS.map((kind) => (
          <button
            type="button"
            key={kind}
            class="jxv-button"
            aria-pressed={filter.kinds.has(kind)}
            onClick={() => dispatch({ type: 'kind', kind })}
          >
            <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" /> {LABELS[kind]}
          </button>
        ))}
        <button
          type="button"
          class="jxv-button"
          aria-pressed={filter.again}
          title="Those alone that were made again"
          onClick={() => dispatch({ type: 'filter', filter: { again: !filter.again } })}
        >
          again
        </button>
      </fieldset>
      <select
        aria-label="Function"
        value={filter.of}
        onChange={(event) =>
          dispatch({ type: 'filter', filter: { of: event.currentTarget.value } })
        }
      >
        <option value="">all functions</option>
        {functionsOf(log).map(({ key, name }) => (
          <option key={key} value={key}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface RowProps {
  log: Log;
  event: Event;
  choose: (event: Event, from: EventTarget) => void;
}

function EventRow({ log, event, choose }: RowProps) {
  const { name, kind, start, again, reason, more, error, hint } = event;
  const clock = new Date(start * 1000).toLocaleTimeString();
  return (
    <li class="jxv-panel-row">
      <button
        type="button"
        class="jxv-panel-open"
        title="Show its program, and the line that called it"
        onClick={(click) => choose(event, click.currentTarget)}
      >
        <span class={`jxv-log-key jxv-log-key-${kind}`} aria-hidden="true" />
        <Middle text={name} />
        <span class="jxv-panel-what">{whatText(log, event)}</span>
        <b>{tookText(event)}</b>
        <time>{clock}</time>
      </button>
      {again && reason.length > 0 && (
        <p class="jxv-panel-why">
          <Changes reason={reason} more={more} most={MOST_CHANGES} />
          {hint !== '' && <span class="jxv-log-hint">{hint}</span>}
        </p>
      )}
      {error !== null && <p class="jxv-panel-why jxv-log-error">ended by {error}</p>}
    </li>
  );
}

import { placeOf } from '../../model/describe';
import { timeText } from '../../model/log/time';
import { countsText } from '../../model/log/words';
import { type Row, rowsOf, SORTS, type Sort, sorted } from '../../model/panel/functions';
import type { Action, Opened, PanelState } from '../../model/panel/state';
import { count } from '../../model/parts';
import type { Panel } from '../../schema';
import { Changes } from '../log/changes';
import { Middle } from '../log/middle';
import { Place } from '../log/place';
import { Empty } from './empty';

interface Props {
  panel: Panel;
  state: PanelState;
  dispatch: (action: Action) => void;
}

/** Changes of a reason that are shown. */
const MOST_CHANGES = 3;

/** Every function that was traced or captured. */
export function FunctionsTab({ panel, state, dispatch }: Props) {
  const rows = sorted(rowsOf(panel), state.sort, state.find);
  return (
    <>
      <div class="jxv-panel-line jxv-panel-tools">
        <input
          type="search"
          class="jxv-panel-find"
          placeholder="Filter by name"
          aria-label="Filter functions by name"
          value={state.find}
          onInput={(event) => dispatch({ type: 'find', find: event.currentTarget.value })}
        />
        <select
          aria-label="Order"
          value={state.sort}
          onChange={(event) => dispatch({ type: 'sort', sort: event.currentTarget.value as Sort })}
        >
          {SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {NAMES[sort]}
            </option>
          ))}
        </select>
      </div>
      {rows.length === 0 ? (
        <Empty>
          <p>No function has such a name.</p>
        </Empty>
      ) : (
        <ul class="jxv-panel-list" aria-label="Functions">
          {rows.map((row) => (
            <FunctionRow key={row.key} row={row} open={open} />
          ))}
        </ul>
      )}
    </>
  );

  function open(opened: Opened) {
    dispatch({ type: 'open', opened });
  }
}

const NAMES: Record<Sort, string> = {
  time: 'most time',
  retraces: 'most often again',
  latest: 'latest',
  name: 'name',
};

function FunctionRow({ row, open }: { row: Row; open: (opened: Opened) => void }) {
  const { name, definition, counted, capture, latest } = row;
  const shown: Opened | null = latest
    ? { event: latest.number }
    : capture
      ? { capture: capture.key, name: capture.name }
      : null;
  return (
    <li class="jxv-panel-row">
      <button
        type="button"
        class="jxv-panel-open"
        aria-disabled={shown === null}
        title={shown ? 'Show its program' : 'Its traces are listed no more'}
        onClick={() => shown && open(shown)}
      >
        <Middle text={name} />
        {counted && <b>{timeText(counted.seconds)}</b>}
      </button>
      <p class="jxv-panel-facts">
        {counted && <span>{countsText(counted)}</span>}
        {counted && counted.traces > 0 && counted.compiles > 0 && (
          <span>{count(counted.compiles, 'compile')}</span>
        )}
        {capture && (
          <button
            type="button"
            class="jxv-link"
            title="Show what was captured"
            onClick={() => open({ capture: capture.key, name: capture.name })}
          >
            captured{capture.count === null ? '' : ` in cell ${capture.count}`},{' '}
            {count(capture.eqns, 'eqn')}
          </button>
        )}
        {definition && <Place frame={definition} text={placeOf(definition)} about="defined here" />}
      </p>
      {counted && counted.reason.length > 0 && (
        <p class="jxv-panel-why">
          <Changes reason={counted.reason} more={0} most={MOST_CHANGES} />
          {counted.hint !== '' && <span class="jxv-log-hint">{counted.hint}</span>}
        </p>
      )}
    </li>
  );
}

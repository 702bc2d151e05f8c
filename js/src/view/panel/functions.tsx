import { useRef } from 'preact/hooks';
import { __ } from '../../model/language';
import { apartText } from '../../model/log/words';
import {
  FUNCTION_SORTS,
  type FunctionSort,
  keyOpened,
  type Opened,
  type Row,
  rowsOf,
  sorted,
} from '../../model/panel/function-list';
import type { Action, PanelState } from '../../model/panel/panel-state';
import type { Panel } from '../../schema';
import { Empty } from './empty';
import { FunctionRow } from './function-row';
import { FunctionCells, FunctionTable } from './function-table';
import { rowAt, tabRow, useKeptScroll, useSameRows, walk } from './rows';

interface Props {
  panel: Panel;
  state: PanelState;
  scrolls: Map<string, number>;
  /** There is room for a table. */
  isWide: boolean;
  dispatch: (action: Action) => void;
}

/** How a function is shown in either form. */
export interface RowProps {
  row: Row;
  /** Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  open: (opened: Opened) => void;
}

/** Every function that was traced or captured. */
export function FunctionsTab({ panel, state, scrolls, isWide, dispatch }: Props) {
  const list = useRef<HTMLDivElement>(null);
  const same = useSameRows();
  useKeptScroll(list, scrolls, 'functions');
  const rows = sorted(rowsOf(panel), state.sort, state.find, state.reversed);
  const keys = rows.map(({ key }) => key);
  const current = tabRow(keys, state.current.functions);
  const apart = apartText(panel.log);
  const open = (opened: Opened) => dispatch({ type: 'open', opened });
  const opened = keyOpened(panel, rows, state.opened);
  const Form = isWide ? FunctionCells : FunctionRow;
  const made = rows.map((row) => {
    const [isCurrent, isOpen] = [row.key === current, row.key === opened];
    const { counted, capture, latest } = row;
    const says = JSON.stringify([counted, capture, latest?.number, isCurrent, isOpen, isWide]);
    return same(row.key, says, () => <Form key={row.key} {...{ row, isCurrent, isOpen, open }} />);
  });
  const focused = (event: FocusEvent) => {
    const key = rowAt(event);
    if (key !== null && key !== state.current.functions) dispatch({ type: 'current', key });
  };
  return (
    <>
      <Tools {...{ state, isWide, dispatch }} />
      <div class="jxv-panel-list" ref={list}>
        {rows.length === 0 && <NoFunctions find={state.find} dispatch={dispatch} />}
        {isWide ? (
          <FunctionTable {...{ state, dispatch, focused }}>{made}</FunctionTable>
        ) : (
          <ul aria-label={__('Functions')} onKeyDown={walk} onFocusIn={focused}>
            {made}
          </ul>
        )}
        {apart !== '' && rows.length > 0 && <p class="jxv-panel-more jxv-words">{apart}</p>}
      </div>
    </>
  );
}

interface NoneProps {
  find: string;
  dispatch: (action: Action) => void;
}

const NoFunctions = ({ find, dispatch }: NoneProps) => (
  <Empty>
    <p>{__('No name, file or cell holds “%1”.', find)}</p>
    <p>
      <button type="button" class="jxv-button" onClick={() => dispatch({ type: 'find', find: '' })}>
        {__('Show all')}
      </button>
    </p>
  </Empty>
);

interface ToolsProps {
  state: PanelState;
  isWide: boolean;
  dispatch: (action: Action) => void;
}

/** What filters the list; a table is sorted by its heads. */
function Tools({ state: { find, sort, reversed }, isWide, dispatch }: ToolsProps) {
  return (
    <div class="jxv-panel-line jxv-panel-tools">
      <input
        type="search"
        class="jxv-panel-find"
        placeholder={__('Filter')}
        aria-label={__('Filter functions by name, file or cell')}
        value={find}
        onInput={(event) => dispatch({ type: 'find', find: event.currentTarget.value })}
      />
      {!isWide && (
        <select
          aria-label={__('Order')}
          value={sort}
          onChange={(event) => {
            const sort = event.currentTarget.value as FunctionSort;
            dispatch({ type: 'sort', sort, reversed });
          }}
        >
          {FUNCTION_SORTS.map((sort) => (
            <option key={sort} value={sort}>
              {orderText(sort)}
            </option>
          ))}
        </select>
      )}
    </div>
  );
}

function orderText(sort: FunctionSort): string {
  switch (sort) {
    case 'time':
      return __('most time');
    case 'retraces':
      return __('most often again');
    case 'traces':
      return __('most traces');
    case 'compiles':
      return __('most compiles');
    case 'latest':
      return __('latest');
    case 'name':
      return __('name');
  }
}

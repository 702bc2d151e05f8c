/** The panel's tab of functions: every function that was traced or captured, to filter and sort. */
import { useRef } from 'preact/hooks';
import { __ } from '../../language';
import type { Panel } from '../../schema';
import {
  FUNCTION_SORTS,
  keyOpened,
  type Opened,
  rowsOf,
  sorted,
} from '../../state/panel/panel-lists';
import type { Action, PanelState } from '../../state/panel/panel-state';
import { apartText } from '../../words/log/log-words';
import { Select } from '../select';
import { EmptyState } from './first-steps';
import { FunctionCells, FunctionItem, FunctionTable, orderText } from './function-rows';
import { type ListRow, PanelList } from './panel-list';

interface TabProps {
  panel: Panel;
  state: PanelState;
  scrolls: Map<string, number>;
  /** Whether there is room for a table. */
  isWide: boolean;
  dispatch: (action: Action) => void;
}

export function FunctionsTab(props: TabProps) {
  const { panel, state, scrolls, isWide, dispatch } = props;
  const list = useRef<HTMLDivElement>(null);
  const rows = rowsToList(props);
  const apart = apartText(panel.log);
  return (
    <>
      <Tools {...{ state, isWide, dispatch }} />
      <PanelList
        name="functions"
        {...{ scrolls, list, rows }}
        current={state.current.functions}
        focused={(key) => dispatch({ type: 'current', key })}
        frame={(rows, handlers) =>
          isWide ? (
            <FunctionTable {...{ state, dispatch, handlers }}>{rows}</FunctionTable>
          ) : (
            <ul aria-label={__('Functions')} {...handlers}>
              {rows}
            </ul>
          )
        }
        above={rows.length === 0 && <NoFunctions find={state.find} dispatch={dispatch} />}
        below={apart !== '' && rows.length > 0 && <p class="jxv-panel-more jxv-words">{apart}</p>}
      />
    </>
  );
}

function rowsToList({ panel, state, isWide, dispatch }: TabProps): ListRow[] {
  const rows = sorted(rowsOf(panel), state.sort, state.find, state.reversed);
  const opened = keyOpened(panel, rows, state.opened);
  const open = (opened: Opened) => dispatch({ type: 'open', opened });
  const Form = isWide ? FunctionCells : FunctionItem;
  return rows.map((row) => {
    const { key, counted, capture, latest } = row;
    const isOpen = key === opened;
    return {
      key,
      content: [counted, capture, latest?.number, isOpen, isWide],
      render: (isCurrent) => <Form key={key} {...{ row, isCurrent, isOpen, open }} />,
    };
  });
}

interface NoneProps {
  find: string;
  dispatch: (action: Action) => void;
}

const NoFunctions = ({ find, dispatch }: NoneProps) => (
  <EmptyState>
    <p>{__('No name, file or cell contains “%1”.', find)}</p>
    <p>
      <button type="button" class="jxv-button" onClick={() => dispatch({ type: 'find', find: '' })}>
        {__('Show all')}
      </button>
    </p>
  </EmptyState>
);

/** The filter, and in a narrow list the order. The table is sorted by the heads of its columns. */
function Tools({ state, isWide, dispatch }: Pick<TabProps, 'state' | 'isWide' | 'dispatch'>) {
  return (
    <div class="jxv-panel-line jxv-panel-tools">
      <input
        type="search"
        class="jxv-input jxv-panel-find"
        placeholder={__('Filter')}
        aria-label={__('Filter functions by name, file or cell')}
        value={state.find}
        onInput={(event) => dispatch({ type: 'find', find: event.currentTarget.value })}
      />
      {!isWide && <OrderMenu state={state} dispatch={dispatch} />}
    </div>
  );
}

function OrderMenu({ state: { sort, reversed }, dispatch }: Pick<TabProps, 'state' | 'dispatch'>) {
  return (
    <Select
      label={__('Order')}
      value={sort}
      choices={FUNCTION_SORTS.map((one) => [one, orderText(one)])}
      choose={(sort) => dispatch({ type: 'sort', sort, reversed })}
    />
  );
}

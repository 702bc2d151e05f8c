/** The panel's tab of functions: all traced or captured functions as a list or a table, to filter
 * and sort. */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { repeatsOf, timesOf } from '../facts/events/log-events';
import { middle, placeOf, timeText } from '../facts/text/describe';
import { __, _n, thousands } from '../language';
import { LogPlace, ShortenedName } from '../log/change-text';
import type { Function as Counted, Panel } from '../schema';
import { Select } from '../shell/parts/data-table';
import {
  FUNCTION_SORTS,
  type FunctionSort,
  keyOpened,
  type Opened,
  openedBy,
  type Row,
  rowsOf,
  sorted,
} from '../state/panel/panel-lists';
import type { Action, PanelState } from '../state/panel/panel-state';
import { outsideText, remadeTexts, retracesText } from '../words/events/log-words';
import { clockText, RetraceReason } from './events-tab';
import { EmptyState } from './first-steps';
import { type ListHandlers, type ListRow, PanelList } from './panel-list';

export interface RowProps {
  row: Row;
  /** True if Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  open: (opened: Opened) => void;
}

/** The most changes of a reason: a narrow list has more room below a name. */
const CHANGES_IN_ITEM = 3;
const CHANGES_IN_TABLE = 2;

/** A function in a narrow list. */
function FunctionItem({ row, isCurrent, isOpen, open }: RowProps) {
  const { key, counted, why } = row;
  return (
    <li class="jxv-panel-row" data-row={key}>
      <NameButton {...{ row, isCurrent, isOpen, open }}>
        {counted && <b>{secondsText(counted)}</b>}
      </NameButton>
      <p class="jxv-panel-facts">
        {counted && <Counts counted={counted} />}
        <CaptureLink row={row} open={open} />
        <Definition row={row} />
      </p>
      {why && <RetraceReason {...why} most={CHANGES_IN_ITEM} />}
    </li>
  );
}

/** A function in the table. */
function FunctionCells(props: RowProps) {
  const [name, ...others] = columns();
  return (
    <tr class="jxv-panel-row" data-row={props.row.key}>
      <th scope="row">{name!.cell(props)}</th>
      {others.map(({ label, look, cell }) => (
        <td key={label} class={`jxv-cell-${look}`}>
          {cell(props)}
        </td>
      ))}
    </tr>
  );
}

interface TableProps {
  /** The rows. */
  children: ComponentChildren;
  state: PanelState;
  dispatch: (action: Action) => void;
  handlers: ListHandlers;
}

/** The table of functions, if there is room for one. */
function FunctionTable({ children, state, dispatch, handlers }: TableProps) {
  return (
    <table class="jxv-panel-table" aria-label={__('Functions')}>
      <thead>
        <tr>
          {columns().map((column) => (
            <ColumnHead key={column.label} {...{ column, state, dispatch }} />
          ))}
        </tr>
      </thead>
      <tbody {...handlers}>{children}</tbody>
    </table>
  );
}

interface Column {
  label: string;
  /** Its width and alignment: `js/style/panel-table.css` sets them for `.jxv-cell-…`. */
  look: 'name' | 'count' | 'latest' | 'why' | 'place';
  cell: (props: RowProps) => ComponentChildren;
  /** The order that its head chooses, and the name of that order in the menu above a narrow list;
   * null if the table cannot be sorted by it. */
  sort: FunctionSort | null;
  order: string;
}

/** The columns of the table. A new order needs a comparison in `state/panel/panel-lists.ts`. */
const columns = (): Column[] => [
  sortable('name', __('Function'), __('name'), 'name', (props) => <NameButton {...props} />),
  counts('traces', __('Traces'), __('most traces'), ({ traces }) => traces),
  counts('retraces', __('Retraces'), __('most retraces'), repeatsText),
  counts('compiles', __('Compiles'), __('most compiles'), ({ compiles }) => compiles),
  counts('time', __('Time'), __('most time'), secondsText),
  sortable('latest', __('Latest'), __('latest'), 'latest', ({ row: { latest } }) =>
    latest ? clockText(latest.start) : '',
  ),
  { label: __('Why it retraced'), look: 'why', cell: WhyCell, sort: null, order: '' },
  { label: __('Defined'), look: 'place', cell: PlaceCell, sort: null, order: '' },
];

const sortable = (
  sort: FunctionSort,
  label: string,
  order: string,
  look: Column['look'],
  cell: Column['cell'],
): Column => ({ label, look, cell, sort, order });

/** A column of a function's counts; empty for a function that was only captured. */
const counts = (
  sort: FunctionSort,
  label: string,
  order: string,
  text: (counted: Counted) => ComponentChildren,
): Column =>
  sortable(sort, label, order, 'count', ({ row: { counted } }) => counted && text(counted));

function repeatsText(counted: Counted) {
  const count = timesOf(repeatsOf(counted));
  return count > 0 ? <b class="jxv-panel-again">{thousands(count)}</b> : count;
}

const WhyCell = ({ row: { why } }: RowProps) =>
  why && <RetraceReason {...why} most={CHANGES_IN_TABLE} />;

const PlaceCell = ({ row, open }: RowProps) => (
  <p class="jxv-panel-facts">
    <Definition row={row} />
    <CaptureLink row={row} open={open} />
  </p>
);

/** The name of an order, in the menu above a narrow list. */
const orderText = (order: FunctionSort): string =>
  columns().find(({ sort }) => sort === order)!.order;

interface HeadProps extends Pick<TableProps, 'state' | 'dispatch'> {
  column: Column;
}

function ColumnHead({ column: { label, look, sort }, state, dispatch }: HeadProps) {
  const place = { scope: 'col', class: `jxv-cell-${look}` } as const;
  if (sort === null) return <th {...place}>{label}</th>;
  const isSorted = state.sort === sort;
  const isUp = (sort === 'name') !== state.reversed;
  const press = () => dispatch({ type: 'sort', sort, reversed: isSorted && !state.reversed });
  const order = isUp ? 'ascending' : 'descending';
  return (
    <th {...place} aria-sort={isSorted ? order : 'none'}>
      <button type="button" class="jxv-bare" onClick={press}>
        {label}
        <span aria-hidden="true">{isSorted ? (isUp ? ' ▴' : ' ▾') : ''}</span>
      </button>
    </th>
  );
}

/** The name of a function, as the button that opens its program. */
function NameButton({
  row,
  isCurrent,
  isOpen,
  open,
  children = null,
}: RowProps & { children?: ComponentChildren }) {
  const opens = openedBy(row);
  return (
    <button
      type="button"
      class="jxv-bare jxv-panel-open"
      tabIndex={isCurrent ? 0 : -1}
      aria-disabled={opens === null}
      aria-current={isOpen}
      title={opens ? __('Show its program') : __('Older traces were dropped from the list')}
      onClick={() => opens && open(opens)}
    >
      <ShortenedName text={row.name} />
      {(row.counted?.library || row.definition?.library) && (
        <span class="jxv-panel-library">{__('library')}</span>
      )}
      {children}
    </button>
  );
}

function Counts({ counted }: { counted: Counted }) {
  const { traces, retraces, compiles, hits } = counted;
  const remade = remadeTexts(repeatsOf(counted));
  return (
    <>
      <span>
        {traces > 0 && _n('%1 trace', '%1 traces', traces)}
        {retraces > 0 && <b class="jxv-panel-again"> ({retracesText(retraces)})</b>}
      </span>
      {compiles > 0 && <span>{_n('%1 compile', '%1 compiles', compiles)}</span>}
      {remade.length > 0 && <b class="jxv-panel-again">{remade.join(' ')}</b>}
      {hits && <span>{_n('%1 hit', '%1 hits', sum(hits))}</span>}
    </>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The time spent on a function; a dash if JAX announced it only inside others, without a time. */
const secondsText = ({ seconds }: Counted): string => (seconds > 0 ? timeText(seconds) : '–');

/** Opens the function's capture; nothing if it has none. */
function CaptureLink({ row: { capture }, open }: Pick<RowProps, 'row' | 'open'>) {
  if (!capture) return null;
  const { key, name, count, eqns } = capture;
  const size = _n('%1 eqn', '%1 eqns', eqns);
  return (
    <button
      type="button"
      class="jxv-link"
      title={__('Show what was captured')}
      onClick={() => open({ capture: key, name })}
    >
      {count === null ? __('captured, %1', size) : __('captured in cell %1, %2', count, size)}
    </button>
  );
}

/** The most letters of a place in a narrow list. */
const LONGEST_PLACE = 30;

/** The place of the function's definition. A long path loses its middle. */
function Definition({ row: { definition } }: Pick<RowProps, 'row'>) {
  if (!definition) return null;
  const place = placeOf(definition);
  const about = place.length > LONGEST_PLACE ? __('defined here: %1', place) : __('defined here');
  return <LogPlace frame={definition} text={middle(place, LONGEST_PLACE)} about={about} />;
}

interface TabProps {
  panel: Panel;
  state: PanelState;
  scrolls: Map<string, number>;
  /** True if there is room for a table. */
  isWide: boolean;
  dispatch: (action: Action) => void;
}

export function FunctionsTab(props: TabProps) {
  const { panel, state, scrolls, isWide, dispatch } = props;
  const list = useRef<HTMLDivElement>(null);
  const rows = rowsToList(props);
  const outside = outsideText(panel.log);
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
        below={
          outside !== '' && rows.length > 0 && <p class="jxv-panel-more jxv-words">{outside}</p>
        }
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

/** The filter, and the order for a narrow list. The heads of the table's columns sort the table. */
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

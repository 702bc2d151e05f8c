/** A function in the panel's list: as an item of a narrow list, or as a row of a table. */
import type { ComponentChildren } from 'preact';
import { middle, placeOf, timeText } from '../../facts/describe';
import { againOf } from '../../facts/log/log-events';
import { __, _n, thousands } from '../../language';
import type { Function as Counted } from '../../schema';
import { type FunctionSort, type Opened, openedBy, type Row } from '../../state/panel/panel-lists';
import type { Action, PanelState } from '../../state/panel/panel-state';
import { retracesText } from '../../words/log/log-words';
import { LogPlace, ShortenedName } from '../log/change-text';
import { clockText, WhyAgain } from './event-row';
import type { ListHandlers } from './panel-list';

export interface RowProps {
  row: Row;
  /** Whether Tab leads to it. */
  isCurrent: boolean;
  isOpen: boolean;
  open: (opened: Opened) => void;
}

/** How many changes of the latest reason are shown: a narrow list has more room below a name. */
const CHANGES_IN_ITEM = 3;
const CHANGES_IN_TABLE = 2;

/** A function in a narrow list. */
export function FunctionItem({ row, isCurrent, isOpen, open }: RowProps) {
  const { key, counted } = row;
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
      {counted && <WhyAgain {...counted} more={0} most={CHANGES_IN_ITEM} />}
    </li>
  );
}

/** A function in the table. */
export function FunctionCells(props: RowProps) {
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

/** The table of functions, where there is room for one. */
export function FunctionTable({ children, state, dispatch, handlers }: TableProps) {
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
  /** How wide it is and how it is aligned: `js/style/panel-table.css` says it of `.jxv-cell-…`. */
  look: 'name' | 'count' | 'latest' | 'why' | 'place';
  cell: (props: RowProps) => ComponentChildren;
  /** The order that its head chooses, and what the menu above a narrow list calls that order;
   * null if the table cannot be sorted by it. */
  sort: FunctionSort | null;
  order: string;
}

/** The columns of the table. An order that is new here needs its comparison in
 * `state/panel/panel-lists.ts`. */
const columns = (): Column[] => [
  sortable('name', __('Function'), __('name'), 'name', (props) => <NameButton {...props} />),
  counts('traces', __('Traces'), __('most traces'), ({ traces }) => traces),
  counts('retraces', __('Retraces'), __('most retraces'), againText),
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

/** A column of what was counted of a function; empty for one that was only captured. */
const counts = (
  sort: FunctionSort,
  label: string,
  order: string,
  text: (counted: Counted) => ComponentChildren,
): Column =>
  sortable(sort, label, order, 'count', ({ row: { counted } }) => counted && text(counted));

function againText(counted: Counted) {
  const again = againOf(counted);
  return again > 0 ? <b class="jxv-panel-again">{thousands(again)}</b> : again;
}

const WhyCell = ({ row: { counted } }: RowProps) =>
  counted && <WhyAgain {...counted} more={0} most={CHANGES_IN_TABLE} />;

const PlaceCell = ({ row, open }: RowProps) => (
  <p class="jxv-panel-facts">
    <Definition row={row} />
    <CaptureLink row={row} open={open} />
  </p>
);

/** The name of an order, in the menu above a narrow list. */
export const orderText = (order: FunctionSort): string =>
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
  const remade = againOf(counted) - retraces;
  return (
    <>
      <span>
        {traces > 0 && _n('%1 trace', '%1 traces', traces)}
        {retraces > 0 && <b class="jxv-panel-again"> ({retracesText(retraces)})</b>}
      </span>
      {compiles > 0 && <span>{_n('%1 compile', '%1 compiles', compiles)}</span>}
      {remade > 0 && <b class="jxv-panel-again">{__('%1 compiled again', thousands(remade))}</b>}
      {hits && <span>{_n('%1 hit', '%1 hits', sum(hits))}</span>}
    </>
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

/** The time spent on a function; a dash if JAX announced it only inside others, without a time. */
const secondsText = ({ seconds }: Counted): string => (seconds > 0 ? timeText(seconds) : '–');

/** Opens what a cell captured of the function; nothing if no cell did. */
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

/** How many letters of a place fit a narrow list. */
const LONGEST_PLACE = 30;

/** Where the function is defined. A long path is shortened in its middle. */
function Definition({ row: { definition } }: Pick<RowProps, 'row'>) {
  if (!definition) return null;
  const place = placeOf(definition);
  const about = place.length > LONGEST_PLACE ? __('defined here: %1', place) : __('defined here');
  return <LogPlace frame={definition} text={middle(place, LONGEST_PLACE)} about={about} />;
}

/** The table of eqns and their costs: its rows and columns, and the choice and groups of rows. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { HEATS, heatOf, lengthOf } from '../../facts/colours/heat';
import { firstPaths } from '../../facts/graph';
import { eqnId, type Id } from '../../facts/ids';
import { unreported } from '../../facts/text/describe';
import { idOf } from '../../facts/text/spans';
import { __, thousands } from '../../language';
import type { Program, Stage } from '../../schema';
import { Gap, showRow, useUniqueId, useWidth, useWindow } from '../../shell/parts/controls';
import { rowKeys, Select } from '../../shell/parts/data-table';
import type { Action, ViewState } from '../../state/view-state';
import {
  type CostColumn,
  columnsWithin,
  costliest,
  isNumber,
  type RowOrder,
  shown,
  type TableColumn,
} from '../../words/cost-columns';
import {
  type CostRow,
  choicesOf,
  eqnOf,
  eqnRows,
  filtered,
  firstGrouping,
  type Grouping,
  grouped,
  NO_FILTER,
  type RowFilter,
} from '../../words/cost-table';
import { eqnsText } from '../../words/fact-parts';
import { TableFoot } from './cost-summaries';

interface RowProps {
  stage: Stage;
  columns: readonly TableColumn[];
  row: CostRow;
  /** Its index among all rows. */
  at: number;
  id: string;
  selected: boolean;
  active: boolean;
  /** True if a group shows its eqns; null for an eqn. */
  open: boolean | null;
  /** True for an eqn of a group. */
  inner: boolean;
  choose: () => void;
  hover: () => void;
}

/** The class of a column's cells. Numbers are aligned right. */
const cellClass = (one: TableColumn): string =>
  `jxv-td jxv-td-${one.column}${isNumber(one) ? ' jxv-right' : ''}`;

function TableRow({
  stage,
  columns,
  row,
  at,
  id,
  selected,
  active,
  open,
  inner,
  choose,
  hover,
}: RowProps) {
  const name = [
    'jxv-tr',
    active ? 'jxv-tr-active' : '',
    row.members ? 'jxv-tr-group' : '',
    inner ? 'jxv-tr-inner' : '',
  ];
  return (
    <tr
      id={id}
      class={name.filter((part) => part !== '').join(' ')}
      aria-rowindex={at + 2}
      aria-selected={selected}
      {...(open === null ? {} : { 'aria-expanded': open, 'aria-level': 1 })}
      {...(inner ? { 'aria-level': 2 } : {})}
      onClick={choose}
      onPointerEnter={hover}
    >
      {columns.map((one, at) => (
        <Cell key={one.column} {...{ stage, row, of: one }} open={at === 0 ? open : null} />
      ))}
    </tr>
  );
}

type CellProps = Pick<RowProps, 'stage' | 'row' | 'open'> & {
  of: TableColumn;
};

function Cell({ stage, row, open, of }: CellProps) {
  const text = of.text(row, stage);
  return (
    <td class={cellClass(of)} {...(isNumber(of) ? {} : { title: of.title?.(row) ?? text })}>
      {open !== null && (
        <span class="jxv-twisty" aria-hidden="true">
          {open ? '▾' : '▸'}
        </span>
      )}
      {of.bar && <Heat share={of.bar(row)} />}
      <span class={text === unreported() ? 'jxv-words' : ''}>{text}</span>
    </td>
  );
}

/** The bar of an eqn's share, with the length and colour of the bar in its box. */
function Heat({ share }: { share: number | null }) {
  if (!share) return null;
  const paint = HEATS[heatOf(share, 1)];
  const width = 100 * lengthOf(share);
  if (width < 2) return null;
  return (
    <span
      class="jxv-share"
      aria-hidden="true"
      style={`width:${width.toFixed(2)}%;background:var(--jxv-${paint}-line)`}
    />
  );
}

interface HeaderProps {
  stage: Stage;
  columns: readonly TableColumn[];
  order: RowOrder | null;
  sort: (order: RowOrder | null) => void;
}

/** The head with the names of the columns. A press sorts by a column: numbers from the largest,
 * words from the first. A second press reverses that; a third returns to the order of the program. */
function Header({ stage, columns, order, sort }: HeaderProps) {
  const press = (column: CostColumn, first: boolean) => {
    if (order?.column !== column) sort({ column, descending: first });
    else sort(order.descending === first ? { column, descending: !first } : null);
  };
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((one) => {
          const { column, label, about } = one;
          const direction =
            order?.column !== column ? 'none' : order.descending ? 'descending' : 'ascending';
          return (
            <th key={column} scope="col" class={cellClass(one)} aria-sort={direction}>
              <button
                type="button"
                class="jxv-bare"
                title={about(stage)}
                onClick={() => press(column, isNumber(one))}
              >
                {label()}
                <span aria-hidden="true" class="jxv-sort">
                  {{ none: '', descending: '▾', ascending: '▴' }[direction]}
                </span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const groupings = (): [by: Grouping, label: string][] => [
  ['none', __('each eqn')],
  ['op', __('by op')],
  ['line', __('by source line')],
  ['scope', __('by name')],
];

const GroupingChoice = ({ by, group }: { by: Grouping; group: (by: Grouping) => void }) => (
  <Select label={__('Rows')} value={by} choices={groupings()} choose={group} />
);

interface FilterProps {
  stage: Stage;
  filter: RowFilter;
  setFilter: (filter: RowFilter) => void;
}

const counted = ([name, count]: [string, number]): [string, string] => [
  name,
  `${name} (${thousands(count)})`,
];

/** The filter of rows: by a text in them, by dtype, by op. */
function FilterChoices({ stage, filter, setFilter }: FilterProps) {
  const choices = choicesOf(stage);
  const names = { dtype: __('any dtype'), op: __('any op') };
  return (
    <>
      <input
        type="search"
        class="jxv-input jxv-table-filter"
        aria-label={__('Rows with')}
        placeholder={__('filter')}
        value={filter.text}
        onInput={(event) => setFilter({ ...filter, text: event.currentTarget.value })}
      />
      {(['dtype', 'op'] as const).map((one) => (
        <Select
          key={one}
          label={one === 'dtype' ? __('Dtype') : __('Op')}
          value={filter[one]}
          choices={[['', names[one]], ...choices[one].map(counted)]}
          choose={(chosen) => setFilter({ ...filter, [one]: chosen })}
        />
      ))}
    </>
  );
}

interface Props {
  program: Program;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The height of a line of a row, px, as in table.css. */
const LINE_HEIGHT = 22;
/** In a table narrower than this, px, a row has two lines. */
const NARROW_TABLE = 720;
/** The width of a number in a narrow table, px. */
const NUMBER_WIDTH = 60;
/** The most numbers in a row of two lines. */
const MOST_NUMBERS = 6;

/** The eqns of a stage with their costs, one by one or in groups, sorted by any column. */
export function Table({ program, state, dispatch }: Props) {
  const { stage, selected, query, matches } = state;
  const [by, group] = useState<Grouping>(() => firstGrouping(stage));
  const [order, sort] = useState<RowOrder | null>(() => costliest(stage));
  const [filter, setFilter] = useState(NO_FILTER);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const found = useMemo(
    () => filtered(stage, query.trim() === '' ? eqnRows(stage) : matching(stage, matches), filter),
    [stage, query, matches, filter],
  );
  const groups = useMemo(() => grouped(stage, found, by), [stage, found, by]);
  const rows = useMemo(() => shown(groups, order, open), [groups, order, open]);
  const toggle = ({ label }: CostRow) => {
    const next = new Set(open);
    if (!next.delete(label)) next.add(label);
    setOpen(next);
  };
  return (
    <div class="jxv-table">
      <div class="jxv-table-head">
        <GroupingChoice by={by} group={group} />
        <FilterChoices {...{ stage, filter, setFilter }} />
        <span class="jxv-words">
          {query.trim() === ''
            ? eqnsText(stage, found.length)
            : __('%1 of what was found', eqnsText(stage, found.length))}
        </span>
      </div>
      <Rows
        key={`${by} ${filter.text} ${filter.dtype} ${filter.op}`}
        {...{ stage, rows, order, sort, selected, dispatch, toggle, open, by }}
      />
      <TableFoot program={program} stage={stage} />
    </div>
  );
}

/** The rows of the found eqns. */
function matching(stage: Stage, matches: readonly Id[]): readonly CostRow[] {
  const wanted = stage.graphs.map(() => new Set<number>());
  for (const id of matches) {
    const eqn = eqnOf(stage, id);
    if (eqn) wanted[eqn.graph]?.add(eqn.eqn);
  }
  return eqnRows(stage).filter(({ graph, eqn }) => wanted[graph]?.has(eqn));
}

interface RowsProps {
  stage: Stage;
  rows: readonly CostRow[];
  order: RowOrder | null;
  sort: (order: RowOrder | null) => void;
  selected: Id | null;
  dispatch: (action: Action) => void;
  toggle: (row: CostRow) => void;
  open: ReadonlySet<string>;
  by: Grouping;
}

function Rows(props: RowsProps) {
  const { stage, rows, order, sort, dispatch } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const width = useWidth(scroller) ?? NARROW_TABLE;
  const isNarrow = width < NARROW_TABLE;
  const room = isNarrow ? Math.min(Math.floor(width / NUMBER_WIDTH), MOST_NUMBERS) : Infinity;
  const columns = columnsWithin(stage, room, order?.column ?? null);
  const height = isNarrow ? 2 * LINE_HEIGHT : LINE_HEIGHT;
  const { from, to } = useWindow(scroller, rows.length, height);
  const walk = useWalk(props, scroller, height);
  const { active, onKeyDown } = walk;
  const ids = useUniqueId();
  const isDrawn = active >= from && active < to;
  return (
    <div class={`jxv-grid${isNarrow ? ' jxv-narrow' : ''}`} ref={scroller}>
      <table
        role={props.by === 'none' ? 'grid' : 'treegrid'}
        aria-label={__('Numbers of the %1', stage.kind)}
        aria-rowcount={rows.length + 1}
        {...(isDrawn ? { 'aria-activedescendant': `${ids}${active}` } : {})}
        tabIndex={0}
        onKeyDown={onKeyDown}
        onPointerLeave={() => dispatch({ type: 'hover', id: null })}
      >
        <Header {...{ stage, columns, order, sort }} />
        <tbody>
          <Gap height={from * height} />
          <DrawnRows {...props} {...walk} {...{ columns, from, to, ids }} />
          <Gap height={(rows.length - to) * height} />
        </tbody>
      </table>
    </div>
  );
}

interface Drawn {
  columns: readonly TableColumn[];
  from: number;
  to: number;
  ids: string;
}

/** The visible rows. */
function DrawnRows(props: RowsProps & Walk & Drawn) {
  const { stage, rows, columns, from, to, ids, active, isLit, open, by, choose, hover } = props;
  return rows
    .slice(from, to)
    .map((row, index) => (
      <TableRow
        key={row.members ? `g${row.label}` : `${row.graph}.${row.eqn}`}
        {...{ stage, columns, row }}
        at={from + index}
        id={`${ids}${from + index}`}
        selected={isLit(row)}
        active={from + index === active}
        open={row.members ? open.has(row.label) : null}
        inner={by !== 'none' && row.members === null}
        choose={() => choose(row)}
        hover={() => hover(row)}
      />
    ));
}

type Walk = ReturnType<typeof useWalk>;

/** The active row, and the handlers of keys and pointer. */
function useWalk(
  { stage, rows, selected, dispatch, toggle }: RowsProps,
  scroller: RefObject<HTMLElement>,
  height: number,
) {
  const [active, setActive] = useState(0);
  const lit = useMemo(() => eqnOf(stage, selected), [stage, selected]);
  const isLit = ({ graph, eqn }: CostRow) => lit?.graph === graph && lit.eqn === eqn;
  const reveal = (index: number) => {
    if (scroller.current && index >= 0) showRow(scroller.current, index * height, height, height);
  };
  useEffect(() => {
    const index = rows.findIndex(isLit);
    if (index < 0) return;
    setActive(index);
    reveal(index);
  }, [lit, rows]);
  const choose = (row: CostRow | undefined) => {
    if (!row) return;
    if (row.members) toggle(row);
    else dispatch({ type: 'select', id: idIn(stage, row, selected) });
  };
  const hover = (row: CostRow | undefined) => {
    if (row && !row.members) dispatch({ type: 'hover', id: idIn(stage, row, selected) });
  };
  const walk = (to: number) => {
    setActive(to);
    reveal(to);
    hover(rows[to]);
  };
  const onKeyDown = rowKeys({
    count: rows.length,
    active,
    page: PAGE_OF_ROWS,
    walk,
    choose: (at) => choose(rows[at]),
  });
  return { active, isLit, choose, hover, onKeyDown };
}

/** The id of a row's eqn. An eqn of a shared body has several: the nearest to the selection is used. */
function idIn(stage: Stage, { graph, eqn }: CostRow, selected: Id | null): Id | null {
  const path = firstPaths(stage)[graph];
  const span = { graph, eqn, from: 0, to: 0, bodies: false, parent: -1 };
  return idOf(stage, span, selected) ?? (path == null ? null : eqnId(path, eqn));
}

/** The number of rows that Page Up and Page Down move. */
const PAGE_OF_ROWS = 20;

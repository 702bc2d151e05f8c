/** The table of eqns and their costs. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { firstPaths } from '../../facts/graph';
import { eqnId, type Id } from '../../facts/ids';
import { idOf } from '../../facts/spans';
import { __ } from '../../language';
import type { Program, Stage } from '../../schema';
import type { Action, ViewState } from '../../state/view-state';
import {
  columnsWithin,
  costliest,
  type RowOrder,
  shown,
  type TableColumn,
} from '../../words/cost-columns';
import {
  type CostRow,
  eqnOf,
  eqnRows,
  firstGrouping,
  type Grouping,
  grouped,
  kept,
  NO_FILTER,
} from '../../words/cost-table';
import { eqnsText } from '../../words/fact-parts';
import { Gap, showRow, useWidth, useWindow } from '../element-size';
import { useUniqueId } from '../unique-id';
import { TableFoot } from './cost-summaries';
import { Header, TableRow } from './eqn-table-row';
import { rowKeys } from './row-keys';
import { FilterChoices, GroupingChoice } from './table-choices';

interface Props {
  program: Program;
  state: ViewState;
  dispatch: (action: Action) => void;
}

/** The height of a line of a row, px, as in table.css. */
const LINE_HEIGHT = 22;
/** In a table narrower than this, px, a row takes two lines. */
const NARROW_TABLE = 720;
/** What a number has room in there, px. */
const NUMBER_WIDTH = 60;
/** As many numbers fit a row of two lines. */
const MOST_NUMBERS = 6;

/** The eqns of a stage with their costs, one by one or in groups, to be sorted by any column. */
export function Table({ program, state, dispatch }: Props) {
  const { stage, selected, query, matches } = state;
  const [by, group] = useState<Grouping>(() => firstGrouping(stage));
  const [order, sort] = useState<RowOrder | null>(() => costliest(stage));
  const [filter, setFilter] = useState(NO_FILTER);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const found = useMemo(
    () => kept(stage, query.trim() === '' ? eqnRows(stage) : matching(stage, matches), filter),
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

/** The rows of the eqns that were found. */
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

/** The rows in view. */
function DrawnRows(props: RowsProps & Walk & Drawn) {
  const { stage, rows, columns, from, to, ids, active, isLit, open, by, choose, hover } = props;
  return rows
    .slice(from, to)
    .map((row, index) => (
      <TableRow
        key={row.held ? `g${row.label}` : `${row.graph}.${row.eqn}`}
        {...{ stage, columns, row }}
        at={from + index}
        id={`${ids}${from + index}`}
        selected={isLit(row)}
        active={from + index === active}
        open={row.held ? open.has(row.label) : null}
        inner={by !== 'none' && row.held === null}
        choose={() => choose(row)}
        hover={() => hover(row)}
      />
    ));
}

type Walk = ReturnType<typeof useWalk>;

/** The row that the keys are for, and what keys and pointer do with rows. */
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
    if (row.held) toggle(row);
    else dispatch({ type: 'select', id: idIn(stage, row, selected) });
  };
  const hover = (row: CostRow | undefined) => {
    if (row && !row.held) dispatch({ type: 'hover', id: idIn(stage, row, selected) });
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

/** The id of a row's eqn. An eqn of a shared body has several, of which the nearest to the
 * selection is taken. */
function idIn(stage: Stage, { graph, eqn }: CostRow, selected: Id | null): Id | null {
  const path = firstPaths(stage)[graph];
  const span = { graph, eqn, from: 0, to: 0, bodies: false, parent: -1 };
  return idOf(stage, span, selected) ?? (path == null ? null : eqnId(path, eqn));
}

/** How many rows Page Up and Page Down move. */
const PAGE_OF_ROWS = 20;

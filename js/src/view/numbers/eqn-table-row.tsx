/** The rows and the head of the table of eqns. */

import { HEATS, heatOf, lengthOf } from '../../facts/colours/heat';
import {
  atLeast,
  compact,
  percentText,
  ratioText,
  sizeText,
  timeText,
  unreported,
} from '../../facts/describe';
import { sumsAreLeast } from '../../facts/numbers/measured';
import { magnitudeText } from '../../facts/told-lines';
import { __ } from '../../language';
import type { Stage } from '../../schema';
import type { CostColumn, CostRow, RowOrder } from '../../words/cost-table';
import { eqnsText } from '../../words/fact-parts';
import type { TableColumn } from './table-columns';

interface Props {
  stage: Stage;
  columns: readonly TableColumn[];
  row: CostRow;
  /** Its index among all rows. */
  at: number;
  id: string;
  selected: boolean;
  active: boolean;
  /** Whether a group shows its eqns; null for an eqn. */
  open: boolean | null;
  /** Whether it is an eqn of a group. */
  inner: boolean;
  choose: () => void;
  hover: () => void;
}

/** The class of a column's cells: numbers stand to the right. */
const cellClass = ({ column, number }: TableColumn): string =>
  `jxv-td jxv-td-${column}${number ? ' jxv-right' : ''}`;

export function TableRow({
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
}: Props) {
  const name = [
    'jxv-tr',
    active ? 'jxv-tr-active' : '',
    row.held ? 'jxv-tr-group' : '',
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
      {columns.map((one) => (
        <Cell key={one.column} {...{ stage, row, open, of: one }} />
      ))}
    </tr>
  );
}

type CellProps = Pick<Props, 'stage' | 'row' | 'open'> & {
  of: TableColumn;
};

function Cell({ stage, row, open, of }: CellProps) {
  const { column, number } = of;
  const text = textOf(stage, row, column);
  const isFirst = column === 'line';
  return (
    <td class={cellClass(of)} {...(number ? {} : { title: isFirst ? row.line : text })}>
      {isFirst && open !== null && (
        <span class="jxv-twisty" aria-hidden="true">
          {open ? '▾' : '▸'}
        </span>
      )}
      {column === 'share' && <Heat share={row.share} />}
      <span class={text === unreported() || text === __('not told') ? 'jxv-words' : ''}>
        {text}
      </span>
    </td>
  );
}

/** The bar of an eqn's share, which has the length and the colour of that in its box. */
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

function textOf(stage: Stage, { cost, held, ...row }: CostRow, column: CostColumn): string {
  const { flops, bytes, least } = cost;
  const isSum = held !== null || (stage.graphs[row.graph]?.eqns[row.eqn]?.bodies.length ?? 0) > 0;
  switch (column) {
    case 'label':
      return held && row.label === row.line ? eqnsText(stage, held.length) : row.label;
    case 'line':
      return row.line.replace(/^.*\//, '');
    case 'type':
      return held && row.label !== row.line ? eqnsText(stage, held.length) : row.type;
    case 'size':
      return row.size === null ? '' : sizeText(row.size);
    case 'flops':
      if (row.runs === null && !held) return '';
      return flops === null ? unreported() : atLeast(least) + compact(flops);
    case 'bytes':
      return row.runs === null && !held ? '' : sizeText(bytes, least);
    case 'sent':
      return row.sent === null ? '' : sizeText(row.sent.bytes || null, row.sent.least);
    case 'share':
      return row.share === null ? '' : percentText(row.share);
    case 'intensity':
      return row.intensity === null ? '' : ratioText(row.intensity);
    case 'time':
      return row.time === null
        ? __('not told')
        : atLeast(isSum && sumsAreLeast(stage)) + timeText(row.time);
    case 'largest':
      return magnitudeText(row.largest);
    case 'runs':
      return row.runs === null ? '' : atLeast(row.runsLeast) + compact(row.runs);
    default:
      return row[column];
  }
}

interface HeaderProps {
  columns: readonly TableColumn[];
  order: RowOrder | null;
  sort: (order: RowOrder | null) => void;
}

/** The head with the names of the columns. A press sorts by a column: numbers from the largest,
 * words from the first. A second press reverses that; a third brings back the order of the
 * program. */
export function Header({ columns, order, sort }: HeaderProps) {
  const press = (column: CostColumn, first: boolean) => {
    if (order?.column !== column) sort({ column, descending: first });
    else sort(order.descending === first ? { column, descending: !first } : null);
  };
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((one) => {
          const { column, label, about, number } = one;
          const way =
            order?.column !== column ? 'none' : order.descending ? 'descending' : 'ascending';
          return (
            <th key={column} scope="col" class={cellClass(one)} aria-sort={way}>
              <button
                type="button"
                class="jxv-bare"
                title={about()}
                onClick={() => press(column, number)}
              >
                {label()}
                <span aria-hidden="true" class="jxv-sort">
                  {{ none: '', descending: '▾', ascending: '▴' }[way]}
                </span>
              </button>
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

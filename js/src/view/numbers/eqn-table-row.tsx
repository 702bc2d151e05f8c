/** The rows and the head of the table of eqns. */

import { HEATS, heatOf, lengthOf } from '../../facts/colours/heat';
import { unreported } from '../../facts/describe';
import { __ } from '../../language';
import type { Stage } from '../../schema';
import {
  type CostColumn,
  isNumber,
  type RowOrder,
  type TableColumn,
} from '../../words/cost-columns';
import type { CostRow } from '../../words/cost-table';

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
const cellClass = (one: TableColumn): string =>
  `jxv-td jxv-td-${one.column}${isNumber(one) ? ' jxv-right' : ''}`;

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
      {columns.map((one, at) => (
        <Cell key={one.column} {...{ stage, row, of: one }} open={at === 0 ? open : null} />
      ))}
    </tr>
  );
}

type CellProps = Pick<Props, 'stage' | 'row' | 'open'> & {
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

interface HeaderProps {
  stage: Stage;
  columns: readonly TableColumn[];
  order: RowOrder | null;
  sort: (order: RowOrder | null) => void;
}

/** The head with the names of the columns. A press sorts by a column: numbers from the largest,
 * words from the first. A second press reverses that; a third brings back the order of the
 * program. */
export function Header({ stage, columns, order, sort }: HeaderProps) {
  const press = (column: CostColumn, first: boolean) => {
    if (order?.column !== column) sort({ column, descending: first });
    else sort(order.descending === first ? { column, descending: !first } : null);
  };
  return (
    <thead>
      <tr aria-rowindex={1}>
        {columns.map((one) => {
          const { column, label, about } = one;
          const way =
            order?.column !== column ? 'none' : order.descending ? 'descending' : 'ascending';
          return (
            <th key={column} scope="col" class={cellClass(one)} aria-sort={way}>
              <button
                type="button"
                class="jxv-bare"
                title={about(stage)}
                onClick={() => press(column, isNumber(one))}
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

import { HEATS, heatOf, lengthOf } from '../../facts/colours/heat';
import { compact, percentText, ratioText, sizeText, unreported } from '../../facts/numbers/amounts';
import { __ } from '../../language';
import type { Cost } from '../../schema';
import type { Column, Row } from '../../words/cost-table';
import { eqnsText } from '../../words/fact-parts';

/** The columns, as they stand from left to right. */
export const COLUMNS: readonly {
  column: Column;
  label: () => string;
  about: () => string;
  number: boolean;
}[] = [
  {
    column: 'label',
    label: () => __('op'),
    about: () => __('What the eqn is, and its first result'),
    number: false,
  },
  {
    column: 'flops',
    label: () => __('flops'),
    about: () => __('Floating-point operations in all its runs, what it holds included'),
    number: true,
  },
  {
    column: 'share',
    label: () => '%',
    about: () => __('Of the flops of the program'),
    number: true,
  },
  {
    column: 'bytes',
    label: () => __('bytes'),
    about: () => __('Read and written in all its runs'),
    number: true,
  },
  { column: 'intensity', label: () => 'flop/B', about: () => __('Flops per byte'), number: true },
  {
    column: 'runs',
    label: () => __('runs'),
    about: () => __('How often it runs in one run of the program'),
    number: true,
  },
  {
    column: 'line',
    label: () => __('line'),
    about: () => __('Your line that it comes from'),
    number: false,
  },
];

interface Props {
  row: Row;
  whole: Cost;
  /** Its place among all rows. */
  at: number;
  id: string;
  selected: boolean;
  active: boolean;
  /** Whether a group shows its eqns; null of an eqn. */
  open: boolean | null;
  /** Whether it is one of a group's. */
  inner: boolean;
  choose: () => void;
  hover: () => void;
}

/** The class of a column's cells: numbers stand to the right. */
export const cellClass = (column: Column): string =>
  `jxv-td jxv-td-${column}${NUMBERS.has(column) ? ' jxv-right' : ''}`;

const NUMBERS = new Set(COLUMNS.filter(({ number }) => number).map(({ column }) => column));

export function TableRow({
  row,
  whole,
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
      {...(open === null ? {} : { 'aria-expanded': open })}
      onClick={choose}
      onPointerEnter={hover}
    >
      {COLUMNS.map(({ column, number }) => {
        const text = textOf(row, column);
        return (
          <td
            key={column}
            class={cellClass(column)}
            {...(number
              ? {}
              : { title: `${text} ${column === 'label' ? besideOf(row) : ''}`.trim() })}
          >
            {column === 'label' && open !== null && (
              <span class="jxv-twisty" aria-hidden="true">
                {open ? '▾' : '▸'}
              </span>
            )}
            {column === 'share' && <Heat row={row} whole={whole} />}
            <span class={text === unreported() ? 'jxv-words' : ''}>{text}</span>
            {column === 'label' && <span class="jxv-words">{besideOf(row)}</span>}
          </td>
        );
      })}
    </tr>
  );
}

/** What stands behind a name: the type of an eqn's first result, or how many eqns a group holds. */
const besideOf = ({ held, type }: Row): string => (held ? eqnsText(held.length) : type);

/** As long as the bar in its box, and in the same colour. */
function Heat({ row: { cost, share }, whole }: Pick<Props, 'row' | 'whole'>) {
  if (!share) return null;
  const paint = HEATS[heatOf(cost, whole, 'flops')];
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

function textOf({ cost, ...row }: Row, column: Column): string {
  const { flops, bytes, least } = cost;
  const more = least ? '≥ ' : '';
  switch (column) {
    case 'flops':
      return flops === null ? unreported() : more + compact(flops);
    case 'bytes':
      return sizeText(bytes, least);
    case 'share':
      return row.share === null ? '' : percentText(row.share);
    case 'intensity':
      return row.intensity === null ? '' : ratioText(row.intensity);
    case 'runs':
      return row.runs === null ? '' : `${row.runsLeast ? '≥ ' : ''}${compact(row.runs)}`;
    default:
      return row[column];
  }
}

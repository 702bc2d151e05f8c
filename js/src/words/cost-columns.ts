/** The columns of the table of eqns, one record each, and the order of its rows by one of them. */
import { measureOf } from '../facts/colours/heat';
import { cached } from '../facts/maps';
import { sumsAreLeast } from '../facts/numbers/measured';
import { onlyFunction, workTexts } from '../facts/numbers/work';
import { magnitudeText } from '../facts/reports';
import {
  atLeast,
  compact,
  percentText,
  ratioText,
  sizeText,
  timeText,
  unreported,
} from '../facts/text/describe';
import { __ } from '../language';
import type { Stage } from '../schema';
import type { CostRow } from './cost-table';
import { eqnsText } from './fact-parts';

interface Column {
  label: () => string;
  about: (stage: Stage) => string;
  /** The value to sort rows by; null if it is unknown. */
  key: (row: CostRow) => number | string | null;
  text: (row: CostRow, stage: Stage) => string;
  /** The full text of a cell that shows only a part of it. */
  title?: (row: CostRow) => string;
  /** The rank of a number: a narrow table leaves out the largest ranks first. Columns of words have
   * none. */
  rank?: number;
  /** The length of a bar in its cells, from 0 to 1. */
  bar?: (row: CostRow) => number | null;
  /** True for stages with this column; absent for a column of all stages. */
  isIn?: (stage: Stage) => boolean;
}

/** The text, but empty for an eqn without own runs. */
const ofRuns = ({ runs, members }: CostRow, text: string): string =>
  runs === null && members === null ? '' : text;

const isSum = ({ members, graph, eqn }: CostRow, { graphs }: Stage): boolean =>
  members !== null || (graphs[graph]?.eqns[eqn]?.bodies.length ?? 0) > 0;

/** The flops of a row; if there are only values of a function such as sin, their number: `100 sin`. Empty for an eqn
 * that only moves data. */
function flopsOf(row: CostRow, { graphs }: Stage): string {
  const { flops, least } = row.cost;
  if (flops) return atLeast(least) + compact(flops);
  const eqns = (row.members ?? [row]).map(({ graph, eqn }) => graphs[graph]?.eqns[eqn]);
  return workTexts(row.cost, onlyFunction(eqns))[0] ?? '';
}

const SHARES = {
  flops: () => __("Share of the program's arithmetic: flops, and values of functions such as sin"),
  bytes: () => __('Share of the bytes that the program moves'),
  time: () => __('Share of the measured time of all operations'),
};

/** The columns, from left to right. */
const COLUMNS = {
  line: {
    label: () => __('line'),
    about: () => __('Your line of code'),
    key: ({ line }) => line || null,
    text: ({ line }) => line.replace(/^.*\//, ''),
    title: ({ line }) => line,
  },
  label: {
    label: () => __('op'),
    about: () => __('What it is'),
    key: ({ label }) => label || null,
    text: ({ members, label, line }, stage) =>
      members && label === line ? eqnsText(stage, members.length) : label,
  },
  type: {
    label: () => __('result'),
    about: () => __('The type of its first result'),
    key: ({ type }) => type || null,
    text: ({ members, label, line, type }, stage) =>
      members && label !== line ? eqnsText(stage, members.length) : type,
  },
  largest: {
    label: () => __('largest'),
    about: () => __('The largest finite magnitude of its results'),
    key: ({ largest }) => largest,
    text: ({ largest }) => magnitudeText(largest),
    rank: 4,
    isIn: ({ values }) => values.length > 0,
  },
  size: {
    label: () => __('size'),
    about: () => __('Bytes of its first result. A group shows its largest result'),
    key: ({ size }) => size,
    text: ({ size }) => (size === null ? '' : sizeText(size)),
    rank: 9,
  },
  time: {
    label: () => __('time'),
    about: () => __('Measured, in all its runs'),
    key: ({ time }) => time,
    text: (row, stage) =>
      row.time === null
        ? unreported()
        : atLeast(isSum(row, stage) && sumsAreLeast(stage)) + timeText(row.time),
    rank: 1,
    isIn: ({ times }) => times !== null,
  },
  flops: {
    label: () => __('flops'),
    about: () => __('Flops in all its runs, including its bodies'),
    key: ({ cost }) => cost.flops || cost.transcendentals || cost.flops,
    text: (row, stage) => ofRuns(row, flopsOf(row, stage)),
    rank: 3,
  },
  share: {
    label: () => '%',
    about: (stage) => SHARES[measureOf(stage)](),
    key: ({ share }) => share,
    text: ({ share }) => (share === null ? '' : percentText(share)),
    rank: 2,
    bar: ({ share }) => share,
  },
  sent: {
    label: () => __('sent'),
    about: () =>
      __('Bytes that each device sends to others in all its runs. Its bodies have their own rows'),
    key: ({ sent }) => sent?.bytes ?? null,
    text: ({ sent }) => (sent === null ? '' : sizeText(sent.bytes || null, sent.least)),
    rank: 6,
    isIn: ({ collectives }) => collectives.length > 0,
  },
  bytes: {
    label: () => __('bytes'),
    about: () => __('Read and written in all its runs'),
    key: ({ cost }) => cost.bytes,
    text: (row) => ofRuns(row, sizeText(row.cost.bytes, row.cost.least)),
    rank: 5,
  },
  intensity: {
    label: () => 'flop/B',
    about: () => __('Flops per byte'),
    key: ({ intensity }) => intensity,
    text: ({ intensity }) => (intensity === null ? '' : ratioText(intensity)),
    rank: 7,
  },
  runs: {
    label: () => __('runs'),
    about: () => __('How often it runs in one run of the program'),
    key: ({ runs }) => runs,
    text: ({ runs, runsLeast }) => (runs === null ? '' : atLeast(runsLeast) + compact(runs)),
    rank: 8,
  },
} satisfies Record<string, Column>;

export type CostColumn = keyof typeof COLUMNS;
export type TableColumn = Column & { column: CostColumn };

const columnsOf = cached((stage: Stage): readonly TableColumn[] =>
  (Object.entries(COLUMNS) as [CostColumn, Column][])
    .map(([column, one]) => ({ ...one, column }))
    .filter(({ isIn }) => isIn?.(stage) ?? true),
);

/** The columns of words, and at most `numbers` columns of numbers, including the one that rows are
 * sorted by. */
export function columnsWithin(
  stage: Stage,
  numbers: number,
  sorted: CostColumn | null,
): readonly TableColumn[] {
  const all = columnsOf(stage);
  const rank = ({ column, rank = 0 }: TableColumn): number => (column === sorted ? 0 : rank);
  const chosen = all
    .filter(isNumber)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, numbers);
  return all.filter((one) => !isNumber(one) || chosen.includes(one));
}

export const isNumber = ({ rank }: Column): boolean => rank !== undefined;

export interface RowOrder {
  column: CostColumn;
  descending: boolean;
}

/** The order with the most expensive row first. */
export const costliest = (stage: Stage): RowOrder => ({
  column: stage.times ? 'time' : 'share',
  descending: true,
});

/** Sorts rows. Unknown values are last in both directions, and equal rows stay in program order.
 * Without an order, all rows are in program order. */
export function sorted(rows: readonly CostRow[], order: RowOrder | null): readonly CostRow[] {
  if (order === null) return rows;
  const { key } = COLUMNS[order.column];
  const keys = new Map<CostRow, number | string | null>(rows.map((row) => [row, key(row)]));
  const direction = order.descending ? -1 : 1;
  return [...rows].sort((one, other) => {
    const [a, b] = [keys.get(one) ?? null, keys.get(other) ?? null];
    if (a === b) return one.index - other.index;
    if (a === null || b === null) return a === null ? 1 : -1;
    return (a < b ? -1 : 1) * direction;
  });
}

/** The visible rows: all, with the rows of each open group below it, in the same order. */
export function shown(
  rows: readonly CostRow[],
  order: RowOrder | null,
  open: ReadonlySet<string>,
): readonly CostRow[] {
  return sorted(rows, order).flatMap((row) =>
    row.members && open.has(row.label) ? [row, ...sorted(row.members, order)] : [row],
  );
}

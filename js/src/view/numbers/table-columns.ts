/** The columns of the table of eqns, and which of them there is room for. */
import { cached } from '../../facts/cached';
import { __ } from '../../language';
import type { Stage } from '../../schema';
import type { CostColumn } from '../../words/cost-table';

export interface TableColumn {
  column: CostColumn;
  label: () => string;
  about: () => string;
  number: boolean;
}

/** Stands first of the numbers where runs were profiled. */
const TIME: TableColumn = {
  column: 'time',
  label: () => __('time'),
  about: () => __('Measured, in all its runs'),
  number: true,
};

/** Stands behind the bytes where devices exchange something. */
const SENT: TableColumn = {
  column: 'sent',
  label: () => __('sent'),
  about: () =>
    __('What each device sends to others in all its runs; what it holds has rows of its own'),
  number: true,
};

/** Stands behind the result where a run told of values. */
const LARGEST: TableColumn = {
  column: 'largest',
  label: () => __('largest'),
  about: () => __('The largest finite magnitude of its results'),
  number: true,
};

/** The columns, as they stand from left to right. */
const COLUMNS: readonly TableColumn[] = [
  {
    column: 'line',
    label: () => __('line'),
    about: () => __('Your line that it comes from'),
    number: false,
  },
  { column: 'label', label: () => __('op'), about: () => __('What it is'), number: false },
  {
    column: 'type',
    label: () => __('result'),
    about: () => __('The type of its first result'),
    number: false,
  },
  {
    column: 'size',
    label: () => __('size'),
    about: () => __('Bytes of its first result; of a group those of the largest'),
    number: true,
  },
  {
    column: 'flops',
    label: () => __('flops'),
    about: () => __('Flops in all its runs, what it holds included'),
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
];

const ofTime = () => __('Of the measured time of all operations');

/** All columns of a stage's table. */
const columnsOf = cached(({ times, collectives, values }: Stage): readonly TableColumn[] =>
  COLUMNS.flatMap((one) => [
    ...(values.length > 0 && one.column === 'size' ? [LARGEST] : []),
    ...(times && one.column === 'flops' ? [TIME] : []),
    times && one.column === 'share' ? { ...one, about: ofTime } : one,
    ...(collectives.length > 0 && one.column === 'bytes' ? [SENT] : []),
  ]),
);

/** The numbers, those first that a narrow table leaves out last. */
const WORTH: readonly CostColumn[] = [
  'time',
  'share',
  'flops',
  'largest',
  'bytes',
  'sent',
  'intensity',
  'runs',
  'size',
];

/** The words, and as many numbers as there is room for, among them the one that rows are sorted by. */
export function columnsWithin(
  stage: Stage,
  numbers: number,
  sorted: CostColumn | null,
): readonly TableColumn[] {
  const all = columnsOf(stage);
  const worth = ({ column }: TableColumn): number =>
    column === sorted ? -1 : WORTH.indexOf(column);
  const kept = all
    .filter(({ number }) => number)
    .sort((a, b) => worth(a) - worth(b))
    .slice(0, numbers);
  return all.filter((one) => !one.number || kept.includes(one));
}

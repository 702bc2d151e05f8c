/** What the values of a run were like, above the program: what is not finite first, then the
 * largest. */
import { magnitudeText } from '../facts/told-lines';
import { __ } from '../language';
import type { LineValues, Values } from '../schema';
import {
  type Column,
  type LineTable,
  type ListedProps,
  notRepeated,
  ProgramWithTable,
} from './line-table';

export const ProgramWithValues = ({ values, ...props }: ListedProps & { values: Values }) => (
  <ProgramWithTable {...props} table={tableOf(values)} />
);

const tableOf = ({ lines, more, left_out, run_again }: Values): LineTable<LineValues> => ({
  caption: __('One result of each line in one run: the first that is not finite, else the largest'),
  columns: COLUMNS,
  lines,
  more,
  notes: [
    __(
      'The program ran with these numbers beside it, and its operations may be fused otherwise: values may differ from those of your run in the last digits.',
    ),
    ...notRepeated(left_out),
    ...(run_again ? [__('%1 ran again.', 'pure_callback')] : []),
  ],
});

const COLUMNS: readonly Column<LineValues>[] = [
  {
    label: () => __('largest finite'),
    number: true,
    cell: ({ largest }) => magnitudeText(largest),
  },
  { label: () => 'NaN', number: true, cell: ({ nan }) => <Count of={nan} /> },
  { label: () => 'inf', number: true, cell: ({ inf }) => <Count of={inf} /> },
  {
    label: () => __('op'),
    number: false,
    cell: ({ op, type }) => (
      <>
        {op} <span class="jxv-words">{type}</span>
      </>
    ),
  },
];

const Count = ({ of }: { of: number }) =>
  of > 0 ? <span class="jxv-line-table-flaw">{of.toLocaleString('en')}</span> : null;

/** Statistics of the values of a run, above the program: first those that are not finite, then the
 * largest, and on request the distributions of a selected part. */
import { useMemo } from 'preact/hooks';
import { magnitudeText } from '../../facts/reports';
import { __, thousands } from '../../language';
import type { LineValues, Statistics } from '../../schema';
import type { Column } from '../../shell/parts/data-table';
import { type LineTable, onEffects, ProgramWithTable } from '../../shell/parts/line-table';
import type { ReportProps } from '../../shell/program-view';
import type { Linking } from '../../stage/linked/linking';
import { PartOfValues, Spread, useParts } from './distributions';

export function ProgramWithStatistics({ report, ...props }: ReportProps<Statistics>) {
  const [program, parts] = useParts(props.program, props.kernel);
  const table = useMemo(() => tableOf(report), [report]);
  const below = (linking: Linking) =>
    parts && <PartOfValues key="values" {...{ linking, parts }} />;
  return <ProgramWithTable {...props} {...{ program, below, table }} />;
}

const tableOf = ({ lines, more, ...effects }: Statistics): LineTable<LineValues> => ({
  ...(lines.some(({ distribution }) => distribution)
    ? {
        caption: __(
          'Results of these lines in one run: first those that are not finite (unless your code writes them), then the largest',
        ),
        below: ({ distribution }) => distribution && <Spread of={distribution} />,
      }
    : {
        caption: __(
          'One result per line in one run: the first that is not finite (unless your code writes it), otherwise the largest',
        ),
      }),
  columns: COLUMNS,
  lines,
  more,
  notes: [
    __(
      'These numbers are from another run, in which operations may be fused differently: values may differ from those of your run in the last digits.',
    ),
    ...onEffects(effects),
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
  of > 0 ? <span class="jxv-line-table-flaw">{thousands(of)}</span> : null;

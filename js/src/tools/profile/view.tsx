/** Measured time of lines and loops, above the program: the longest line first. */
import { numbersOf } from '../../facts/linked/origins';
import { percentText, placeOf, timeText } from '../../facts/text/describe';
import { __ } from '../../language';
import type { LineTime, Program, Stage, TimedLoop, Times } from '../../schema';
import type { Column } from '../../shell/parts/data-table';
import { type LineTable, notRepeated, ProgramWithTable } from '../../shell/parts/line-table';
import type { ReportProps } from '../../shell/program-view';

export const ProgramWithTimes = ({ report: times, ...props }: ReportProps<Times>) => (
  <ProgramWithTable {...props} table={tableOf(times, props.program)} />
);

const tableOf = (times: Times, { stages: [jaxpr] }: Program): LineTable<LineTime> => ({
  caption: captionOf(times),
  columns: COLUMNS,
  lines: times.lines.map((line) => ({ ...line, eqn: numberOf(line, jaxpr) })),
  more: times.more,
  notes: [
    ...betweenText(times),
    __(
      'Each operation has its shortest time of all runs, so they add up to at most the time of one run. The time of a fused instruction is divided by the arithmetic of each part, and parallel time by the number of instructions.',
    ),
    ...times.loops.map(loopText),
    ...notRepeated(times.left_out),
    ...(times.run_again ? [__('%1 ran in each run.', 'pure_callback')] : []),
  ],
});

/** The eqn that took longest, numbered through all graphs; -1 if it is unknown. */
const numberOf = ({ graph, eqn }: LineTime, jaxpr: Stage | undefined): number =>
  jaxpr && eqn >= 0 ? (numbersOf(jaxpr).starts[graph] ?? 0) + eqn : -1;

/** The time between instructions, as far as the profiler reports it for this program. */
function betweenText({ buffers, inside, between }: Times): string[] {
  if (buffers === 'off')
    return [
      __(
        'The times from call to result are without the profiler. Under the profiler XLA launched each kernel separately, because command buffers hide instructions. So the time between kernels is unknown.',
      ),
    ];
  const fastest = __(
    'The fastest run took %1 from first to last instruction. For %2 of that time, no instruction ran.',
    timeText(inside),
    timeText(between),
  );
  if (buffers === '') return [fastest];
  return [
    fastest,
    __(
      'A %1 of XLA counts as one operation: the profiler does not say which instructions ran in it. %2 compiles the program without them.',
      'command_buffer',
      'jaxviz.profile',
    ),
  ];
}

/** The time of a loop's iterations: `scan (cell 2:13): iteration 3 of 6 is the longest. …`. */
function loopText({ frame, op, turns, shortest, middle, longest, slowest }: TimedLoop): string {
  const loop = frame ? `${op} (${placeOf(frame)})` : op;
  if (turns === 0) return __('%1: its iterations cannot be distinguished.', loop);
  const times = [shortest, longest, middle].map((seconds) => timeText(seconds));
  return __(
    '%1: iteration %2 of %3 is the longest. An iteration takes %4 to %5, the median is %6.',
    loop,
    slowest,
    turns,
    ...times,
  );
}

function captionOf({ in_cell, runs, best, median }: Times): string {
  const [shortest, middle] = [timeText(best), timeText(median)];
  return in_cell
    ? __(
        "Measured time of each line: %1 of the cell's runs; from first to last instruction, best %2, median %3",
        runs,
        shortest,
        middle,
      )
    : __(
        'Measured time of each line: %1 runs; from call to result, best %2, median %3',
        runs,
        shortest,
        middle,
      );
}

const COLUMNS: readonly Column<LineTime>[] = [
  { label: () => __('time'), number: true, cell: ({ seconds }) => timeText(seconds) },
  {
    label: () => __('share'),
    number: true,
    cell: ({ share }) => (
      <>
        <meter class="jxv-line-table-share" min={0} max={1} value={share} aria-hidden="true" />{' '}
        <span class="jxv-line-table-percent">{percentText(share)}</span>
      </>
    ),
  },
  {
    label: () => __('op'),
    number: false,
    cell: ({ ops }) => <span title={ops.join(', ')}>{shortened(ops)}</span>,
  },
];

/** The first names, longest time first. */
const shortened = (ops: readonly string[]): string =>
  ops.slice(0, 2).join(', ') + (ops.length > 2 ? ', …' : '');

/** What is said of a profiled cell: its parts, and how often programs ran. */
import { timeText } from '../../facts/describe';
import { __, _n, thousands } from '../../language';
import type { CellTimes, RanProgram } from '../../schema';

/** How many runs were measured: `20 runs`, `runs 1–7,100 of 20,000`. */
export const callsText = ({ calls, of }: RanProgram): string =>
  of === null
    ? _n('%1 run', '%1 runs', calls)
    : __('runs 1–%1 of %2', thousands(calls), thousands(of));

/** A program in words, for the pointer. */
export const ranText = (program: RanProgram): string =>
  `${program.name}: ${callsText(program)}, ${timeText(program.seconds)}`;

/** A part of a cell's time. */
export interface Part {
  /** Names the part's colour. */
  name: 'running' | 'making' | 'moving' | 'rest';
  label: string;
  seconds: number;
}

/** The parts of a cell's time, in the order in which they are counted. */
export const partsOf = ({ running, making, moving, rest }: CellTimes): Part[] => [
  { name: 'running', label: __('programs ran'), seconds: running },
  { name: 'making', label: __('JAX traced and compiled, while nothing ran'), seconds: making },
  { name: 'moving', label: __('arrays moved'), seconds: moving },
  { name: 'rest', label: __('Python and waiting'), seconds: rest },
];

/** What was measured: all of the cell, or its beginning. */
export function measuredText({ seconds, ended }: CellTimes): string {
  const time = timeText(seconds);
  switch (ended) {
    case 'time':
      return __('Measured: the first %1, then the profiler ended, after 10 s', time);
    case 'events':
      return __('Measured: the first %1, then the profiler ended, after 200,000 events', time);
    case 'memory':
      return __('Measured: the first %1, then the profiler ended, after 200 MB of memory', time);
    default:
      return __('Measured: all of %1', time);
  }
}

/** What lies before the first program and after the last. */
export const aroundText = ({ before, after }: CellTimes): string =>
  __('%1 before the first program, %2 after the last', timeText(before), timeText(after));

/** The view of what each tool reports: above its program, or around it. */
import type { FunctionComponent } from 'preact';
import type { Report } from '../schema';
import { later } from './later';
import type { ReportProps } from './program-view';

type Views = {
  [Tool in Report['tool']]: FunctionComponent<ReportProps<Extract<Report, { tool: Tool }>>>;
};

const VIEWS: Views = {
  agree: later(async () => (await import('./job')).ProgramsOfJob),
  explain: later(async () => (await import('./card')).CardView),
  find_nan: later(async () => (await import('./births')).ProgramWithBirths),
  profile: later(async () => (await import('./times')).ProgramWithTimes),
  statistics: later(async () => (await import('./values')).ProgramWithValues),
  steps: later(async () => (await import('./trace-steps')).SteppedProgram),
  timeit: later(async () => (await import('./timed/timed-calls')).TimedCalls),
};

/** A program with what a tool reports on it. */
export function ReportView(props: ReportProps) {
  const View = VIEWS[props.report.tool] as FunctionComponent<ReportProps>;
  return <View {...props} show={ReportView} />;
}

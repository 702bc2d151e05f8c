/** The view of what each tool reports: above its program, or around it. */
import type { FunctionComponent } from 'preact';
import type { Report } from '../schema';
import { later } from '../view/later';
import { ProgramView, type ReportProps } from '../view/program-view';

type Views = {
  [Tool in Report['tool']]: FunctionComponent<ReportProps<Extract<Report, { tool: Tool }>>>;
};

const VIEWS: Views = {
  agree: later(async () => (await import('./job/view')).ProgramsOfJob),
  explain: later(async () => (await import('../view/card')).CardView),
  find_nan: later(async () => (await import('../view/births')).ProgramWithBirths),
  passes: ({ report, ...props }) => <ProgramView {...props} passes={report} />,
  profile: later(async () => (await import('../view/times')).ProgramWithTimes),
  statistics: later(async () => (await import('../view/values')).ProgramWithValues),
  steps: later(async () => (await import('../view/trace-steps')).SteppedProgram),
  timeit: later(async () => (await import('./timeit/view')).TimedCalls),
};

/** A program with what a tool reports on it. */
export function ReportView(props: ReportProps) {
  const View = VIEWS[props.report.tool] as FunctionComponent<ReportProps>;
  return <View {...props} show={ReportView} />;
}

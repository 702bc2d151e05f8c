/** The view of each tool's report, above its program or around it, and the tabs of tools. */
import type { FunctionComponent } from 'preact';
import type { Report } from '../schema';
import { FindingsAlone } from '../shell/findings';
import { later } from '../shell/parts/deferred';
import { ProgramView, type ReportProps, type ToolTab } from '../shell/program-view';
import { PASSES } from './passes/tab';

type Views = {
  [Tool in Report['tool']]: FunctionComponent<ReportProps<Extract<Report, { tool: Tool }>>>;
};

const VIEWS: Views = {
  agree: later(async () => (await import('./job/view')).ProgramsOfJob),
  explain: later(async () => (await import('./explain/view')).CardView),
  findings: FindingsAlone,
  find_nan: later(async () => (await import('./nan/view')).ProgramWithOrigins),
  passes: ProgramView,
  profile: later(async () => (await import('./profile/view')).ProgramWithTimes),
  statistics: later(async () => (await import('./statistics/view')).ProgramWithStatistics),
  steps: later(async () => (await import('./steps/view')).SteppedProgram),
  timeit: later(async () => (await import('./timeit/view')).TimedCalls),
};

export const TOOL_TABS: readonly ToolTab[] = [PASSES];

/** A program with a tool's report on it. */
export function ReportView(props: ReportProps) {
  const View = VIEWS[props.report.tool] as FunctionComponent<ReportProps>;
  return <View {...props} show={ReportView} />;
}

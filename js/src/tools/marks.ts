/** The marks and colours that the report of each tool adds to a picture. `jaxviz/tools/registry.py` lists the same
 * tools. */
import type { ReportMarks } from '../picture/picture';
import type { Report } from '../schema';
import { originMarks } from './nan/marks';
import { passMarks } from './passes/marks';
import { stepMarks } from './steps/marks';

type MarksByTool = {
  [Tool in Report['tool']]?: (report: Extract<Report, { tool: Tool }>) => ReportMarks;
};

const MARKS: MarksByTool = {
  find_nan: originMarks,
  passes: passMarks,
  profile: () => ({ colourBy: ({ times }) => (times ? 'time' : 'family') }),
  steps: stepMarks,
};

export function marksOfReport<R extends Report>(report: R | null): ReportMarks {
  const marks = report && (MARKS[report.tool] as ((report: R) => ReportMarks) | undefined);
  return report && marks ? marks(report) : {};
}

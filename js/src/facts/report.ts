/** Reports of tools, as hosts hand them over. */
import { RECORDS, type Report } from '../schema';
import { fits } from './records';

/** Whether the parts of a report fit together, where its schema does not say it. */
function isWhole(report: Report): boolean {
  switch (report.tool) {
    case 'agree':
      return report.held.length > 0 || report.text !== '';
    case 'steps':
      return report.steps.every(({ frame }) => report.frames[frame] !== undefined);
    case 'timeit': {
      const { timings, said, programs } = report;
      const all = timings.length;
      return all > 0 && said.length === all && [0, all].includes(programs.length);
    }
    default:
      return true;
  }
}

/** What a tool reports; null for anything else. Its lists have at most so many items. */
export const reportIn = (value: unknown, most?: number): Report | null =>
  fits(value, RECORDS.Display.report, most) && value !== null && isWhole(value as Report)
    ? (value as Report)
    : null;

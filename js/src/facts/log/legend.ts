/** The legend of the log's timeline: only the marks that this log has. */
import { __ } from '../../language';
import type { Event, Log } from '../../schema';

/** The kinds of marks on a timeline. */
export type TimelineMark =
  | 'trace'
  | 'lower'
  | 'compile'
  | 'again'
  | 'error'
  | 'cached'
  | 'implied'
  | 'hits'
  | 'gap';

/** The marks that occur in a log, in the order of its legend. */
export function legendOf(log: Log): { mark: TimelineMark; text: string }[] {
  const any = (test: (event: Event) => boolean) => log.events.some(test);
  const marks: [TimelineMark, string, boolean][] = [
    ['trace', __('trace'), true],
    ['lower', __('lower'), true],
    ['compile', __('compile'), true],
    ['again', __('again'), any(({ again }) => again)],
    ['error', __('failed'), any(({ error }) => error !== null)],
    ['cached', __('from the persistent cache'), any(({ cached }) => cached === true)],
    ['implied', __('not announced, time not known'), any(({ implied }) => implied)],
    ['hits', __('hits: calls that were cached'), log.functions.some(({ hits }) => hits !== null)],
    ['gap', __('%1 not listed', log.omitted.toLocaleString('en')), log.omitted > 0],
  ];
  return marks.flatMap(([mark, text, is]) => (is ? [{ mark, text }] : []));
}

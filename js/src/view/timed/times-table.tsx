/** What calls took, as a table. */
import type { ComponentChild } from 'preact';
import { timeText } from '../../facts/describe';
import { __, thousands } from '../../language';
import type { Spread, Timing } from '../../schema';

const COLUMNS: readonly { label: () => string; cell: (timing: Timing) => ComponentChild }[] = [
  { label: () => __('function'), cell: (timing) => <code>{timing.function}</code> },
  { label: () => __('size'), cell: ({ size }) => (size == null ? '' : thousands(size)) },
  { label: () => __('eqns'), cell: ({ eqns }) => thousands(eqns) },
  { label: () => __('trace'), cell: ({ trace }) => timeText(trace) },
  { label: () => __('lower'), cell: ({ lower }) => timeText(lower) },
  { label: () => __('compile'), cell: ({ compile }) => timeText(compile) },
  { label: () => __('first run'), cell: ({ first_run }) => timeText(first_run) },
  { label: () => __('with jit'), cell: ({ jitted }) => spreadText(jitted) },
  { label: () => __('op by op'), cell: ({ eager }) => (eager ? spreadText(eager) : __('fails')) },
  { label: () => __('runs of each'), cell: ({ jitted }) => thousands(jitted.runs) },
];

const spreadText = ({ low, median, high }: Spread): string =>
  __('%1 (%2 to %3)', timeText(median), timeText(low), timeText(high));

export const TimesTable = ({ timings }: { timings: readonly Timing[] }) => (
  <details class="jxv-timed-table">
    <summary>{__('As a table')}</summary>
    {/* biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs */}
    <div
      role="group"
      aria-label={__('Times of calls, as a table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
    >
      <table>
        <thead>
          <tr>
            {COLUMNS.map(({ label }) => (
              <th key={label()} scope="col">
                {label()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {timings.map((timing, index) => (
            <tr key={index}>
              {COLUMNS.map(({ label, cell }) => (
                <td key={label()}>{cell(timing)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <p class="jxv-words">
      {__(
        "Runs: the median and the quartiles, each until its results are there. Trace: of the function's own body, as the jitted functions that it calls were traced before.",
      )}
    </p>
  </details>
);

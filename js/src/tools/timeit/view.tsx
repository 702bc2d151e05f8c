/** The time of calls, with jit and without it: bars, curves over sizes, and the program of each
 * call. One slider chooses the size for all of them. */
import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { timeText } from '../../facts/text/describe';
import { sentenceText } from '../../facts/text/sentence-text';
import { decode, fromBase64 } from '../../facts/wire';
import { __, _n, thousands } from '../../language';
import type { Program, Spread, Timed, Timing } from '../../schema';
import { LoadingOrFailure, useArrival } from '../../shell/parts/arrival';
import { useUniqueId } from '../../shell/parts/controls';
import { type Column, DataTable } from '../../shell/parts/data-table';
import { Root } from '../../shell/parts/root';
import { ProgramView, type ReportProps } from '../../shell/program-view';
import { bySize, readyIn, type TimedCall } from './calls';
import { Curves } from './curves';

export function TimedCalls({ report: timed, ...props }: ReportProps<Timed>) {
  const sizes = useMemo(() => bySize(timed), [timed]);
  const [at, go] = useState(sizes.length - 1);
  const calls = sizes[at] ?? [];
  const summary = <Summary {...{ timed, sizes, at, go, calls }} />;
  if (timed.timings.length === 1) return <ProgramView {...props} above={summary} />;
  return (
    <Root label={__('Time of calls')}>
      {summary}
      <div class="jxv-timed-programs">
        {timed.programs.length > 0
          ? calls.map(({ index }) => <CalledProgram key={index} saved={timed.programs[index]} />)
          : __('The programs are too large to save here: %1 has them.', '.programs')}
      </div>
    </Root>
  );
}

interface SummaryProps {
  timed: Timed;
  sizes: readonly TimedCall[][];
  at: number;
  go: (at: number) => void;
  calls: readonly TimedCall[];
}

/** All measurements of the calls, above the programs. */
const Summary = ({ timed, sizes, at, go, calls }: SummaryProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
  <div class="jxv-timed" role="group" aria-label={__('Times of calls')}>
    {sizes.length > 1 && <SizeSlider {...{ sizes, at, go }} />}
    <div class="jxv-timed-drawn">
      {sizes.length > 1 && <Curves sizes={sizes} at={at} />}
      <Bars calls={calls} />
    </div>
    {calls.map(({ index, function: name, said }) => (
      <p key={index}>
        {calls.length > 1 && <code>{name}: </code>}
        {sentenceText(said)}
      </p>
    ))}
    <TimesTable timings={timed.timings} />
  </div>
);

function SizeSlider({ sizes, at, go }: Pick<SummaryProps, 'sizes' | 'at' | 'go'>) {
  const id = useUniqueId();
  const chosen = sizes[at]?.[0]?.size ?? null;
  const size = chosen === null ? '' : thousands(chosen);
  return (
    <div class="jxv-timed-knob">
      <label for={id}>{__('size')}</label>
      <input
        id={id}
        type="range"
        min={0}
        max={sizes.length - 1}
        value={at}
        aria-valuetext={size}
        onInput={({ currentTarget }) => go(currentTarget.valueAsNumber)}
      />
      <output for={id}>{size}</output>
    </div>
  );
}

function CalledProgram({ saved = '' }: { saved: string | undefined }) {
  const read = useMemo((): Promise<Program> => decode(fromBase64(saved)), [saved]);
  const arrival = useArrival(read, 'program');
  if (arrival === null || 'failure' in arrival) {
    return <LoadingOrFailure arrival={arrival} what="program" />;
  }
  const { value } = arrival;
  return <ProgramView program={value} partial={null} opening={{}} kernel={null} later={false} />;
}

/** The steps of a first call. */
const STEPS = [
  { step: 'trace', name: () => __('trace') },
  { step: 'lower', name: () => __('lower') },
  { step: 'compile', name: () => __('compile') },
  { step: 'first_run', name: () => __('run') },
] as const;

const firstCall = (call: TimedCall): number => readyIn(call) + call.first_run;

/** Bars of a call: the first call step by step, and later ones with their quartiles. */
function Bars({ calls }: { calls: readonly TimedCall[] }) {
  const longest = Math.max(...calls.map(firstCall));
  const slowest = Math.max(
    ...calls.flatMap(({ jitted, eager }) => [jitted.high, eager?.high ?? 0]),
  );
  return (
    <div class="jxv-timed-bars">
      <p class="jxv-timed-title">{__('The first call with jit')}</p>
      {calls.map((call) => (
        <FirstCall key={call.index} call={call} longest={longest} />
      ))}
      <p class="jxv-timed-key">
        {STEPS.map(({ step, name }) => (
          <span key={step}>
            <i class={`jxv-timed-step jxv-timed-${step}`} /> {name()}
            {calls.length === 1 && calls[0] && ` ${timeText(calls[0][step])}`}
          </span>
        ))}
      </p>
      <p class="jxv-timed-title">
        {__('Each later call')} <span class="jxv-words">{__('median and quartiles')}</span>
      </p>
      {calls.map((call) => (
        <Runs
          key={call.index}
          {...{ call, slowest }}
          name={calls.length > 1 ? call.function : ''}
        />
      ))}
    </div>
  );
}

const FirstCall = ({ call, longest }: { call: TimedCall; longest: number }) => (
  <Bar
    label={`${call.function} · ${_n('%1 eqn', '%1 eqns', call.eqns)}`}
    said={timeText(firstCall(call))}
  >
    {STEPS.map(({ step, name }) => (
      <span
        key={step}
        class={`jxv-timed-step jxv-timed-${step}`}
        title={`${name()} ${timeText(call[step])}`}
        style={{ width: percent(call[step], longest) }}
      />
    ))}
  </Bar>
);

/** The runs of one function, with jit and op by op. */
const Runs = ({ call, slowest, name }: { call: TimedCall; slowest: number; name: string }) => {
  const { jitted, eager } = call;
  const labelled = (mode: string) => (name === '' ? mode : `${name}, ${mode}`);
  return (
    <>
      <Bar label={labelled(__('with jit'))} said={timeText(jitted.median)}>
        <RunBar runs={jitted} slowest={slowest} kind="jitted" />
      </Bar>
      <Bar label={labelled(__('op by op'))} said={eager ? timeText(eager.median) : __('fails')}>
        {eager && <RunBar runs={eager} slowest={slowest} kind="eager" />}
      </Bar>
    </>
  );
};

/** A median as a bar, and a whisker between the quartiles. */
const RunBar = ({ runs, slowest, kind }: { runs: Spread; slowest: number; kind: string }) => {
  const { low, median, high } = runs;
  return (
    <>
      <span
        class={`jxv-timed-step jxv-timed-${kind}`}
        title={__('%1 to %2, of %3 runs', timeText(low), timeText(high), runs.runs)}
        style={{ width: percent(median, slowest) }}
      />
      <span
        class="jxv-timed-whisker"
        style={{ left: percent(low, slowest), width: percent(high - low, slowest) }}
      />
    </>
  );
};

interface BarProps {
  label: string;
  said: string;
  children: ComponentChildren;
}

const Bar = ({ label, said, children }: BarProps) => (
  <div class="jxv-timed-row">
    <span class="jxv-timed-label">{label}</span>
    <span class="jxv-timed-track">{children}</span>
    <span class="jxv-timed-value">{said}</span>
  </div>
);

const percent = (part: number, whole: number): string => `${whole > 0 ? (100 * part) / whole : 0}%`;

const COLUMNS: readonly Column<Timing>[] = [
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

const TimesTable = ({ timings }: { timings: readonly Timing[] }) => (
  <details class="jxv-timed-table">
    <summary>{__('As a table')}</summary>
    {/* biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs */}
    <div
      role="group"
      aria-label={__('Times of calls, as a table')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
      tabIndex={0}
    >
      <DataTable columns={COLUMNS} rows={timings} />
    </div>
    <p class="jxv-words">
      {__(
        "Runs: median and quartiles of the time until the results are ready. Trace: the function's own body only, because the jitted functions that it calls were traced before.",
      )}
    </p>
  </details>
);

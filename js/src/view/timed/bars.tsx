/** Bars of what a call took: the first one step by step, and later ones with their quartiles. */
import { timeText } from '../../facts/describe';
import { readyIn, type TimedCall } from '../../facts/timed';
import { __, _n } from '../../language';
import type { Spread } from '../../schema';

/** The steps of a first call: what each takes, its class, and its name. */
const STEPS = [
  { step: 'trace', name: () => __('trace') },
  { step: 'lower', name: () => __('lower') },
  { step: 'compile', name: () => __('compile') },
  { step: 'first_run', name: () => __('run') },
] as const;

const firstCall = (call: TimedCall): number => readyIn(call) + call.first_run;

export function Bars({ calls }: { calls: readonly TimedCall[] }) {
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
        {__('Each call after it')}{' '}
        <span class="jxv-words">{__('median, from quartile to quartile')}</span>
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
  const labelled = (way: string) => (name === '' ? way : `${name}, ${way}`);
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
  children: preact.ComponentChildren;
}

const Bar = ({ label, said, children }: BarProps) => (
  <div class="jxv-timed-row">
    <span class="jxv-timed-label">{label}</span>
    <span class="jxv-timed-track">{children}</span>
    <span class="jxv-timed-said">{said}</span>
  </div>
);

const percent = (part: number, whole: number): string => `${whole > 0 ? (100 * part) / whole : 0}%`;

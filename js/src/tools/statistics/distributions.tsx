/** The distributions of values: of a selected part, made on request, and of single results. */
import { useMemo, useState } from 'preact/hooks';
import { selectedEqns } from '../../facts/linked/linked';
import { idOf, withBodies } from '../../facts/linked/origins';
import { magnitudeText, signedText } from '../../facts/reports';
import { placeOf } from '../../facts/text/describe';
import { __, _n, thousands } from '../../language';
import type { Bars, LineValues, PartValues, Program, Stage, ValueDistribution } from '../../schema';
import { useRequest } from '../../shell/parts/arrival';
import { useFold } from '../../shell/parts/data-table';
import { JobProgress } from '../../stage/later-stages';
import type { Linking } from '../../stage/linked/linking';
import {
  type Kernel,
  type KernelRequest,
  type RequestState,
  recordReader,
} from '../../state/kernel-requests';

interface Props {
  linking: Linking;
  parts: ShownParts;
}

/** The distributions of the selection, the kernel's progress, or a button to request them. */
export function PartOfValues({ linking: { program, focus, jaxpr, go }, parts }: Props) {
  const eqns = useMemo(
    () => (focus ? [...new Set(selectedEqns(program.stages, focus))] : []),
    [program.stages, focus],
  );
  if (eqns.length === 0 || !jaxpr) return null;
  const results = parts.of(eqns);
  if (results) {
    const select = (eqn: number) => {
      const id = idOf(jaxpr, eqn, [], true);
      if (id !== null) go('jaxpr', id);
    };
    return <Results key={eqns.join()} {...{ results, select }} />;
  }
  const now = parts.request(eqns);
  if (now && 'doing' in now) {
    return (
      <div class="jxv-part">
        <JobProgress {...now} stop={parts.stop} />
      </div>
    );
  }
  return (
    <div class="jxv-part">
      {now && <p class="jxv-reason">{now.failure}</p>}
      <button type="button" class="jxv-button" onClick={() => parts.ask(eqns)}>
        {now ? __('Try again') : __('Distribution of its values')}
      </button>{' '}
      <span class="jxv-words">{__('runs the program once more')}</span>
    </div>
  );
}

/** The number of results that are shown at first. */
const FIRST = 8;

interface ResultsProps {
  results: readonly LineValues[];
  select: (eqn: number) => void;
}

function Results({ results, select }: ResultsProps) {
  const { shown, button } = useFold(results, FIRST, (count) =>
    _n('%1 more result', '%1 more results', count),
  );
  if (results.length === 0) return <p class="jxv-words">{__('None of it ran.')}</p>;
  return (
    <section class="jxv-part" aria-label={__('Distribution of its values')}>
      {shown.map((one, at) => (
        <Result key={at} of={one} select={() => select(one.eqn)} />
      ))}
      {button}
    </section>
  );
}

function Result({ of, select }: { of: LineValues; select: () => void }) {
  const { op, type, nan, inf, frame, largest, distribution } = of;
  const flaws = [nan > 0 && `${thousands(nan)} NaN`, inf > 0 && `${thousands(inf)} inf`].filter(
    Boolean,
  );
  return (
    <div class="jxv-part-result">
      <p>
        <button type="button" class="jxv-link" onClick={select}>
          {op}
        </button>{' '}
        <code>{type}</code>{' '}
        {flaws.length > 0 && <b class="jxv-line-table-flaw">{flaws.join(', ')} </b>}
        {largest !== null && (
          <span class="jxv-words">{__('largest finite %1', magnitudeText(largest))} </span>
        )}
        {frame && <span class="jxv-words">· {placeOf(frame)}</span>}
      </p>
      {distribution && <Spread of={distribution} />}
    </div>
  );
}

interface ShownParts {
  /** The results of some eqns and of those in their bodies; null if some of these have no answer
   * yet. */
  of: (eqns: readonly number[]) => readonly LineValues[] | null;
  /** The state of the request for some eqns; null if none is open or failed. */
  request: (eqns: readonly number[]) => RequestState | null;
  ask: (eqns: readonly number[]) => void;
  stop: () => void;
}

interface Answer extends PartValues {
  /** All requested eqns, with those in their bodies. */
  numbers: ReadonlySet<number>;
}

/** A program with the answers for parts of its jaxpr, and the requests for more: null if no kernel
 * answers. */
export function useParts(program: Program, kernel: Kernel | null): [Program, ShownParts | null] {
  const [answers, add] = useState<readonly Answer[]>([]);
  const [asked, setAsked] = useState('');
  const [request, begin, stop] = useRequest();
  const whole = useMemo(() => withParts(program, answers), [program, answers]);
  const [jaxpr] = program.stages;
  if (!kernel || jaxpr?.kind !== 'jaxpr') return [program, null];
  const ask = (eqns: readonly number[]) => {
    setAsked(eqns.join());
    begin(
      (onProgress, signal) => kernel.request(valuesRequest(eqns), onProgress, signal),
      (part) => add((before) => [...before, { ...part, numbers: within(jaxpr, eqns) }]),
    );
  };
  const shown: ShownParts = {
    of: (eqns) => resultsOf(answers, within(jaxpr, eqns)),
    request: (eqns) => (eqns.join() === asked ? request : null),
    ask,
    stop,
  };
  return [whole, shown];
}

/** The values of some eqns. The program runs once more. */
const valuesRequest = (eqns: readonly number[]): KernelRequest<PartValues> => ({
  fields: { values: [...eqns] },
  read: recordReader('PartValues'),
});

const within = (stage: Stage, eqns: readonly number[]): ReadonlySet<number> =>
  new Set(withBodies(stage, eqns, () => [], []).map(({ number }) => number));

function resultsOf(answers: readonly Answer[], wanted: ReadonlySet<number>): LineValues[] | null {
  const part = answers.find(({ numbers }) => [...wanted].every((eqn) => numbers.has(eqn)));
  return part?.results.filter(({ eqn }) => wanted.has(eqn)) ?? null;
}

/** The program with the last answer for each eqn in its jaxpr. */
function withParts(program: Program, answers: readonly Answer[]): Program {
  if (answers.length === 0) return program;
  const stages = program.stages.map((stage) => {
    if (stage.kind !== 'jaxpr') return stage;
    const all = [...stage.values, ...answers.flatMap(({ eqns }) => eqns)];
    const values = [...new Map(all.map((one) => [one.eqn, one])).values()];
    return { ...stage, values: values.sort((a, b) => a.eqn - b.eqn) };
  });
  return { ...program, stages };
}

/** The distribution of a result: in numbers, over powers of 2, and over the iterations of its loop. */
export function Spread({ of }: { of: ValueDistribution }) {
  const { smallest, greatest, mean, deviation, finite, zeros, subnormals } = of;
  const [from, to, middle, away] = [smallest, greatest, mean, deviation].map(signedText);
  return (
    <div class="jxv-line-table-spread">
      {smallest !== null && (
        <p>
          {__('%1 to %2, mean %3, deviation %4', from, to, middle, away)}
          {zeros > 0 && `; ${__('%1 of %2 zeros', thousands(zeros), thousands(finite))}`}
          {subnormals > 0 &&
            `; ${__('%1 of %2 subnormal', thousands(subnormals), thousands(finite))}`}
        </p>
      )}
      {of.turns && (
        <Histogram
          bars={of.turns}
          label={__(
            'largest value in iterations %1 to %2; the highest bar is %3',
            0,
            of.turns.count - 1,
            magnitudeText(Math.max(...of.turns.heights)),
          )}
        />
      )}
      {of.exponents && (
        <Histogram
          bars={of.exponents}
          label={__(
            'elements with magnitudes from 2^%1 to below 2^%2',
            of.exponents.first,
            of.exponents.first + of.exponents.count,
          )}
        />
      )}
    </div>
  );
}

/** The size of a histogram, px. */
const [WIDTH, HEIGHT] = [150, 30];

/** Bars side by side; red if something was not finite. */
function Histogram({ bars: { heights, flawed }, label }: { bars: Bars; label: string }) {
  const [unit, width] = [Math.max(...heights) || 1, WIDTH / heights.length];
  return (
    <figure>
      <svg role="img" aria-label={label} width={WIDTH} height={HEIGHT}>
        {heights.map((height, at) => {
          const isFlawed = flawed.includes(at);
          const tall = isFlawed ? HEIGHT : (height / unit) * HEIGHT;
          return (
            <rect
              key={at}
              class={isFlawed ? 'jxv-line-table-bad' : undefined}
              x={at * width}
              y={HEIGHT - tall}
              width={Math.max(width - 1, 0.5)}
              height={tall}
            />
          );
        })}
      </svg>
      <figcaption aria-hidden="true">
        {label}
        {flawed.length > 0 && `; ${__('red: not finite')}`}
      </figcaption>
    </figure>
  );
}

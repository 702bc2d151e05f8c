/** What calls took, with jit and without it: bars, curves over sizes, and the program of each call. One
 * knob chooses the size for all of them. */
import { useMemo, useState } from 'preact/hooks';
import { bySize, type TimedCall } from '../../facts/timed';
import { decode, fromBase64 } from '../../facts/wire';
import { __, thousands } from '../../language';
import type { Program, Timed } from '../../schema';
import { fromKernel } from '../../words/from-kernel';
import { LoadingOrFailure, useArrival } from '../arrival';
import { ProgramView, type ReportProps } from '../program-view';
import { useUniqueId } from '../unique-id';
import { Root } from '../view-root';
import { Bars } from './bars';
import { Curves } from './curves';
import { TimesTable } from './times-table';

export function TimedCalls({ report: timed, ...props }: ReportProps<Timed>) {
  const sizes = useMemo(() => bySize(timed), [timed]);
  const [at, go] = useState(sizes.length - 1);
  const calls = sizes[at] ?? [];
  const told = <Told {...{ timed, sizes, at, go, calls }} />;
  if (timed.timings.length === 1) return <ProgramView {...props} above={told} />;
  return (
    <Root label={__('What calls took')}>
      {told}
      <div class="jxv-timed-programs">
        {timed.programs.length > 0
          ? calls.map(({ index }) => <CalledProgram key={index} saved={timed.programs[index]} />)
          : __('The programs are too large to be saved here: %1 has them.', '.programs')}
      </div>
    </Root>
  );
}

interface ToldProps {
  timed: Timed;
  sizes: readonly TimedCall[][];
  at: number;
  go: (at: number) => void;
  calls: readonly TimedCall[];
}

/** All that is told of the calls, above the programs. */
const Told = ({ timed, sizes, at, go, calls }: ToldProps) => (
  // biome-ignore lint/a11y/useSemanticElements: a fieldset holds inputs
  <div class="jxv-timed" role="group" aria-label={__('Times of calls')}>
    {sizes.length > 1 && <Knob {...{ sizes, at, go }} />}
    <div class="jxv-timed-drawn">
      {sizes.length > 1 && <Curves sizes={sizes} at={at} />}
      <Bars calls={calls} />
    </div>
    {calls.map(({ index, function: name, said }) => (
      <p key={index}>
        {calls.length > 1 && <code>{name}: </code>}
        {fromKernel(said)}
      </p>
    ))}
    <TimesTable timings={timed.timings} />
  </div>
);

/** Chooses the size. */
function Knob({ sizes, at, go }: Pick<ToldProps, 'sizes' | 'at' | 'go'>) {
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

/** The program of a call, once it is read. */
function CalledProgram({ saved = '' }: { saved: string | undefined }) {
  const read = useMemo((): Promise<Program> => decode(fromBase64(saved)), [saved]);
  const arrival = useArrival(read, 'program');
  if (arrival === null || 'failure' in arrival) {
    return <LoadingOrFailure arrival={arrival} what="program" />;
  }
  const { value } = arrival;
  return <ProgramView program={value} partial={null} opening={{}} kernel={null} later={false} />;
}

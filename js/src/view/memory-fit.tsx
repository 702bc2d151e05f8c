/** Whether a program fits into a memory that its author gave: a line above its view. */
import { largestMade } from '../facts/numbers/alive';
import { __ } from '../language';
import type { Program } from '../schema';
import { fitText } from '../words/memory-words';
import { madeRow } from '../words/value-rows';
import type { Linking } from './linked/linking';

const GIB = 1024 ** 3;

interface Props extends Pick<Linking, 'program' | 'go'> {
  /** Of a device, GiB. */
  memory: number;
}

export function MemoryFit({ program, memory, go }: Props) {
  const hlo = program.stages.find(({ kind, error }) => kind === 'hlo' && error === null);
  return (
    <div class="jxv-since jxv-fit">
      {hlo?.memory ? (
        <>
          <span>{fitText(hlo.memory, Math.round(memory * GIB))}</span>
          <Largest {...{ hlo, go }} />
          <span>
            {__(
              'This is an estimate by the XLA compiler that made this HLO. Another platform may need more or less. Other data in memory is not counted.',
            )}
          </span>
        </>
      ) : (
        <span>
          {__('Open HLO to see if it fits into memory: XLA reports its memory after compiling.')}
        </span>
      )}
    </div>
  );
}

interface LargestProps extends Pick<Linking, 'go'> {
  hlo: Program['stages'][number];
}

/** The largest value between inputs and results, with its line. */
function Largest({ hlo, go }: LargestProps) {
  const [made] = largestMade(hlo);
  if (!made) return null;
  const { id, name, type, size, about } = madeRow(hlo, made);
  return (
    <span>
      {__('The largest value between inputs and results:')}{' '}
      <button type="button" class="jxv-link" onClick={() => id !== null && go('hlo', id)}>
        {name}
      </button>{' '}
      {[`${type}, ${size}`, about].filter((text) => text !== '').join(' · ')}
    </span>
  );
}

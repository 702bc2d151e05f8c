/** Where the NaN and the infinity of a run were born, above the program, which shows the way from there
 * to the result. */
import { useMemo, useState } from 'preact/hooks';
import { placeOf } from '../facts/describe';
import { isId } from '../facts/ids';
import { waysBetween } from '../facts/ways';
import { __ } from '../language';
import type { Births, Born } from '../schema';
import { birthText } from '../words/birth-words';
import { onEffects } from './line-table';
import { ProgramView, type ReportProps } from './program-view';
import { Place } from './source-link';

/** A program and what was born in its run. What is chosen there is selected, with its way bright. */
export function ProgramWithBirths({ report: births, ...props }: ReportProps<Births>) {
  const [jaxpr] = props.program.stages;
  // Ids are those of the whole program.
  const known = jaxpr && props.partial === null ? jaxpr : null;
  const [{ born }, choose] = useState<{ born: Born | undefined }>({ born: births.born[0] });
  const [focus, bright] = useMemo(
    () =>
      known && born && isId(born.at) && isId(born.to)
        ? [{ stage: 'jaxpr', id: born.at }, waysBetween(known, born.at, born.to)]
        : [null, null],
    [known, born],
  );
  return (
    <ProgramView
      {...props}
      selected={focus}
      bright={bright}
      above={
        <div class="jxv-line-table">
          {births.born.map((one) => (
            <Birth
              key={one.kind}
              born={one}
              show={known && (() => choose({ born: { ...one } }))}
              isShown={focus !== null && one.kind === born?.kind}
            />
          ))}
          <p class="jxv-words">{notesOf(births, known !== null).join(' ')}</p>
        </div>
      }
    />
  );
}

interface BirthProps {
  born: Born;
  /** Shows its way; null where the program is not whole. */
  show: (() => void) | null;
  isShown: boolean;
}

const Birth = ({ born, show, isShown }: BirthProps) => (
  <>
    <p>{birthText(born)}</p>
    <p>
      {born.frame && (
        <>
          {born.backward && <>{__('Its forward line:')} </>}
          <Place frame={born.frame} text={placeOf(born.frame)} title={born.frame.file} />{' '}
          <code title={born.frame.code}>{born.frame.code}</code>{' '}
        </>
      )}
      {show && (
        <button type="button" class="jxv-link" aria-pressed={isShown} onClick={show}>
          {__('Show its path to %1', born.result)}
        </button>
      )}
    </p>
  </>
);

function notesOf({ born, ...effects }: Births, isWhole: boolean): string[] {
  return [
    ...(born.some(({ kind }) => kind === 'NaN')
      ? []
      : [
          __(
            'No result has a NaN in this run. An operation may round differently if XLA fuses or reorders it.',
          ),
        ]),
    ...(isWhole && born.length > 0
      ? [
          __(
            'Bright in the graph: every path from there to the result. The NaN took at least one of them.',
          ),
        ]
      : []),
    ...onEffects(effects),
  ];
}

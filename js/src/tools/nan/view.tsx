/** The origins of the NaN and the infinity of a run, above the program, which shows the paths from there
 * to the result. */
import { useMemo, useState } from 'preact/hooks';
import { isId } from '../../facts/ids';
import { pathsBetween } from '../../facts/reach';
import { placeOf } from '../../facts/text/describe';
import { __ } from '../../language';
import type { NanOrigin, NanOrigins } from '../../schema';
import { onEffects } from '../../shell/parts/line-table';
import { Place } from '../../shell/parts/source-link';
import { ProgramView, type ReportProps } from '../../shell/program-view';
import { originText } from './words';

/** A program and its origins. The one that is chosen is selected, and its paths are bright. */
export function ProgramWithOrigins({ report, ...props }: ReportProps<NanOrigins>) {
  const [jaxpr] = props.program.stages;
  // Ids are those of the whole program.
  const known = jaxpr && props.partial === null ? jaxpr : null;
  const [{ origin }, choose] = useState<{ origin: NanOrigin | undefined }>({
    origin: report.origins[0],
  });
  const [focus, bright] = useMemo(
    () =>
      known && origin && isId(origin.at) && isId(origin.to)
        ? [{ stage: 'jaxpr', id: origin.at }, pathsBetween(known, origin.at, origin.to)]
        : [null, null],
    [known, origin],
  );
  return (
    <ProgramView
      {...props}
      selected={focus}
      bright={bright}
      above={
        <div class="jxv-line-table">
          {report.origins.map((one) => (
            <Origin
              key={one.kind}
              origin={one}
              show={known && (() => choose({ origin: { ...one } }))}
              isShown={focus !== null && one.kind === origin?.kind}
            />
          ))}
          <p class="jxv-words">{notesOf(report, known !== null).join(' ')}</p>
        </div>
      }
    />
  );
}

interface OriginProps {
  origin: NanOrigin;
  /** Shows its paths; null where the program is not whole. */
  show: (() => void) | null;
  isShown: boolean;
}

const Origin = ({ origin, show, isShown }: OriginProps) => (
  <>
    <p>{originText(origin)}</p>
    <p>
      {origin.frame && (
        <>
          {origin.backward && <>{__('Its forward line:')} </>}
          <Place frame={origin.frame} text={placeOf(origin.frame)} title={origin.frame.file} />{' '}
          <code title={origin.frame.code}>{origin.frame.code}</code>{' '}
        </>
      )}
      {show && (
        <button type="button" class="jxv-link" aria-pressed={isShown} onClick={show}>
          {__('Show its path to %1', origin.result)}
        </button>
      )}
    </p>
  </>
);

function notesOf({ origins, ...effects }: NanOrigins, isWhole: boolean): string[] {
  return [
    ...(origins.some(({ kind }) => kind === 'NaN')
      ? []
      : [
          __(
            'No result has a NaN in this run. An operation may round differently if XLA fuses or reorders it.',
          ),
        ]),
    ...(isWhole && origins.length > 0
      ? [
          __(
            'Bright in the graph: every path from there to the result. The NaN took at least one of them.',
          ),
        ]
      : []),
    ...onEffects(effects),
  ];
}

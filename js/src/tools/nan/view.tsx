/** The origins of the NaN and the infinity of a run, above the program with the paths from there to
 * the result. */
import { useMemo, useState } from 'preact/hooks';
import { isId } from '../../facts/ids';
import { pathsBetween } from '../../facts/reach';
import { joined, placeOf } from '../../facts/text/describe';
import { sentenceText } from '../../facts/text/sentence-text';
import { __ } from '../../language';
import type { Hidden, NanOrigin, NanOrigins } from '../../schema';
import { onEffects } from '../../shell/parts/line-table';
import { Place } from '../../shell/parts/source-link';
import { ProgramView, type ReportProps } from '../../shell/program-view';

/** The chosen origin is selected, and its paths keep their colour. */
export function ProgramWithOrigins({ report, ...props }: ReportProps<NanOrigins>) {
  const [jaxpr] = props.program.stages;
  // Ids are those of the whole program.
  const whole = jaxpr && props.partial === null ? jaxpr : null;
  const [{ origin }, choose] = useState<{ origin: NanOrigin | undefined }>({
    origin: report.origins[0],
  });
  const [focus, bright] = useMemo(
    () =>
      whole && origin && isId(origin.at) && isId(origin.to)
        ? [{ stage: 'jaxpr', id: origin.at }, pathsBetween(whole, origin.at, origin.to)]
        : [null, null],
    [whole, origin],
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
              show={whole && (() => choose({ origin: { ...one } }))}
              isShown={focus !== null && one.kind === origin?.kind}
            />
          ))}
          <p class="jxv-words">{notesOf(report, whole !== null).join(' ')}</p>
        </div>
      }
    />
  );
}

interface OriginProps {
  origin: NanOrigin;
  /** Shows its paths; null if the program is not whole. */
  show: (() => void) | null;
  isShown: boolean;
}

const Origin = ({ origin, show, isShown }: OriginProps) => (
  <>
    <p>{originText(origin)}</p>
    <p>
      {origin.frame && (
        <>
          {origin.backward && <>{__('Its line in the forward pass:')} </>}
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
            'Highlighted in the graph: every path from the origin to the result. The NaN took at least one of them.',
          ),
        ]
      : []),
    ...onEffects(effects),
  ];
}

/** The place, iteration and device of an origin, what it reached, and its first element. */
function originText(origin: NanOrigin): string {
  const { around, device, index, type, constant } = origin;
  return joined(' ', [
    headOf(origin),
    around.length > 0
      ? __('Enclosing loops and branches: %1.', around.map((one) => sentenceText(one)).join('; '))
      : '',
    device === null ? '' : __('It was on device %1 of the mesh.', device),
    reachedText(origin),
    index.length > 0 && !constant
      ? __('The first one in its %1 is element %2.', type, `[${index.join(', ')}]`)
      : '',
    origin.one_of > 1 && !constant
      ? __('It was one of %1 elements of its %2.', origin.one_of, type)
      : '',
    origin.hidden ? hiddenText(origin.hidden) : '',
  ]);
}

/** The reason why a choice hides the NaN only in the values, and the fix. */
const hiddenText = ({ choice, at, before }: Hidden): string =>
  __(
    'The choice in line %1 does not help: JAX also differentiates the branch that is not chosen. Choose the input before %2 in line %3, with jnp.where.',
    choice.line,
    before,
    at.line,
  );

function headOf({ kind, argument, op, constant, backward }: NanOrigin): string {
  const what = kind === 'NaN' ? __('A NaN') : __('An infinity');
  if (argument !== null) return __('%1 was already in %2.', what, argument);
  if (constant && op === '') return __('%1 is a constant that the function returns.', what);
  if (constant) return __('%1 comes from a constant of %2.', what, op);
  if (backward) return __('%1 comes from %2, in the backward pass.', what, op);
  return __('%1 comes from %2.', what, op);
}

const reachedText = ({ others, result }: NanOrigin): string =>
  others
    ? __('It, or another one that joined it on the way, reached %1.', result)
    : __('It reached %1.', result);

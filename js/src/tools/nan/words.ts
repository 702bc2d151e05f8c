/** The origin of a NaN or an infinity, in sentences. */
import { joined } from '../../facts/text/describe';
import { __ } from '../../language';
import type { Hidden, NanOrigin } from '../../schema';
import { sentenceText } from '../../words/kernel-text';

/** Where it is, in which iteration and on which device, what it reached, and its first element. */
export function originText(origin: NanOrigin): string {
  const { around, device, index, type, constant } = origin;
  return joined(' ', [
    headOf(origin),
    around.length > 0
      ? __('Around it: %1.', around.map((one) => sentenceText(one)).join('; '))
      : '',
    device === null ? '' : __('It was on device %1 of the mesh.', device),
    reachedText(origin),
    index.length > 0 && !constant
      ? __('The first in its %1 is element %2.', type, `[${index.join(', ')}]`)
      : '',
    origin.one_of > 1 && !constant
      ? __('It was one of %1 elements of its %2.', origin.one_of, type)
      : '',
    origin.hidden ? hiddenText(origin.hidden) : '',
  ]);
}

/** Why a choice hides the NaN only in the values, and the fix. */
const hiddenText = ({ choice, at, before }: Hidden): string =>
  __(
    'The choice in line %1 does not help: JAX also differentiates the branch that is not chosen. Choose the input before %2 in line %3, with jnp.where.',
    choice.line,
    before,
    at.line,
  );

function headOf({ kind, argument, op, constant, backward }: NanOrigin): string {
  const what = kind === 'NaN' ? __('A NaN') : __('An infinity');
  if (argument !== null) return __('%1 was in %2 already.', what, argument);
  if (constant && op === '') return __('%1 is a constant that the function returns.', what);
  if (constant) return __('%1 comes from a constant of %2.', what, op);
  if (backward) return __('%1 comes from %2, in the backward pass.', what, op);
  return __('%1 comes from %2.', what, op);
}

const reachedText = ({ others, result }: NanOrigin): string =>
  others
    ? __('It, or one of the others that it met on the way, reached %1.', result)
    : __('It reached %1.', result);

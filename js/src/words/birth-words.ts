/** What is said of where a NaN or an infinity was born. */
import { joined } from '../facts/describe';
import { __ } from '../language';
import type { Born, Hidden } from '../schema';
import { fromKernel } from './from-kernel';

/** In sentences: where, in which turn and on which device, what it reached, and its first element. */
export function birthText(born: Born): string {
  const { around, device, index, type, constant } = born;
  return joined(' ', [
    headOf(born),
    around.length > 0 ? __('Around it: %1.', around.map(fromKernel).join('; ')) : '',
    device === null ? '' : __('It was on device %1 of the mesh.', device),
    reachedText(born),
    index.length > 0 && !constant
      ? __('The first in its %1 is element %2.', type, `[${index.join(', ')}]`)
      : '',
    born.one_of > 1 && !constant
      ? __('It was one of %1 elements of its %2.', born.one_of, type)
      : '',
    born.hidden ? hiddenText(born.hidden) : '',
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

function headOf({ kind, argument, op, constant, backward }: Born): string {
  const what = kind === 'NaN' ? __('A NaN') : __('An infinity');
  if (argument !== null) return __('%1 was in %2 already.', what, argument);
  if (constant) return __('%1 came from a constant of %2.', what, op);
  if (backward) return __('%1 was born in %2, in the backward pass.', what, op);
  return __('%1 was born in %2.', what, op);
}

const reachedText = ({ others, result }: Born): string =>
  others
    ? __('It, or one of the others that it met on the way, reached %1.', result)
    : __('It reached %1.', result);

/** The kernel's sentences on what to write instead of what failed. As in `kernel-words.ts`, `%1` stands
 * for what varies. From the mends in jaxviz/capture/failure. */
import { __ } from '../language';

type Sentences = readonly [string, (...found: string[]) => string][];

export const MENDS: Sentences = [
  [
    'write the loop as jax.lax.scan, or with a number of steps that is fixed',
    () => __('write the loop as jax.lax.scan, or with a number of steps that is fixed'),
  ],
  [
    'pass arrays of one size, or leave one out: jax.vmap(f, in_axes=(0, None))',
    () => __('pass arrays of one size, or leave one out: jax.vmap(f, in_axes=(0, None))'),
  ],
  [
    'go on with what was returned: w = step(w)',
    () => __('go on with what was returned: w = step(w)'),
  ],
  ['return the value from the function', () => __('return the value from the function')],
  [
    'use smaller shapes or dtypes, or compute it in parts',
    () => __('use smaller shapes or dtypes, or compute it in parts'),
  ],
  [
    'lay them out alike with jax.device_put(x, sharding)',
    () => __('lay them out alike with jax.device_put(x, sharding)'),
  ],
  ['look at what goes into that line', () => __('look at what goes into that line')],
  ['a new array: .at[…]', () => __('a new array: .at[…]')],
  ['%1, which makes them fit', (a) => __('%1, which makes them fit', a)],
  [
    'Operands are converted and broadcast to one type first.',
    () => __('Operands are converted and broadcast to one type first.'),
  ],
  ['choose by element', () => __('choose by element')],
  [
    'Each element is chosen by its own truth value; both sides are computed.',
    () => __('Each element is chosen by its own truth value; both sides are computed.'),
  ],
  ['a tuple in place of a list', () => __('a tuple in place of a list')],
  [
    'pass it as an ordinary argument, or pass a value that can be hashed',
    () => __('pass it as an ordinary argument, or pass a value that can be hashed'),
  ],
  [
    'return arrays and numbers alone, and keep the rest outside',
    () => __('return arrays and numbers alone, and keep the rest outside'),
  ],
  ['pass a float', () => __('pass a float')],
  [
    'The function gets a float in place of an integer.',
    () => __('The function gets a float in place of an integer.'),
  ],
  ['say what is beside the loss', () => __('say what is beside the loss')],
  [
    'It returns the gradient and what stands beside the loss.',
    () => __('It returns the gradient and what stands beside the loss.'),
  ],
  [
    'return a scalar, such as .sum() or .mean(), or use jax.jacobian',
    () => __('return a scalar, such as .sum() or .mean(), or use jax.jacobian'),
  ],
  ['pass floats: x.astype(float)', () => __('pass floats: x.astype(float)')],
  ['a key made of the number', () => __('a key made of the number')],
  [
    'make new keys first: one, other = jax.random.split(key)',
    () => __('make new keys first: one, other = jax.random.split(key)'),
  ],
  [
    'jax.debug.print, which prints when the program runs',
    () => __('jax.debug.print, which prints when the program runs'),
  ],
  ['each comparison by itself, joined by &', () => __('each comparison by itself, joined by &')],
  [
    'Both sides are computed, in the gradient too: a side that is not finite makes it NaN.',
    () =>
      __('Both sides are computed, in the gradient too: a side that is not finite makes it NaN.'),
  ],
  [
    'The sides may have other shapes or dtypes: the result has that of both together. Both sides are computed, in the gradient too: a side that is not finite makes it NaN.',
    () =>
      __(
        'The sides may have other shapes or dtypes: the result has that of both together. Both sides are computed, in the gradient too: a side that is not finite makes it NaN.',
      ),
  ],
  [
    'Each element is chosen by its own truth value.',
    () => __('Each element is chosen by its own truth value.'),
  ],
  ['%1 in place of %2', (a, b) => __('%1 in place of %2', a, b)],
  [
    'write the loop as jax.lax.while_loop(cond, body, first)',
    () => __('write the loop as jax.lax.while_loop(cond, body, first)'),
  ],
  [
    'check the values before the call, or with jax.experimental.checkify',
    () => __('check the values before the call, or with jax.experimental.checkify'),
  ],
  ['choose within the program: %1.where', (a) => __('choose within the program: %1.where', a)],
  [
    'make %1 static: a part of the program, which is traced anew for each value',
    (a) => __('make %1 static: a part of the program, which is traced anew for each value', a),
  ],
  [
    'make %1 static where the function is jitted: %2',
    (a, b) => __('make %1 static where the function is jitted: %2', a, b),
  ],
  ['an array of that dtype: .astype(%1)', (a) => __('an array of that dtype: .astype(%1)', a)],
  ['without .item(): it is used as a number', () => __('without .item(): it is used as a number')],
  [
    'return the array, and make the list outside of the function',
    () => __('return the array, and make the list outside of the function'),
  ],
  [
    'loop within the program: jax.lax.fori_loop(0, n, body, first)',
    () => __('loop within the program: jax.lax.fori_loop(0, n, body, first)'),
  ],
  ['index an array in place of a list', () => __('index an array in place of a list')],
  ['reduce what the mask keeps: where=', () => __('reduce what the mask keeps: where=')],
  ['the same shape, filled', () => __('the same shape, filled')],
  [
    'The shape stays as it is, with 0 where the mask is false.',
    () => __('The shape stays as it is, with 0 where the mask is false.'),
  ],
  [
    'take a slice of fixed length: jax.lax.dynamic_slice_in_dim(x, start, length)',
    () => __('take a slice of fixed length: jax.lax.dynamic_slice_in_dim(x, start, length)'),
  ],
  ['say how many there are at most: %1', (a) => __('say how many there are at most: %1', a)],
  [
    'The result always has that size; what is left over is filled.',
    () => __('The result always has that size; what is left over is filled.'),
  ],
  [
    'take sizes from shapes, such as x.shape[0]',
    () => __('take sizes from shapes, such as x.shape[0]'),
  ],
  ['NumPy for what is known while tracing', () => __('NumPy for what is known while tracing')],
];

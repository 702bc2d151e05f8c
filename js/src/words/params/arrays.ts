import { __, _n } from '../../language';
import { along, dimensions, listed, numbersIn } from './dimensions';
import { type About, type Table, unless, when } from './params-table';

const reduced = along((where) => __('Goes over %1, which the result no longer has.', where));
const result = () => __('The shape of the result.');
const resultType = () => __('The dtype of the result.');
const window = {
  window_dimensions: () => __('The shape of the window that goes over the operand.'),
  window_strides: () =>
    __('How far the window moves from one result to the next, in each dimension.'),
  padding: () => __('What is put before and behind the operand, in each dimension.'),
  base_dilation: spread(() =>
    __('In each dimension, one more than what is put between elements of the operand.'),
  ),
  window_dilation: spread(() =>
    __('In each dimension, one more than the elements that the window skips between its own.'),
  ),
};

/** Of shapes, elements and their order. */
export const ARRAYS: Table = [
  ['broadcast_in_dim', { broadcast_dimensions: broadcast, shape: result }],
  [
    'reshape',
    {
      new_sizes: () =>
        __('The shape of the result: the same elements, in the same row-major order.'),
    },
  ],
  ['transpose', { permutation }],
  [
    'squeeze',
    { dimensions: along((where) => __('The result no longer has %1 of size 1.', where)) },
  ],
  ['expand_dims', { dimensions: along((where) => __('The result has %1 of size 1.', where)) }],
  ['rev', { dimensions: along((where) => __('Turns the order around along %1.', where)) }],
  ['concatenate', { dimension: along((where) => __('Joins the operands along %1.', where)) }],
  ['stack', { axis: along((where) => __('Joins the operands along a new %1.', where)) }],
  ['tile', { reps: () => __('How often the operand is repeated along each dimension.') }],
  [
    'split',
    {
      sizes: () => __('The sizes of the results along the axis.'),
      axis: along((where) => __('Cuts along %1.', where)),
    },
  ],
  [
    'iota',
    {
      dimension: along((where) => __('Counts 0, 1, 2 … along %1.', where)),
      dtype: resultType,
      shape: result,
    },
  ],
  [
    'pad',
    {
      padding_config: () =>
        __(
          'For each dimension how much is put before, behind and between its elements; below 0 so much is taken away at that end.',
        ),
    },
  ],
  [
    'reduce_sum reduce_prod reduce_max reduce_min reduce_and reduce_or reduce_xor',
    { axes: reduced },
  ],
  ['reduce', { dimensions: reduced, computation: () => __('What joins two elements.') }],
  [
    'argmax argmin',
    { axes: reduced, index_dtype: () => __('The dtype of the indices that are the result.') },
  ],
  [
    'reduce_window reduce_window_sum reduce_window_max reduce_window_min cumred_reduce_window',
    window,
  ],
  [
    'select_and_scatter_add select_and_gather_add',
    { ...window, select_prim: () => __('How the element of each window is chosen.') },
  ],
  [
    'cumsum cumprod cummax cummin cumlogsumexp',
    {
      axis: along((where) =>
        __('Each element of the result is of all elements up to it along %1.', where),
      ),
      reverse: when('True', () => __('From the last element to the first.')),
    },
  ],
  [
    'sort',
    {
      dimension: along((where) => __('Sorts along %1.', where)),
      num_keys: (value) =>
        _n(
          'Sorts by its first operand; others are put in the same order.',
          'Sorts by its first %1 operands; others are put in the same order.',
          Number(value),
        ),
      is_stable: when('True', () => __('Equal elements keep their order.')),
    },
  ],
  [
    'top_k approx_top_k',
    {
      k: () => __('How many elements are found.'),
      axis: along((where) => __('Looks along %1.', where)),
      recall_target: () => __('Which share of them is expected to be found.'),
      is_max_k: when('False', () => __('The smallest are found, not the largest.')),
    },
  ],
  [
    'convert_element_type',
    {
      new_dtype: resultType,
      weak_type: when('True', () =>
        __(
          'The result is weakly typed, like a Python number: it adopts the dtype of an array of its kind.',
        ),
      ),
    },
  ],
  ['bitcast_convert_type', { new_dtype: () => __('The dtype that the same bits are read as.') }],
  [
    'reduce_precision',
    {
      exponent_bits: () => __('Rounds as if floats had an exponent of so many bits.'),
      mantissa_bits: () => __('Rounds as if floats had a mantissa of so many bits.'),
    },
  ],
  ['integer_pow', { y: () => __('The exponent: a Python integer, known when it was traced.') }],
  [
    'round',
    {
      rounding_method: (value) =>
        value === 'AWAY_FROM_ZERO'
          ? __('Halves are rounded away from zero.')
          : value === 'TO_NEAREST_EVEN'
            ? __('Halves are rounded to the even number.')
            : '',
    },
  ],
];

function permutation(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers || numbers.length === 0) return '';
  return __("The result's dimensions are the operand's %1, in this order.", listed(numbers));
}

function broadcast(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers) return '';
  if (numbers.length === 0) return __('A scalar is repeated in all dimensions.');
  return numbers.length === 1
    ? __(
        "The operand's dimension is %1 of the result; it is repeated along the others, and where its size is 1.",
        dimensions(numbers),
      )
    : __(
        "The operand's dimensions, in order, are %1 of the result; it is repeated along the others, and where its size is 1.",
        dimensions(numbers),
      );
}

function spread(say: () => string): About {
  return (value) => ((numbersIn(value) ?? []).some((one) => one !== 1) ? say() : '');
}

/** Of what a random number generator makes. */
export const RANDOM: Table = [
  [
    'random_bits',
    {
      bit_width: () => __('Bits of each random number.'),
      shape: () => __('For each key, numbers of this shape.'),
    },
  ],
  ['random_split', { shape: () => __('From each key, new keys in this shape.') }],
  ['random_seed random_wrap', { impl: () => __('The random number generator.') }],
  [
    'random_gamma',
    { log_space: when('True', () => __('The result is the logarithm of each number.')) },
  ],
];

export const SLICES: Table = [
  [
    'slice',
    {
      start_indices: () => __('Where the slice begins in each dimension.'),
      limit_indices: () =>
        __('Where the slice ends in each dimension; that element is not part of it.'),
      strides: unless('None', () => __('In each dimension one element of so many is taken.')),
    },
  ],
  [
    'dynamic_slice',
    {
      slice_sizes: () =>
        __(
          'The shape of the slice. Where it begins is known when it runs; a slice that would end outside is moved inside.',
        ),
    },
  ],
];

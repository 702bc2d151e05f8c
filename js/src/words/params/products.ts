import { __ } from '../../language';
import { dimensions, field, listed, numbersIn } from './dimensions';
import { type Table, unless, when } from './params-table';

const shared = {
  preferred_element_type: () =>
    __('The dtype of the result; products are to be summed in it as well.'),
  precision: () => __('How exact products are to be where the device has faster, less exact ones.'),
  out_sharding: () => __('How the result lies on the devices.'),
};

/** Of products of arrays, and of linear algebra. */
export const PRODUCTS: Table = [
  ['dot_general', { ...shared, dimension_numbers: contracted }],
  [
    'ragged_dot_general ragged_dot',
    {
      ...shared,
      ragged_dot_dimension_numbers: () =>
        __('Which dimensions are summed over, and which one the groups part (ragged).'),
    },
  ],
  [
    'conv_general_dilated',
    {
      ...shared,
      dimension_numbers: convolved,
      window_strides: () =>
        __('How far the window moves from one result to the next, in each direction.'),
      padding: () => __('What is put before and behind lhs, in each direction.'),
      lhs_dilation: () => __('One more than the zeros between elements of lhs, in each direction.'),
      rhs_dilation: () =>
        __('One more than the zeros between elements of the window, in each direction.'),
      feature_group_count: unless('1', () =>
        __('Features are convolved in so many groups of their own.'),
      ),
      batch_group_count: unless('1', () =>
        __('The batch is convolved in so many groups of its own.'),
      ),
    },
  ],
  [
    'triangular_solve',
    {
      left_side: (value) =>
        value === 'True'
          ? __('The matrix stands left of what is sought: a x = b.')
          : __('The matrix stands right of what is sought: x a = b.'),
      lower: (value) =>
        value === 'True'
          ? __('The lower triangle of the matrix is read.')
          : __('The upper triangle of the matrix is read.'),
      transpose_a: when('True', () => __('The matrix is transposed first.')),
      conjugate_a: when('True', () => __('The matrix is conjugated first.')),
      unit_diagonal: when('True', () => __('The diagonal of the matrix is taken to be 1.')),
    },
  ],
  [
    'fft',
    {
      fft_type: () => __('Which transform: R is of real numbers, I the way back.'),
      fft_lengths: () => __('Over how many elements of each of the last dimensions it goes.'),
    },
  ],
  [
    'svd',
    {
      compute_uv: when('False', () => __('The singular values alone are computed.')),
      full_matrices: (value) =>
        value === 'True'
          ? __('The other results are square matrices.')
          : __('The other results have no more columns or rows than there are singular values.'),
    },
  ],
  [
    'qr',
    {
      full_matrices: (value) =>
        value === 'True'
          ? __('The first result is a square matrix.')
          : __('The first result has no more columns than the smaller side of the operand.'),
    },
  ],
];

function contracted(value: string): string {
  const match = /^\(\((.*?\)|.*?\]), (.*?[)\]])\), \((.*?[)\]]), (.*?[)\]])\)\)$/.exec(value);
  const [left, right, batch, other] = (match?.slice(1) ?? []).map(numbersIn);
  if (!left || !right || !batch || !other) return '';
  const sums =
    left.length === 0
      ? __('Nothing is summed over.')
      : __('Sums products along %1 of lhs and %2 of rhs.', dimensions(left), listed(right));
  if (batch.length === 0) return sums;
  const each = __(
    'Does so for each index of %1 of lhs and %2 of rhs (batch).',
    dimensions(batch),
    listed(other),
  );
  return `${sums} ${each}`;
}

/** `ConvDimensionNumbers(lhs_spec=(0, 3, 1, 2), rhs_spec=(3, 2, 0, 1), out_spec=(0, 3, 1, 2))`. */
function convolved(value: string): string {
  const [lhs, rhs, out] = ['lhs_spec', 'rhs_spec', 'out_spec'].map((name) => field(value, name));
  if (!lhs?.length || !rhs?.length || !out?.length) return '';
  return [
    __('In lhs the batch is dimension %1, and its features are %2.', lhs[0], lhs[1]),
    __('In rhs features of the result are dimension %1, and those of lhs %2.', rhs[0], rhs[1]),
    __('In the result the batch is dimension %1, and its features are %2.', out[0], out[1]),
    __('The others are the space that the window moves in.'),
  ].join(' ');
}

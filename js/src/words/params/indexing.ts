import { __ } from '../../language';
import { dimensions, field } from './dimensions';
import { type About, type Table, when } from './params-table';

/** Of what is read and written at indices that are known when it runs. */
export const INDEXING: Table = [
  [
    'gather',
    {
      dimension_numbers: gathered,
      slice_sizes: () => __('The shape of what is taken of the operand at each index.'),
      mode: outOfBounds(() => __('An index out of bounds gives the fill value.')),
      indices_are_sorted: when('True', () => __('It is promised that the indices are sorted.')),
      unique_indices: when('True', () => __('It is promised that no index comes twice.')),
      fill_value: () => __('What an index out of bounds gives.'),
    },
  ],
  [
    'scatter scatter-add scatter_add scatter-sub scatter_sub scatter-mul scatter_mul scatter-min scatter_min scatter-max scatter_max',
    {
      dimension_numbers: scattered,
      mode: outOfBounds(() => __('What an index out of bounds would write is left out.')),
      indices_are_sorted: when('True', () => __('It is promised that the indices are sorted.')),
      unique_indices: when('True', () => __('It is promised that no index comes twice.')),
    },
  ],
];

/** Each sentence only where there are such dimensions. */
const said = (...sentences: [readonly number[], () => string][]): string =>
  sentences.flatMap(([numbers, say]) => (numbers.length > 0 ? [say()] : [])).join(' ');

function gathered(value: string): string {
  const [chosen, dropped, kept, batch] = [
    field(value, 'start_index_map'),
    field(value, 'collapsed_slice_dims'),
    field(value, 'offset_dims'),
    field(value, 'operand_batching_dims'),
  ];
  return said(
    [
      chosen,
      () => __('An index chooses where along %1 of the operand it is taken.', dimensions(chosen)),
    ],
    [dropped, () => __('What is taken loses %1, of size 1.', dimensions(dropped))],
    [kept, () => __('The rest of what is taken lies along %1 of the result.', dimensions(kept))],
    [batch, () => __('It is done for each index of %1 of the operand (batch).', dimensions(batch))],
  );
}

function scattered(value: string): string {
  const [chosen, single, window, batch] = [
    field(value, 'scatter_dims_to_operand_dims'),
    field(value, 'inserted_window_dims'),
    field(value, 'update_window_dims'),
    field(value, 'operand_batching_dims'),
  ];
  return said(
    [chosen, () => __('An index chooses where along %1 of the operand.', dimensions(chosen))],
    [single, () => __('An update takes one element along %1 of the operand.', dimensions(single))],
    [
      window,
      () => __('What is written at an index lies along %1 of the updates.', dimensions(window)),
    ],
    [batch, () => __('It is done for each index of %1 of the operand (batch).', dimensions(batch))],
  );
}

function outOfBounds(dropped: () => string): About {
  return (value) => {
    if (value === 'FILL_OR_DROP') return dropped();
    if (value === 'CLIP') return __('An index out of bounds is moved to the nearest within.');
    return value === 'PROMISE_IN_BOUNDS'
      ? __('It is promised that no index is out of bounds.')
      : '';
  };
}

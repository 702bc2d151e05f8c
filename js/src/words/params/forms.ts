/** Functions that turn the value of a param into a sentence. The rows of `jaxviz/ops` name them. */
import { __, _n } from '../../language';
import type { Eqn } from '../../schema';

/** The meanings of params, by primitives (names, separated by blanks) and name of the param. */
export type Table = readonly (readonly [primitives: string, params: Record<string, About>])[];

/** Makes a sentence from the value of a param, or from the meanings of the eqn's params; empty if
 * there is nothing to say. */
export type About = (value: string, attributes: Eqn['attributes']) => string;

export const when =
  (one: string, say: () => string): About =>
  (value) =>
    value === one ? say() : '';

export const unless =
  (one: string, say: () => string): About =>
  (value) =>
    value === one ? '' : say();

/** A sentence for each value. */
export const choice =
  (cases: Record<string, () => string>): About =>
  (value) =>
    Object.hasOwn(cases, value) ? (cases[value]?.() ?? '') : '';

export const counted =
  (say: (count: number) => string): About =>
  (value) =>
    say(Number(value));

/** For a param that is one dimension or several; empty for none. */
export const along =
  (say: (dimensions: string) => string): About =>
  (value) => {
    const numbers = numbersIn(value);
    return numbers && numbers.length > 0 ? say(dimensions(numbers)) : '';
  };

/** For a list of numbers; empty if all are 1. */
export const spread =
  (say: () => string): About =>
  (value) =>
    (numbersIn(value) ?? []).some((one) => one !== 1) ? say() : '';

/** The numbers in `1`, `(0, 1)` or `[2]`; null for other texts. */
function numbersIn(value: string): number[] | null {
  if (!/^[([]?[\d, ]*[)\]]?$/.test(value)) return null;
  return (value.match(/\d+/g) ?? []).map(Number);
}

/** `0, 1 and 2`. */
function listed(numbers: readonly number[]): string {
  const last = numbers.at(-1);
  if (numbers.length < 2) return `${last ?? ''}`;
  return __('%1 and %2', numbers.slice(0, -1).join(', '), last);
}

/** `dimensions 0 and 1`. */
const dimensions = (numbers: readonly number[]): string =>
  _n('dimension %2', 'dimensions %2', numbers.length, listed(numbers));

/** The numbers in a field of a param, such as `offset_dims=(1,)`. */
function field(value: string, name: string): number[] {
  const found = new RegExp(`\\b${name}=(\\([\\d, ]*\\)|\\d+)`).exec(value);
  return numbersIn(found?.[1] ?? '()') ?? [];
}

export function permutation(value: string): string {
  const numbers = numbersIn(value);
  if (!numbers || numbers.length === 0) return '';
  return __("The result's dimensions are the operand's %1, in this order.", listed(numbers));
}

export function broadcast(value: string): string {
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

export const contracted: About = (_, attributes) => {
  if (attributes?.kind !== 'dot') return '';
  const { lhs, rhs, lhs_batch, rhs_batch } = attributes;
  const sums =
    lhs.length === 0
      ? __('Nothing is summed over.')
      : __('Sums products along %1 of lhs and %2 of rhs.', dimensions(lhs), listed(rhs));
  if (lhs_batch.length === 0) return sums;
  const each = __(
    'Repeats this for each index of %1 of lhs and %2 of rhs (batch).',
    dimensions(lhs_batch),
    listed(rhs_batch),
  );
  return `${sums} ${each}`;
};

export const convolved: About = (_, attributes) => {
  if (attributes?.kind !== 'convolution') return '';
  const { lhs, rhs, out } = attributes;
  const at = (side: string, letter: string) => side.indexOf(letter);
  return [
    __('In lhs the batch is dimension %1, and its features are %2.', at(lhs, 'b'), at(lhs, 'f')),
    __(
      'In rhs, the features of the result are dimension %1, and the features of lhs are dimension %2.',
      at(rhs, 'o'),
      at(rhs, 'i'),
    ),
    __(
      'In the result the batch is dimension %1, and its features are %2.',
      at(out, 'b'),
      at(out, 'f'),
    ),
    __('The window moves along the other dimensions.'),
  ].join(' ');
};

/** The sentences whose lists of dimensions are not empty. */
const sentencesOf = (...sentences: [readonly number[], () => string][]): string =>
  sentences.flatMap(([numbers, say]) => (numbers.length > 0 ? [say()] : [])).join(' ');

export function gathered(value: string): string {
  const [chosen, dropped, offset, batch] = [
    field(value, 'start_index_map'),
    field(value, 'collapsed_slice_dims'),
    field(value, 'offset_dims'),
    field(value, 'operand_batching_dims'),
  ];
  return sentencesOf(
    [
      chosen,
      () => __('An index chooses where to read along %1 of the operand.', dimensions(chosen)),
    ],
    [dropped, () => __('The slice loses %1, which has size 1.', dimensions(dropped))],
    [
      offset,
      () => __('The other dimensions of the slice are %1 of the result.', dimensions(offset)),
    ],
    [
      batch,
      () => __('This is repeated for each index of %1 of the operand (batch).', dimensions(batch)),
    ],
  );
}

export function scattered(value: string): string {
  const [chosen, single, window, batch] = [
    field(value, 'scatter_dims_to_operand_dims'),
    field(value, 'inserted_window_dims'),
    field(value, 'update_window_dims'),
    field(value, 'operand_batching_dims'),
  ];
  return sentencesOf(
    [
      chosen,
      () => __('An index chooses where to write along %1 of the operand.', dimensions(chosen)),
    ],
    [single, () => __('An update takes one element along %1 of the operand.', dimensions(single))],
    [
      window,
      () => __('The values written at an index are along %1 of the updates.', dimensions(window)),
    ],
    [
      batch,
      () => __('This is repeated for each index of %1 of the operand (batch).', dimensions(batch)),
    ],
  );
}

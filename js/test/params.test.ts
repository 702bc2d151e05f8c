/** The panel's sentences on params, for each that the Python tests captured. */
import { expect, test } from 'vitest';
import type { Eqn } from '../src/schema';
import { aboutParams, aboutPrimitive } from '../src/words/params/about';
import { goldens, stageOf } from './fixtures';

const eqn = (op: string, params: Record<string, string>): Eqn => ({
  ...stageOf('grad_loss').graphs[0]!.eqns[0]!,
  op,
  params: Object.entries(params).map(([name, value]) => ({ name, value, size: value.length })),
});
const about = (op: string, name: string, value: string, attributes: Eqn['attributes'] = null) =>
  aboutParams({ ...eqn(op, { [name]: value }), attributes }).get(name);

test('dimension numbers of a product', () => {
  const of = (attributes: Eqn['attributes']) =>
    about('dot_general', 'dimension_numbers', '…', attributes);
  const dot = { kind: 'dot' } as const;
  expect(of({ ...dot, lhs: [1], rhs: [0], lhs_batch: [], rhs_batch: [] })).toBe(
    'Sums products along dimension 1 of lhs and 0 of rhs.',
  );
  expect(of({ ...dot, lhs: [2, 3], rhs: [1, 2], lhs_batch: [0], rhs_batch: [0] })).toBe(
    'Sums products along dimensions 2 and 3 of lhs and 1 and 2 of rhs. Repeats this for each index of dimension 0 of lhs and 0 of rhs (batch).',
  );
  expect(of({ ...dot, lhs: [], rhs: [], lhs_batch: [], rhs_batch: [] })).toBe(
    'Nothing is summed over.',
  );
  expect(of(null)).toBe(undefined);
});

test('dimension numbers of a convolution', () => {
  const description = about('conv_general_dilated', 'dimension_numbers', '…', {
    kind: 'convolution',
    ...{ lhs: 'b01f', rhs: '01io', out: 'b01f', activated: false },
    ...{ strides: [1, 1], padding: [0, 0], lhs_dilation: [1, 1], rhs_dilation: [1, 1] },
  });
  expect(description).toBe(
    'In lhs the batch is dimension 0, and its features are 3. In rhs, the features of the result are dimension 3, and the features of lhs are dimension 2. In the result the batch is dimension 0, and its features are 3. The window moves along the other dimensions.',
  );
});

test('dimensions', () => {
  expect(about('broadcast_in_dim', 'broadcast_dimensions', '()')).toBe(
    'A scalar is repeated in all dimensions.',
  );
  expect(about('broadcast_in_dim', 'broadcast_dimensions', '(1,)')).toBe(
    "The operand's dimension is dimension 1 of the result; it is repeated along the others, and where its size is 1.",
  );
  expect(about('reduce_sum', 'axes', '(0, 1)')).toBe(
    'Reduces dimensions 0 and 1, which the result no longer has.',
  );
  expect(about('transpose', 'permutation', '(1, 0)')).toBe(
    "The result's dimensions are the operand's 1 and 0, in this order.",
  );
});

test('the operands of a loop', () => {
  const descriptionOf = (op: string, roles: string[]) => aboutPrimitive({ ...eqn(op, {}), roles });
  expect(descriptionOf('scan', ['const', 'carry', 'carry', 'xs'])).toBe(
    'A loop over slices of its inputs, which carries values from step to step. Its first operand is the same in every step. Its next 2 operands are carried from step to step. Each step takes a slice of every other one. The last carry comes first among the results.',
  );
  expect(descriptionOf('scan', ['xs'])).toMatch(
    / Each step takes a slice of each operand\. Nothing is carried from step to step\.$/,
  );
  expect(descriptionOf('while', ['cond const', 'body const', 'body const', 'carry'])).toMatch(
    / Only its condition uses its first operand\. Its next 2 operands are the same in every step\. Its next operand is carried from step to step\.$/,
  );
  expect(descriptionOf('while', [])).toBe('A loop that runs while its condition is true.');
  expect([...aboutParams(eqn('scan', { length: '5' }))]).toEqual([
    ['length', 'It runs its body 5 times.'],
  ]);
});

test('what is not known, or not set, is not explained', () => {
  expect([...aboutParams(eqn('mine', { axes: '(0,)' }))]).toEqual([]);
  expect(about('dot_general', 'precision', 'None')).toBe(undefined);
});

test('all that is said of captured programs is a sentence', () => {
  const eqns = goldens.flatMap((name) => stageOf(name).graphs.flatMap(({ eqns }) => eqns));
  const descriptions = eqns.flatMap((one) => [...aboutParams(one).values()]);
  expect(descriptions.length).toBeGreaterThan(100);
  expect(
    descriptions.filter((one) => !/^[A-Z][^<>]*\.$/.test(one) || /undefined|NaN/.test(one)),
  ).toEqual([]);
});

test('what is taken and written at indices', () => {
  expect(
    about(
      'gather',
      'dimension_numbers',
      'GatherDimensionNumbers(offset_dims=(1,), collapsed_slice_dims=(0,), start_index_map=(0,), operand_batching_dims=(), start_indices_batching_dims=())',
    ),
  ).toBe(
    'An index chooses where to read along dimension 0 of the operand. The slice loses dimension 0, which has size 1. The other dimensions of the slice are dimension 1 of the result.',
  );
  expect(
    about(
      'scatter-add',
      'dimension_numbers',
      'ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,), operand_batching_dims=(), scatter_indices_batching_dims=())',
    ),
  ).toBe(
    'An index chooses where to write along dimension 0 of the operand. An update takes one element along dimension 0 of the operand. The values written at an index are along dimension 1 of the updates.',
  );
});

test('what primitives without params do', () => {
  expect(aboutPrimitive(eqn('optimization_barrier', {}))).toMatch(
    /XLA moves and merges nothing across it/,
  );
  expect(aboutPrimitive(eqn('sin', {}))).toBe(
    'The sine of each element, which is an angle in radians.',
  );
  expect(aboutPrimitive(eqn('mine', {}))).toBe('');
  expect(aboutPrimitive(eqn('constructor', {}))).toBe('');
  expect(aboutPrimitive(eqn('scatter', {}))).toMatch(/updates written/);
  const applying = {
    ...eqn('scatter', {}),
    bodies: [{ label: 'update', graph: 1, inputs: [], outputs: [] }],
  };
  expect(aboutPrimitive(applying)).toMatch(/a function applied/);
});

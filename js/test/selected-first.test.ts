import { expect, test } from 'vitest';
import { selectedFirst } from '../src/tools/explain/view';
import { chain, stage } from './fixtures';

/** An error card's program, in which JAX needed the number of these values. */
const programOf = (outvars: number[], constvars: number[] = []) =>
  stage([{ ...chain(['sin', 'gt']), outvars, constvars }]);

test('the eqn that made the value is selected', () => {
  expect(selectedFirst(null, programOf([1]))?.id).toBe('0');
  expect(selectedFirst(null, programOf([2]))?.id).toBe('1');
});

test('an input or a constant that is the value is selected, not another eqn', () => {
  expect(selectedFirst(null, programOf([0]))?.id).toBe('in0');
  expect(selectedFirst(null, programOf([3], [3]))?.id).toBe('const0');
});

test('nothing is selected, so nothing is dimmed, if JAX needed no value', () => {
  expect(selectedFirst(null, programOf([]))).toBeNull();
  expect(selectedFirst(null, undefined)).toBeNull();
});

import { expect, test } from 'vitest';
import { __, _n, type Language, speak } from '../src/language';

const korean: Language = {
  __: (text) => `ko ${text}`,
  _n: (_, more) => `ko ${more}`,
};

test('English stands in the code', () => {
  expect(__('%1 of %2, 5 %%', 'grad', 7)).toBe('grad of 7, 5 %');
  expect(__('%1', '%2 %%')).toBe('%2 %%');
  expect(_n('%1 trace of %2', '%1 traces of %2', 1, 'f')).toBe('1 trace of f');
  expect(_n('%1 trace of %2', '%1 traces of %2', 0, 'f')).toBe('0 traces of f');
  expect(_n('%1 trace', '%1 traces', 12345)).toBe('12,345 traces');
});

test('a host may have another language', () => {
  speak(korean);
  expect(__('%1 of', 'f')).toBe('ko f of');
  expect(_n('%1 trace', '%1 traces', 2)).toBe('ko 2 traces');
});

/** Sentences on whether a program fits into memory. */
import { expect, test } from 'vitest';
import { fitText } from '../src/words/value-rows';

const GIB = 1024 ** 3;
const MEMORY = {
  arguments: 12 * GIB,
  outputs: 4 * GIB,
  temporaries: 8 * GIB,
  aliased: 4 * GIB,
  code: null,
  peak: null,
};

test('what lies in donated arguments counts once', () => {
  const parts =
    'arguments 12.0 GiB, outputs 4.0 GiB, temporaries 8.0 GiB; 4.0 GiB of the outputs reuse donated arguments';
  expect(fitText(MEMORY, 16 * GIB)).toBe(
    `Does not fit into 16.0 GiB: XLA sets 20.0 GiB aside on each device (${parts}), which is 4.0 GiB too much.`,
  );
  expect(fitText(MEMORY, 20 * GIB)).toMatch(/^Fits into 20.0 GiB: .*, and 0 bytes are left\.$/);
});

test('nothing is concluded from a part of the sizes', () => {
  expect(fitText({ ...MEMORY, temporaries: null }, GIB)).toBe(
    'XLA does not report here how much memory it sets aside.',
  );
});

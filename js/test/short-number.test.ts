// @vitest-environment node

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortNumber } from '../src/facts/text/literals';

it.each([
  ['2.0:f32[]', '2.0'],
  ['0.10000000149011612:f32[]', '0.1'],
  ['0.10000000149011612:~f32[]', '0.1'],
  ['0.10009765625:bf16[]', '0.1'],
  ['6.2831854820251465:f32[]', '6.2831855'],
  ['3.141592653589793:f64[]', '3.141592653589793'],
  ['-1000000000.0:f32[]', '-1e9'],
  ['9.999999974752427e-07:f32[]', '1e-6'],
  ['134217728.0:f32[]', '1.3421773e8'],
  ['-2147483648:i32[]', '-2147483648'],
  ['-inf:f32[]', '-inf'],
  ['True:bool[]', 'True'],
])('%s is written as %s', (literal, short) => {
  expect(shortNumber(literal, 10)).toBe(short);
});

it('what is written is the same f32', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = Object.is(value, -0) ? '-0.0' : `${value}`;
      const written = Number(shortNumber(`${text}:f32[]`, 3));
      const isNormal = Math.abs(value) >= 2 ** -126 || value === 0;
      if (isNormal) expect(Math.fround(written)).toBe(Math.fround(value));
    }),
  );
});

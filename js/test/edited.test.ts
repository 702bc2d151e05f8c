/** Where the lines of a cell are after it was edited. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capturedLine, presentLine, sameLine } from '../src/facts/linked/edited-lines';
import type { Listing } from '../src/schema';

const listing = (text: string, start = 1): Listing => ({
  file: 'cell',
  cell: 'c',
  count: 1,
  start,
  text,
});
const THEN = listing('def f(x):\n    y = x + 1\n    return y * y');

const captured = (present: string, line: number, listings = [THEN]) =>
  capturedLine(listings, present.split('\n'), line);
const present = (text: string, line: number) => presentLine([THEN], text.split('\n'), line);

describe('a line of a cell', () => {
  test('that was not edited is where it was', () => {
    expect([1, 2, 3].map((line) => captured(THEN.text, line))).toEqual([1, 2, 3]);
    expect(captured(THEN.text, 4)).toBe(null);
    expect(captured(THEN.text, 0)).toBe(null);
  });

  test('is found again below and above what was edited', () => {
    const now = 'def f(x):\n    # new\n    y = x + 1\n    return y * y\n\n';
    expect([1, 2, 3, 4].map((line) => captured(now, line))).toEqual([1, null, 2, 3]);
    expect([1, 2, 3].map((line) => present(now, line))).toEqual([1, 3, 4]);
  });

  test('that was edited itself is none of before', () => {
    const now = 'def f(x):\n    y = x + 2\n    return y * y';
    expect([1, 2, 3].map((line) => captured(now, line))).toEqual([1, null, 3]);
    expect(present(now, 2)).toBe(null);
  });

  test('is found after blank lines that Python does not keep, and beside magics', () => {
    expect(captured(`\n\n${THEN.text}`, 4)).toBe(2);
    const magic = listing("get_ipython().run_line_magic('jaxviz', 'f(x)')\ny = f(x)\n!ls");
    expect(captured('%jaxviz f(x)\ny = f(x)\n%time', 2, [magic])).toBe(2);
  });

  test('of a part of a long cell has the number that it has there', () => {
    const part = listing('c\nd', 3);
    expect(captured('a\nb\nc\nd\ne', 4, [part])).toBe(4);
    expect(captured('a\nb\nc\nd\ne', 1, [part])).toBe(null);
  });

  test('is never another one', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', ' a'), { maxLength: 8 });
    fc.assert(
      fc.property(lines, lines, fc.nat(9), (from, to, at) => {
        const found = sameLine(from, to, at);
        if (found !== null) expect(to[found]).toBe(from[at]);
      }),
    );
  });
});

/** The item of a list's line in the program, and the text of magnitudes. */
import { expect, test } from 'vitest';
import { focusOfLine, magnitudeText, reportIn } from '../src/facts/reports';
import type { LineValues } from '../src/schema';

const line: LineValues = {
  frame: {
    function: 'f',
    file: 'cell.py',
    line: 3,
    column: 0,
    end_line: 0,
    end_column: 0,
    code: 'y = jnp.log(x)',
    cell: null,
    count: null,
    library: false,
    rules: '',
    parent: null,
  },
  eqn: 2,
  result: 0,
  op: 'log',
  type: 'f32[3]',
  largest: 1.5,
  nan: 1,
  inf: 0,
  distribution: null,
};

test.each([
  [61800, '61,800'],
  [0, '0'],
  [2.72, '2.72'],
  [0.000123, '0.000123'],
  [0.0000123, '1.23e-5'],
  [4.65e200, '4.65e+200'],
  [null, ''],
])('a magnitude of %s is written as “%s”', (largest, text) => {
  expect(magnitudeText(largest)).toBe(text);
});

test('a line stands for the reported eqn, if the program is whole', () => {
  expect(focusOfLine(line, true)).toEqual({ stage: 'source', line: line.frame, eqns: [2] });
  expect(focusOfLine(line, false)).toEqual({ stage: 'source', line: line.frame });
  expect(focusOfLine({ ...line, eqn: -1 }, true)).toEqual({ stage: 'source', line: line.frame });
  expect(focusOfLine({ ...line, frame: null }, true)).toBeNull();
});

test('what a host hands over is read where it is such a record', () => {
  const values = { tool: 'statistics', lines: [line], more: 0, left_out: [], run_again: false };
  expect(reportIn(values)).toEqual(values);
  expect(reportIn(null)).toBeNull();
  expect(reportIn({ ...values, lines: [{ ...line, nan: 'many' }] })).toBeNull();
  const timed = { frame: line.frame, graph: 0, eqn: 2, ops: ['log'], seconds: 1e-3, share: 1 };
  const spent = {
    ...{ runs: 10, best: 1e-3, median: 2e-3 },
    ...{ inside: 1e-3, between: 1e-4, in_cell: false, loops: [], buffers: '', measured: null },
  };
  const times = { ...values, tool: 'profile', lines: [timed], ...spent };
  expect(reportIn(times)).toEqual(times);
  expect(reportIn({ ...values, tool: 'profile' })).toBeNull();
  expect(reportIn({ ...values, tool: 'unknown' })).toBeNull();
});

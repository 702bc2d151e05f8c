/** Where lines of code are: in cells that were edited, in listings, and in files beside a notebook. */

import { expect, test } from 'vitest';
import { pathBeside, presentPlace } from '../src/facts/linked/edited-lines';
import { lineIn } from '../src/facts/linked/source-lines';
import type { Eqn, Listing } from '../src/schema';
import { operandRole, resultRole } from '../src/words/item-details';
import { stageOf } from './fixtures';

const listing: Listing = {
  file: 'm.py',
  cell: null,
  count: null,
  start: 4,
  text: 'def f(x):\n  y',
};

test('a line is where its listing says, else where its own text is nearest', () => {
  const present = ['a', 'a', 'a', '# new', 'def f(x):', '  y', 'z', '  y'];
  const at = (line: number, code: string, listings: Listing[]) =>
    presentPlace({ line, code, listings }, present);
  expect(at(5, 'y', [listing])).toBe(6);
  expect(at(5, 'gone', [])).toBe(null);
  expect(at(9, 'y', [])).toBe(8);
  expect(at(4, 'y', [])).toBe(6);
  expect(at(2, '', [])).toBe(2);
  expect(at(5, 'def f…', [])).toBe(5);
});

test('a line that a cell no longer has is not looked for elsewhere', () => {
  const ofCell = { ...listing, cell: 'c', start: 1 };
  const present = ['def f(x):', '  return y', '  y + 1'];
  expect(presentPlace({ line: 2, code: 'y', listings: [ofCell] }, present)).toBe(null);
});

test('the text of a line', () => {
  expect(lineIn([listing], { cell: null, file: 'm.py', line: 5 })?.code).toBe('  y');
  expect(lineIn([listing], { cell: null, file: 'm.py', line: 6 })).toBe(null);
  expect(lineIn([listing], { cell: 'c', file: 'm.py', line: 5 })).toBe(null);
});

test('a file is looked for beside the notebook, and nowhere above it', () => {
  expect(pathBeside('a.ipynb', 'm.py')).toBe('m.py');
  expect(pathBeside('work/a.ipynb', 'pkg/m.py')).toBe('work/pkg/m.py');
  expect(pathBeside('RTC:work/a.ipynb', 'pkg\\m.py')).toBe('RTC:work/pkg/m.py');
  expect(pathBeside('RTC:a.ipynb', 'm.py')).toBe('RTC:m.py');
  for (const file of [
    '',
    '/etc/passwd',
    '../m.py',
    'a/../../m.py',
    'drive:m.py',
    '<stdin>',
    'a//b',
  ]) {
    expect(pathBeside('work/a.ipynb', file)).toBe(null);
  }
});

test('operands and results of loops by what they are there', () => {
  const [eqn] = stageOf('grad_loss').graphs[0]!.eqns;
  const named = (op: string, roles: string[], operands: number) => {
    const one: Eqn = { ...eqn!, op, roles };
    return [...Array(operands).keys()].map((at) => operandRole(one, at)).concat(resultRole(one, 1));
  };
  expect(named('scan', ['const', 'carry', 'xs', 'xs'], 4)).toEqual([
    'const',
    'carry',
    'xs',
    'xs',
    'ys',
  ]);
  expect(named('while', ['cond const', 'carry', 'carry'], 3)).toEqual([
    'cond const',
    'carry',
    'carry',
    'carry',
  ]);
  expect(named('cond', ['index', ''], 2)).toEqual(['index', '', '']);
  expect(named('scatter-add', [], 3)).toEqual(['operand', 'indices', 'updates', '']);
  expect(named('dynamic_slice', [], 3)).toEqual(['operand', 'start', 'start', '']);
  expect(named('add', [], 1)).toEqual(['', '']);
});

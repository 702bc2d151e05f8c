import { expect, test } from 'vitest';
import { programFor, type Target } from '../src/state/panel/function-at-cursor';
import { counted, event, FRAME, log } from './logs';
import { capture, panel } from './panels';

const frame = (cell: string, count: number) => ({ ...FRAME, cell, count, file: `cell ${count}` });

/** `step` of two cells, the second one ran twice; a captured `grad(loss)` and `Model.apply`. */
const KNOWN = panel({
  log: log({
    functions: [frame('a', 1), frame('b', 2), frame('b', 3)].map((definition) =>
      counted({ name: 'step', definition }),
    ),
    events: [frame('a', 1), frame('b', 2), frame('b', 3)].map((definition, index) =>
      event({ number: index + 1, name: 'step', definition }),
    ),
  }),
  captures: [
    capture({ key: 'g', name: 'grad(loss)', cell: 'c', definition: null }),
    capture({ key: 'm', name: 'Model.apply', cell: 'd', definition: null }),
  ],
});

const sought = (names: string[], own: Partial<Target> = {}) =>
  programFor(KNOWN, { names, call: null, cell: null, ran: null, ...own });

test('of several functions of a name that of the cell, as it ran last', () => {
  expect(sought(['step'], { cell: 'a' })).toEqual({ event: 1 });
  expect(sought(['step'], { cell: 'b' })).toEqual({ event: 3 });
  expect(sought(['step'])).toEqual({ event: 3 });
});

test('under any of its names, transformed or of a class', () => {
  expect(sought(['x', 'grad(loss)', 'loss'])).toEqual({ capture: 'g', name: 'grad(loss)' });
  expect(sought(['loss'])).toEqual({ capture: 'g', name: 'grad(loss)' });
  expect(sought(['apply'])).toEqual({ capture: 'm', name: 'Model.apply' });
  expect(sought(['oss'])).toBeNull();
});

test('what was captured for it comes first, whatever it is called', () => {
  expect(sought(['fast'], { ran: 'd' })).toEqual({ capture: 'm', name: 'Model.apply' });
  expect(sought(['fast'], { ran: 'e' })).toBeNull();
});

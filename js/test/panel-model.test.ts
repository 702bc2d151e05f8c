/** What a panel lists: functions in an order, events by a filter; what a kernel told, read. */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { functionsOf, listed } from '../src/model/panel/events';
import { rowsOf, type Sort, sorted } from '../src/model/panel/functions';
import { readPanel } from '../src/model/panel/read';
import { compared, START, update } from '../src/model/panel/state';
import { counted, event, FRAME, log } from './logs';
import { capture, panel } from './panels';

const at = (line: number) => ({ ...FRAME, cell: 'c1', line });
const TOLD = panel({
  log: log({
    functions: [
      counted({ name: 'step', definition: at(1), seconds: 2, retraces: 1 }),
      counted({ name: 'init', definition: at(8), seconds: 3, retraces: 0 }),
      counted({ name: 'loss', definition: at(20), seconds: 1, retraces: 5 }),
    ],
    events: [
      event({ number: 1, name: 'init', definition: at(8), start: 1 }),
      event({ number: 2, name: 'step', definition: at(1), start: 2 }),
      event({ number: 3, name: 'loss', definition: at(20), start: 3 }),
      event({ number: 4, name: 'step', definition: at(1), start: 4, again: true }),
      event({ number: 5, name: 'step', definition: at(1), start: 5, kind: 'lower', of: 4 }),
      event({ number: 6, name: 'step', definition: at(1), start: 6, error: 'TypeError' }),
    ],
  }),
});

describe('functions', () => {
  const names = (sort: Sort, find = '') => sorted(rowsOf(TOLD), sort, find).map(({ name }) => name);

  test.each<[Sort, string[]]>([
    ['time', ['init', 'step', 'loss']],
    ['retraces', ['loss', 'step', 'init']],
    ['latest', ['step', 'loss', 'init']],
    ['name', ['init', 'loss', 'step']],
  ])('by %s', (sort, expected) => {
    expect(names(sort)).toEqual(expected);
  });

  test('by a part of the name, whatever its case', () => {
    expect(names('name', 'S')).toEqual(['loss', 'step']);
  });

  test('the latest trace that made a program is opened', () => {
    const [step] = rowsOf(TOLD);
    expect(step?.latest?.number).toBe(4);
  });

  test('a capture of a function that was traced is one with it, decorators or not', () => {
    const own = capture({ name: 'loss', definition: at(22) });
    const rows = rowsOf({ ...TOLD, captures: [own] });
    expect(rows).toHaveLength(3);
    expect(rows.find(({ name }) => name === 'loss')?.capture).toEqual(own);
  });

  test('any other capture is a row of its own, the latest of each', () => {
    const captures = [
      capture({ key: 'one', name: 'grad(loss)', definition: at(22) }),
      capture({ key: 'two', name: 'loss', definition: { ...at(22), cell: 'c9' } }),
      capture({ key: 'three', name: 'grad(loss)', definition: at(22) }),
      capture({ key: 'four', name: 'loss', definition: null }),
    ];
    const own = rowsOf({ ...TOLD, captures }).slice(3);
    expect(own.map((row) => [row.name, row.capture?.key])).toEqual([
      ['grad(loss)', 'three'],
      ['loss', 'two'],
      ['loss', 'four'],
    ]);
  });

  test('names are no keys of objects', () => {
    const odd = log({ functions: [counted({ name: '__proto__' })] });
    expect(rowsOf(panel({ log: odd })).map(({ name }) => name)).toEqual(['__proto__']);
  });
});

describe('events', () => {
  const numbers = (state = START) => listed(TOLD.log, state.filter).map(({ number }) => number);

  test('the newest first', () => {
    expect(numbers()).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test('by kind, by function, and those alone that came again', () => {
    expect(numbers(update(START, { type: 'kind', kind: 'trace' }))).toEqual([5]);
    expect(numbers(update(START, { type: 'filter', filter: { again: true } }))).toEqual([4]);
    const [, , step] = functionsOf(TOLD.log);
    expect(step?.name).toBe('step');
    const of = step?.key ?? '';
    expect(numbers(update(START, { type: 'filter', filter: { of } }))).toEqual([6, 5, 4, 2]);
  });
});

test('two traces are compared in the order in which they began', () => {
  const [, , , , late] = TOLD.log.events;
  const [early] = TOLD.log.events;
  expect(compared(late!, early!)).toEqual({ before: 1, after: 5 });
});

describe('what a kernel told', () => {
  const read = (data: unknown) => readPanel(new Uint8Array(deflateSync(JSON.stringify(data))));

  test('is read', async () => {
    expect(await read(TOLD)).toEqual(TOLD);
  });

  test.each([
    ['another version', { ...TOLD, version: 7 }],
    ['a field too many', { ...TOLD, more: 1 }],
    ['a damaged log', { ...TOLD, log: { ...TOLD.log, seconds: -1 } }],
    ['no object', 3],
  ])('is refused where it has %s', async (_, data) => {
    await expect(read(data)).rejects.toThrow(/^What the kernel told/);
  });
});

/** The lists of a panel: sorted functions, filtered events, and the kernel's report. */
import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readPanel } from '../src/facts/wire';
import {
  comparisonOf,
  countNewer,
  type FunctionSort,
  filteredEvents,
  functionsOf,
  keyOpened,
  linesOf,
  listedLog,
  rowsOf,
  sorted,
  tracesLike,
} from '../src/state/panel/panel-lists';
import { columnsIn, INITIAL_PANEL, update, visibleIn } from '../src/state/panel/panel-state';
import { cause, counted, event, FRAME, log, SHAPE } from './logs';
import { capture, panel } from './panels';

const at = (line: number) => ({ ...FRAME, cell: 'c1', line });
const REPORTED = panel({
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
  const names = (sort: FunctionSort, find = '') =>
    sorted(rowsOf(REPORTED), sort, find).map(({ name }) => name);

  test.each<[FunctionSort, string[]]>([
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

  test('the other way round', () => {
    const rows = sorted(rowsOf(REPORTED), 'time', '', true);
    expect(rows.map(({ name }) => name)).toEqual(['loss', 'step', 'init']);
  });

  test('by a part of the file, or of the cell', () => {
    expect(names('name', 'Cell 3')).toEqual(['init', 'loss', 'step']);
    expect(names('name', 'line 20')).toEqual(['loss']);
    expect(names('name', 'train.py')).toEqual([]);
  });

  test('the row of what is opened is known, of each of its traces', () => {
    const rows = rowsOf(REPORTED);
    const row = (opened: Parameters<typeof keyOpened>[2]) =>
      rows.find(({ key }) => key === keyOpened(REPORTED, rows, opened))?.name;
    expect(row({ event: 2 })).toBe('step');
    expect(row({ before: 2, after: 3 })).toBe('loss');
    expect(row({ event: 99 })).toBeUndefined();
    expect(row(null)).toBeUndefined();
  });

  test('the latest trace that made a program is opened', () => {
    const [step] = rowsOf(REPORTED);
    expect(step?.latest?.number).toBe(4);
  });

  test('a capture of a function that was traced is one with it, decorators or not', () => {
    const own = capture({ name: 'loss', definition: at(22) });
    const rows = rowsOf({ ...REPORTED, captures: [own] });
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
    const own = rowsOf({ ...REPORTED, captures }).slice(3);
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
  const numbers = (state = INITIAL_PANEL) =>
    filteredEvents(REPORTED.log, state.filter).map(({ number }) => number);

  test('the newest first', () => {
    expect(numbers()).toEqual([6, 5, 4, 3, 2, 1]);
  });

  test('by kind, by function, and those alone that came again', () => {
    expect(numbers(update(INITIAL_PANEL, { type: 'kind', kind: 'trace' }))).toEqual([5]);
    expect(numbers(update(INITIAL_PANEL, { type: 'filter', filter: { again: true } }))).toEqual([
      4,
    ]);
    const [, , step] = functionsOf(REPORTED.log);
    expect(step?.name).toBe('step');
    const of = step?.key ?? '';
    expect(numbers(update(INITIAL_PANEL, { type: 'filter', filter: { of } }))).toEqual([
      6, 5, 4, 2,
    ]);
  });
});

describe('lines of events', () => {
  const inner = event({ number: 1, name: 'inner', depth: 1, implied: true });
  const trace = event({ number: 2 });
  const made = (number: number, kind: string) => event({ number, kind, of: 2 });
  const other = event({ number: 5, name: 'other' });
  const listed = [inner, trace, made(3, 'lower'), made(4, 'compile'), other].reverse();

  test('what one call led to begins once', () => {
    const lines = linesOf(listed).map((line) => [line.event.number, line.begins, line.follows]);
    expect(lines).toEqual([
      [5, true, false],
      [4, true, true],
      [3, false, true],
      [2, false, false],
      [1, false, false],
    ]);
  });

  test('nothing follows a trace that is not listed', () => {
    const lines = linesOf(listed.filter(({ kind }) => kind !== 'trace'));
    expect(lines.map(({ follows }) => follows)).toEqual([false, false]);
  });
});

describe('a frozen log', () => {
  const frozen = { ...REPORTED.log, events: REPORTED.log.events.slice(0, 4) };

  test('is listed while it is that of the same kernel, and what is newer is counted', () => {
    expect(listedLog(REPORTED.log, null)).toBe(REPORTED.log);
    expect(listedLog(REPORTED.log, frozen)).toBe(frozen);
    expect(listedLog({ ...REPORTED.log, start: 1 }, frozen).start).toBe(1);
    expect(countNewer(REPORTED.log, frozen, INITIAL_PANEL.filter)).toBe(2);
    expect(countNewer(REPORTED.log, frozen, { ...INITIAL_PANEL.filter, again: true })).toBe(0);
  });

  test('is let go where something else is filtered', () => {
    const reading = update(INITIAL_PANEL, { type: 'hold', log: frozen });
    expect(reading.frozen).toBe(frozen);
    expect(update(reading, { type: 'kind', kind: 'lower' }).frozen).toBeNull();
  });
});

describe('columns', () => {
  const opened = { event: 1 };

  test.each([
    [250, 1],
    [699, 1],
    [700, 2],
    [1100, 3],
  ])('at %i px', (width, columns) => {
    expect(columnsIn(width)).toBe(columns);
  });

  test('one shows the program in place of the list, and the inspector in place of both', () => {
    expect(visibleIn(INITIAL_PANEL, 1)).toEqual({ list: true, opened: false, inspector: false });
    expect(visibleIn({ ...INITIAL_PANEL, opened }, 1)).toEqual({
      list: false,
      opened: true,
      inspector: false,
    });
    const inspecting = update(
      { ...INITIAL_PANEL, opened },
      { type: 'tab', tab: 'inspector', closes: true },
    );
    expect(visibleIn(inspecting, 1)).toEqual({ list: false, opened: false, inspector: true });
    expect(update(inspecting, { type: 'tab', tab: 'functions', closes: true }).opened).toBe(opened);
  });

  test('two show the program beside the list or the inspector, three all', () => {
    expect(visibleIn({ ...INITIAL_PANEL, opened }, 2)).toEqual({
      list: true,
      opened: true,
      inspector: false,
    });
    const inspecting = { ...INITIAL_PANEL, opened, tab: 'inspector' as const };
    expect(visibleIn(inspecting, 2)).toEqual({ list: false, opened: true, inspector: true });
    expect(visibleIn(INITIAL_PANEL, 3)).toEqual({ list: true, opened: false, inspector: true });
  });

  test('another list closes the program in its place, not that beside it', () => {
    const to = (closes: boolean) =>
      update({ ...INITIAL_PANEL, opened }, { type: 'tab', tab: 'events', closes }).opened;
    expect([to(true), to(false)]).toEqual([null, opened]);
  });
});

test('the traces beside one are those of its function that made a program', () => {
  const [, one] = REPORTED.log.events;
  expect(tracesLike(REPORTED.log, one!).map(({ number }) => number)).toEqual([2, 4]);
});

test('two traces are compared in the order in which they began', () => {
  const [, , , , late] = REPORTED.log.events;
  const [early] = REPORTED.log.events;
  expect(comparisonOf(late!, early!)).toEqual({ before: 1, after: 5 });
});

describe('the report of a kernel', () => {
  const read = (data: unknown) => readPanel(new Uint8Array(deflateSync(JSON.stringify(data))));

  test('is read', async () => {
    expect(await read(REPORTED)).toEqual(REPORTED);
  });

  test.each([
    ['another version', { ...REPORTED, version: 7 }],
    ['a field too many', { ...REPORTED, more: 1 }],
    ['a damaged log', { ...REPORTED, log: { ...REPORTED.log, seconds: -1 } }],
    ['no object', 3],
  ])('is refused where it has %s', async (_, data) => {
    await expect(read(data)).rejects.toThrow(/the kernel's answer/i);
  });
});

test('a function has the reason that took most time, not the latest', () => {
  const dtype = { ...SHAPE, kind: 'dtype' };
  const causes = [
    cause({ reason: [SHAPE], seconds: 0.2, last: 9 }),
    cause({ reason: [dtype], seconds: 3, last: 4 }),
    cause({ reason: [], seconds: 8 }),
  ];
  const [row] = rowsOf(panel({ log: log({ causes }) }));
  expect(row?.why?.reason).toEqual([dtype]);
});

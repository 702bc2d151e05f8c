/** JAX's cache of each function below a timeline: programs, what tells them apart, hits and misses. */
import { expect, test } from 'vitest';
import type { CacheTable } from '../src/schema';
import { training } from './log-samples';
import { FRAME } from './logs';
import { all, click, one, texts } from './page';
import { show, text } from './shown-log';

const CALL = { row: 0, end: 'miss', site: FRAME, times: 1, narrowed: '' };

const table = (own: Partial<CacheTable>): CacheTable => ({
  name: 'step',
  definition: FRAME,
  columns: [
    { where: 'mode', kind: 'static' },
    { where: 'x', kind: 'shape' },
  ],
  more: 0,
  rows: [
    { number: 0, site: FRAME, cells: ["'train'", '[3]'], differs: [] },
    { number: 3, site: FRAME, cells: ["'train'", '[4]'], differs: [1] },
    { number: null, site: null, cells: ["'eval'", '[3]'], differs: [0] },
  ],
  calls: [
    CALL,
    { ...CALL, end: 'hit', times: 3, narrowed: 'x: float64 taken as float32' },
    { ...CALL, row: 1 },
    { ...CALL, row: 2, end: 'hit' },
  ],
  hits: 4,
  omitted: 0,
  ...own,
});

const showTable = (own: Partial<CacheTable>) => show({ ...training, caches: [table(own)] });

test('is not there where no function was traced or found again', () => {
  show(training);
  expect(one('.jxv-caches')).toBeNull();
});

test('has a row for each program, with the calls that made or found it', () => {
  showTable({});
  expect(text('.jxv-caches summary')).toBe('step3 programs · 4 hits');
  expect(texts('.jxv-cache thead th')).toEqual([
    'program',
    'mode static',
    'x shape',
    'calls, in order',
  ]);
  expect(texts('.jxv-cache tbody tr')).toEqual([
    "1'train'[3]cell 3, line 4misscell 3, line 4hit ×3x: float64 taken as float32",
    "2'train'[4]cell 3, line 4miss",
    "3'eval'[3]traced before this log cell 3, line 4hit",
  ]);
  expect(texts('.jxv-cache-differs')).toEqual(['[4]', "'eval'"]);
});

test('selects the trace of a program in the timeline', () => {
  showTable({});
  expect(one('.jxv-event')).toBeNull();
  const [first] = all('.jxv-cache tbody th button');
  click(first);
  expect(text('.jxv-event header')).toContain('step');
});

test('says of no call that it was a hit or a miss where hits were not counted', () => {
  showTable({ hits: null, calls: [CALL, { ...CALL, row: 1 }] });
  expect(texts('.jxv-cache tbody tr').slice(0, 2)).toEqual([
    "1'train'[3]cell 3, line 4",
    "2'train'[4]cell 3, line 4",
  ]);
  expect(text('.jxv-caches')).toContain('To count cached calls too, use %%jaxviz --hits.');
});

test('says what is left out', () => {
  showTable({ hits: 9, more: 2, omitted: 1 });
  expect(text('.jxv-caches summary')).toBe('step4 programs · 9 hits');
  expect(texts('.jxv-caches p')).toEqual([
    'Highlighted: what differs from the most similar earlier row.',
    '5 hits are not listed.',
    '2 columns are left out.',
    '1 program is left out.',
  ]);
});

test('of several functions, each opens when it is asked for', () => {
  show({ ...training, caches: [table({}), table({ name: 'loss' })] });
  expect(all('.jxv-caches details').map((each) => (each as HTMLDetailsElement).open)).toEqual([
    false,
    false,
  ]);
});

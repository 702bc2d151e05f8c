/** The reader says of each call whether it was a hit, and then sees the log with what they said. */
import { beforeAll, expect, test } from 'vitest';
import { asked, score } from '../src/facts/events/log-events';
import type { Log } from '../src/schema';
import { training } from './log-samples';
import { FRAME } from './logs';
import { mountedLog, readLogCode } from './mounted-log';
import { all, click, one, texts } from './page';

beforeAll(readLogCode);

const call = (end: string, row: number, times = 1) => ({
  row,
  end,
  site: FRAME,
  times,
  narrowed: '',
});
const log: Log = {
  ...training,
  running: false,
  predict: true,
  caches: [
    {
      name: 'step',
      definition: FRAME,
      columns: [{ where: 'x', kind: 'shape' }],
      more: 0,
      rows: [
        { number: 0, site: FRAME, cells: ['[3]'], differs: [] },
        { number: 3, site: FRAME, cells: ['[4]'], differs: [0] },
      ],
      calls: [call('miss', 0), call('hit', 0, 2), call('compiled again', 0), call('miss', 1)],
      hits: 2,
      omitted: 0,
    },
  ],
};

test('each call is asked of by itself, and only what was a hit or a miss', () => {
  expect(asked(log).map(({ key, call: { end } }) => [key, end])).toEqual([
    ['0/0/0', 'miss'],
    ['0/1/0', 'hit'],
    ['0/1/1', 'hit'],
    ['0/3/0', 'miss'],
  ]);
  const guesses = new Map([
    ['0/0/0', 'hit'],
    ['0/1/1', 'hit'],
  ] as const);
  expect(score(log, guesses)).toEqual({ right: 1, all: 2 });
});

test('what happened is hidden until the reader asks for it', async () => {
  await mountedLog(Promise.resolve(log));
  expect(one('.jxv-log')).toBeNull();
  expect(all('.jxv-predict li')).toHaveLength(4);
  const choices = () => all('.jxv-choice button');
  click(choices()[1] as Element);
  click(choices()[2] as Element);
  click(choices()[5] as Element);
  expect(all('[aria-pressed=true]')).toHaveLength(3);
  click(one('.jxv-predict > button'));
  expect(one('.jxv-predict')?.textContent).toContain('2 of 3 calls');
  expect(texts('.jxv-cache-call')).toEqual([
    expect.stringContaining('miss✓ as predicted'),
    expect.stringContaining('hit ×2✗ you predicted 1 differently'),
    expect.stringContaining('compiled again'),
    expect.stringMatching(/miss$/),
  ]);
});

test('where no call is asked of, the log is seen at once', async () => {
  await mountedLog(Promise.resolve({ ...log, caches: [] }));
  expect(one('.jxv-log')).not.toBeNull();
});

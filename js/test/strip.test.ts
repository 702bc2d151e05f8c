/** A log in one line, and the name of the opened program. */
import { expect, test } from 'vitest';
import type { Log } from '../src/schema';
import { lineOf } from '../src/words/events/changes';
import { wantedName } from '../src/words/events/log-words';
import { english } from './fixtures';
import { cause, counted, event, log } from './logs';

/** The text from left to right. */
function line(own: Partial<Log>): string {
  const { who, what, often, why, time, hint } = lineOf(log(own));
  return `${who}${what}${often}: ${why} · ${time} — ${hint}`;
}

const LR = { kind: 'dtype', where: 'lr', before: 'f32[]', after: 'i32[]' };

test('one function that was retraced', () => {
  expect(line({ causes: [cause({})] })).toBe(
    'step retraced: x: f32[8→5, 32] · 400 ms — if this is a smaller last batch, pad it to the size of the others, or drop it',
  );
});

test('for several reasons: the one that took longest', () => {
  const causes = [cause({ times: 6, hint: english('') }), cause({ reason: [LR] })];
  expect(line({ causes })).toBe('step retraced, 7 times: x: f32[8→5, 32], … · 800 ms — ');
});

test('several functions, each with its own reason, and not more than fit', () => {
  const functions = ['step', 'loss', 'norm', 'init'].map((name) =>
    counted({ name, retraces: 625 }),
  );
  const causes = [1, 0, 1, 2, 3].map((index) => cause({ function: index, times: 500 }));
  expect(line({ functions, causes })).toBe(
    '4 functions retraced, 2,500 times: loss (x: f32[8→5, 32]), step (x: f32[8→5, 32]), norm (x: f32[8→5, 32]), … · 2.0 s — ',
  );
});

test('what was made again without a trace is called so', () => {
  expect(line({ causes: [cause({ kind: 'compile' })] })).toMatch(/^step compiled again: /);
  const causes = [cause({ kind: 'lower' }), cause({})];
  expect(line({ causes })).toMatch(/^step retraced or lowered again, 2 times: /);
  const functions = [counted({ retraces: 0, relowerings: 1, recompiles: 1 })];
  const both = [cause({ kind: 'lower' }), cause({ kind: 'compile' })];
  expect(line({ functions, causes: both })).toMatch(/^step lowered or compiled again: /);
});

test('all values of a cause, each with how often, and not more than fit', () => {
  const value = (size: number, times: number) => ({
    reason: [{ kind: 'shape', where: 'x', before: 'f32[8]', after: `f32[${size}]` }],
    times,
  });
  const values = [value(5, 2), value(3, 1), value(2, 1)];
  expect(line({ causes: [cause({ values, times: 4, hint: english('') })] })).toBe(
    'step retraced, 4 times: x: f32[8→5] ×2, f32[8→3], f32[8→2] · 400 ms — ',
  );
  const more = [cause({ values, others: 3, times: 7 })];
  expect(line({ causes: more })).toMatch(/7 times: x: f32\[8→5\] ×2, .*, … · /);
});

test('what is not saved is not denied', () => {
  expect(line({ functions: [counted({ retraces: 3 })] })).toMatch(
    /^1 function made again, 3 times/,
  );
});

test('nothing', () => {
  expect(line({})).toBe('nothing was retraced:  ·  — ');
  expect(line({ running: true })).toMatch(/^nothing has been retraced so far/);
});

test('what was opened is called by its function and its place among its traces', () => {
  const functions = [counted({ retraces: 2 }), counted({ name: 'loss', retraces: 0 })];
  const events = [
    event({ number: 1 }),
    event({ number: 2, again: true }),
    event({ number: 3, again: true }),
    event({ number: 4, kind: 'compile', of: 3 }),
    event({ number: 5, name: 'loss' }),
  ];
  const one = log({ functions, events });
  expect(wantedName(one, { event: 1 })).toBe('step · first trace');
  expect(wantedName(one, { event: 3 })).toBe('step · retrace 2 of 2');
  expect(wantedName(one, { event: 4 })).toBe('step · retrace 2 of 2');
  expect(wantedName(one, { before: 1, after: 3 })).toBe(
    'step · compared: first trace → retrace 2 of 2',
  );
  expect(wantedName(one, { before: 1, after: 5 })).toBe(
    'compared: step, first trace → loss, first trace',
  );
  expect(wantedName(one, { event: 99 })).toBe('A program');
  expect(wantedName(one, { before: 1, after: 99 })).toBe('Compared');
});

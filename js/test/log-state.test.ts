/** The state of a log's view, and its actions. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  causeKey,
  earlierTrace,
  ordinalOf,
  previousTrace,
  repeatsIn,
  timesOf,
  walkOf,
  wholeOf,
  whyNoProgram,
} from '../src/facts/events/log-events';
import type { Event, Log } from '../src/schema';
import {
  type Action,
  type LogState,
  markedWith,
  spanSeen,
  start,
  update,
} from '../src/state/log-state';
import {
  blockText,
  countsText,
  earlierText,
  eventText,
  outsideText,
  repeatsText,
  totalsText,
} from '../src/words/events/log-words';
import { logs, START, training } from './log-samples';
import { counted, event, log } from './logs';

const done = (log: Log, ...actions: Action[]): LogState => actions.reduce(update, start(log));
const walk = (...ways: (Action & { type: 'walk' })['by'][]): Action[] =>
  ways.map((by) => ({ type: 'walk', by }));
const numbered = (number: number, { events }: Log = training) =>
  events.find((one) => one.number === number) as Event;

describe('walking', () => {
  const at = (...actions: Action[]) => done(training, ...actions).selected?.number;

  test('begins with the first event of the first row', () => {
    expect(at(...walk('right'))).toBe(0);
    expect(at(...walk('last'))).toBe(11);
  });

  test('goes along a row, and stops at its ends', () => {
    expect(at(...walk('right', 'right', 'right', 'right'))).toBe(6);
    expect(at(...walk('right', 'left', 'left'))).toBe(0);
    expect(at(...walk('right', 'last', 'right'))).toBe(11);
    expect(at(...walk('right', 'last', 'first'))).toBe(0);
  });

  test('goes to what is nearest in time in another row', () => {
    expect(at({ type: 'select', event: numbered(6) }, ...walk('down'))).toBe(5);
    expect(at({ type: 'select', event: numbered(3) }, ...walk('up'))).toBe(2);
    expect(at({ type: 'select', event: numbered(3) }, ...walk('down'))).toBe(3);
  });

  test('reaches every event', () => {
    fc.assert(
      fc.property(logs, (log) => {
        const numbers = walkOf(log).flatMap((row) => row.map(({ number }) => number));
        expect(numbers.sort((a, b) => a - b)).toEqual(log.events.map(({ number }) => number));
      }),
    );
  });

  test('brings what is selected into view', () => {
    const span = { from: 0, to: 0.3 };
    const state = done(training, { type: 'show', span }, { type: 'select', event: numbered(9) });
    const { from, to } = spanSeen(state);
    expect(from).toBeLessThan(1);
    expect(to).toBeGreaterThan(1.01);
    expect(to - from).toBeCloseTo(0.3);
  });
});

describe('causes', () => {
  const key = causeKey(training, training.causes[0]!);

  test('mark all their events, with what followed, and select the latest', () => {
    const state = done(training, { type: 'cause', key });
    expect(markedWith(state).map(({ number }) => number)).toEqual([6, 7, 8]);
    expect(state.selected?.number).toBe(6);
  });

  test('stay marked while one of theirs is selected', () => {
    const state = done(training, { type: 'cause', key });
    expect(update(state, { type: 'select', event: numbered(6) }).cause).toBe(key);
    expect(update(state, { type: 'select', event: numbered(9) }).cause).toBeNull();
    expect(update(state, { type: 'select', event: null }).cause).toBeNull();
  });

  test('have the same key in a newer log, wherever they stand there', () => {
    const [first, second] = training.causes;
    const functions = [...training.functions].reverse();
    const causes = [second!, { ...first!, function: 0, times: 7 }];
    expect(causeKey({ ...training, functions, causes }, causes[1]!)).toBe(key);
  });
});

describe('a newer log', () => {
  const newer = { ...training, seconds: 60, running: true };

  test('leaves what is selected, marked, open and seen as it was', () => {
    const span = { from: 0.5, to: 1 };
    const before = done(
      training,
      { type: 'show', span },
      { type: 'cause', key: causeKey(training, training.causes[0]!) },
      { type: 'fold', key: 'a' },
    );
    expect(update(before, { type: 'log', log: newer })).toEqual({ ...before, log: newer });
  });

  test('gives what is selected and picked anew, as it is now', () => {
    const before = done(
      training,
      { type: 'select', event: numbered(6) },
      { type: 'pick', event: numbered(6) },
    );
    const log = structuredClone(newer);
    const state = update(before, { type: 'log', log });
    expect(state.selected).toBe(numbered(6, log));
    expect(state.picked).toBe(numbered(6, log));
  });

  test('is seen whole where the one before was', () => {
    const state = done(training, { type: 'log', log: newer });
    expect(spanSeen(state)).toEqual(wholeOf(newer));
    expect(wholeOf(newer).to).toBeGreaterThanOrEqual(60);
  });

  test('may no longer list what is selected', () => {
    const before = done(training, { type: 'select', event: numbered(6) });
    const state = update(before, { type: 'log', log: { ...newer, events: [numbered(11)] } });
    expect(state.selected?.number).toBe(6);
    expect(eventText(state.log, state.selected!)).toContain('step, retrace, x');
    expect(update(state, { type: 'walk', by: 'right' }).selected?.number).toBe(11);
  });
});

describe('zooming', () => {
  const actions: fc.Arbitrary<Action> = fc.oneof(
    fc.record({
      type: fc.constant('zoom' as const),
      factor: fc.constantFrom(0.1, 0.5, 0.9, 2, 100),
      at: fc.double({ min: 0, max: 10, noNaN: true }),
    }),
    fc.record({
      type: fc.constant('pan' as const),
      seconds: fc.double({ min: -20, max: 20, noNaN: true }),
    }),
    fc.record({ type: fc.constant('walk' as const), by: fc.constantFrom('left', 'right', 'down') }),
  );

  test('always shows a stretch of the log', () => {
    fc.assert(
      fc.property(logs, fc.array(actions, { maxLength: 12 }), (log, all) => {
        const { from, to } = spanSeen(done(log, ...all));
        const whole = wholeOf(log);
        expect(from).toBeLessThan(to);
        expect(from).toBeGreaterThanOrEqual(whole.from - 1e-9);
        expect(to).toBeLessThanOrEqual(whole.to + 1e-9);
      }),
    );
  });

  test('out as far as it goes is all of it, also of a log that grows', () => {
    const zoom = (factor: number): Action => ({ type: 'zoom', factor, at: 1 });
    expect(done(training, zoom(0.5)).span).not.toBeNull();
    expect(done(training, zoom(0.5), zoom(10)).span).toBeNull();
  });
});

describe('an event', () => {
  test('is the number among all repeats', () => {
    expect(ordinalOf(training, numbered(9))).toEqual([2, 2]);
    expect(ordinalOf(training, numbered(0))).toBeNull();
  });

  test('is counted over those that are not listed', () => {
    const again = (number: number) => event({ number, again: true });
    const events = [again(1), again(2), again(98), again(99)];
    const flood = log({ events, omitted: 95, functions: [counted({ retraces: 99 })] });
    expect(events.map((one) => ordinalOf(flood, one)?.[0])).toEqual([1, 2, 98, 99]);
  });

  test('has a trace before it that ended well', () => {
    expect(previousTrace(training, numbered(9))?.number).toBe(6);
    expect(previousTrace(training, numbered(11))?.number).toBe(6);
    expect(previousTrace(training, numbered(0))).toBeNull();
    const failed = { ...numbered(6), error: 'ValueError' };
    const events = training.events.map((one) => (one.number === 6 ? failed : one));
    expect(previousTrace({ ...training, events }, numbered(9))?.number).toBe(0);
  });

  test('has a program, or a reason why not', () => {
    const failed = event({ error: 'ValueError' });
    expect(whyNoProgram(numbered(2), true)).toBe('');
    expect(whyNoProgram(numbered(2), false)).toContain('contains no programs');
    expect(whyNoProgram(failed, true)).toBe('The trace failed: there is no program');
  });

  test('came without a trace, and is compared with the last one before it', () => {
    const alone = event({ number: 20, kind: 'lower', of: null, again: true, start: START + 0.6 });
    const events = [...training.events, alone];
    expect(previousTrace({ ...training, events }, alone)?.number).toBe(6);
  });

  test('is compared with the trace that its reason tells against, where that is listed', () => {
    const against = (number: number | null) => {
      const last = { ...numbered(9), against: number };
      const events = training.events.map((one) => (one.number === 9 ? last : one));
      const log = { ...training, events };
      return [earlierTrace(log, last)?.number, earlierText(log, last)];
    };
    expect(against(0)).toEqual([0, 'the first trace']);
    expect(against(6)).toEqual([6, 'the one before']);
    expect(against(null)).toEqual([6, 'the one before']);
    expect(against(77)).toEqual([6, 'the one before']);
  });

  test('is one of those that are listed where its function is not counted apart', () => {
    const again = [1, 2].map((number) => event({ number, name: 'rare', again: true }));
    const functions = [counted({ retraces: 900 }), counted({ name: '… 7 functions more' })];
    expect(ordinalOf(log({ events: again, functions }), again[0]!)).toEqual([1, 2]);
  });

  test('is said in one line', () => {
    expect(eventText(training, numbered(6))).toBe('step, retrace 1 of 2, x: f32[8→5, 32], 10 ms');
    expect(eventText(training, numbered(0))).toBe('step, first trace, 10 ms');
    expect(eventText(training, { ...numbered(2), cached: true })).toBe(
      'step, compilation, 100 ms, from the persistent cache',
    );
    const failed = event({ implied: true, seconds: 0, error: 'TracerBoolConversionError' });
    expect(eventText(log({ events: [failed] }), failed)).toBe(
      'step, first trace, time not known, ended by TracerBoolConversionError',
    );
    const [one, ...others] = training.events.slice(6) as [Event, ...Event[]];
    expect(blockText(training, [one, ...others])).toBe(
      'step: 2 traces, 2 lowerings, 2 compilations, 2 repeated, 260 ms',
    );
  });
});

describe('a log in words', () => {
  test.each([
    [{}, '1 function · 2 traces (1 retrace)'],
    [{ retraces: 0 }, '1 function · 2 traces'],
    [{ retraces: 2 }, '1 function · 2 traces (2 retraces)'],
    [{ retraces: 0, recompiles: 2 }, '1 function · 2 traces · 2 compiled again'],
    [
      { relowerings: 3, recompiles: 1 },
      '1 function · 2 traces (1 retrace) · 1 compiled again · 2 lowered again',
    ],
    [{ hits: [3, 0, 9] }, '1 function · 2 traces (1 retrace) · 12 hits'],
    [{ traces: 10_000, retraces: 9999 }, '1 function · 10,000 traces (9,999 retraces)'],
  ])('%o: %s', (own, text) => {
    expect(totalsText(log({ functions: [counted(own)] }))).toBe(text);
  });

  test('the status bar has the numbers of the first line', () => {
    const functions = [
      counted({}),
      counted({ retraces: 0, recompiles: 2, relowerings: 2 }),
      counted({ retraces: 2, library: true, relowerings: 1 }),
    ];
    const repeats = repeatsIn({ functions });
    expect(totalsText(log({ functions }))).toBe(
      '3 functions · 6 traces (3 retraces) · 2 compiled again · 1 lowered again',
    );
    expect(repeatsText(repeats)).toBe('3 retraces · 2 compiled again · 1 lowered again');
    expect(timesOf(repeats)).toBe(6);
    expect(repeatsText({ ...repeats, retraces: 0, relowered: 0 })).toBe('2 compiled again');
    expect(repeatsText(repeatsIn({ functions: [] }))).toBe('0 retraces');
  });

  test.each([
    [{}, '2 traces (1 retrace)'],
    [{ traces: 1, retraces: 1 }, '1 trace (1 retrace)'],
    [{ retraces: 0, recompiles: 2 }, '2 traces, 2 compiled again'],
    [{ retraces: 0, hits: [3, 9] }, '2 traces, 12 hits'],
  ])('of a function, %o: %s', (own, text) => {
    expect(countsText(counted(own))).toBe(text);
  });

  test('what JAX made of its own is said apart', () => {
    const apart = { traces: 12, lowerings: 12, compiles: 11, seconds: 0.08 };
    const op = {
      name: 'jnp.sin',
      site: null,
      spans: [],
      reason: [],
      traces: 11,
      compiles: 11,
      seconds: 0.08,
    };
    expect(outsideText(log({ apart, ops: [op] }))).toBe(
      '11 compilations op by op, 80 ms · 1 trace within JAX and libraries',
    );
    expect(outsideText(log({ apart: { ...apart, traces: 11 }, ops: [op] }))).toBe(
      '11 compilations op by op, 80 ms',
    );
    expect(outsideText(log({}))).toBe('');
  });

  test('whatever it holds', () => {
    fc.assert(
      fc.property(logs, (log) => {
        for (const one of log.events) expect(eventText(log, one)).toContain(one.name);
        expect(totalsText(log)).toContain('3 functions');
        expect(wholeOf(log).to).toBeGreaterThan(START - log.start);
      }),
    );
  });
});

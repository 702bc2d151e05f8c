/** The events of a log as blocks on the tracks of lanes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Block,
  blocksOf,
  LEAST_WIDTH,
  lanesOf,
  MOST_TRACKS,
  type Scale,
} from '../src/facts/events/log-lanes';
import type { Log } from '../src/schema';
import { logs, START, training } from './log-samples';
import { counted, event, log } from './logs';

const scale = (from: number, to: number, width = 1000): Scale => ({ from, to, width });

const tracksOf = (log: Log, scale: Scale): Block[][] =>
  lanesOf(log).flatMap(({ tracks }) => tracks.map((track) => blocksOf(track, scale, log.start)));

/** `6 7 8` for three blocks, `6,7,8` for one. */
const written = (blocks: readonly Block[]) =>
  blocks.map(({ events }) => events.map(({ number }) => number).join(',')).join(' ');

describe('lanes', () => {
  test('are functions, those that took most time first', () => {
    expect(lanesOf(training).map(({ function: one }) => one.name)).toEqual(['step', 'loss']);
  });

  test('a call is a trace with the lowering and the compilation that followed it', () => {
    const [step] = lanesOf(training);
    const calls = step?.tracks[0]?.map(({ events }) => events.map(({ kind }) => kind));
    expect(calls).toEqual(Array(3).fill(['trace', 'lower', 'compile']));
  });

  test('calls at the same time have tracks of their own, as many as there is room for', () => {
    const events = [0, 1, 2, 3, 4, 5].map((number) =>
      event({ number, start: START + number / 10, seconds: 1, thread: `worker ${number}` }),
    );
    const [lane] = lanesOf(log({ events: [...events, event({ number: 6, start: START + 1.05 })] }));
    const numbers = lane?.tracks.map((calls) =>
      calls.flatMap(({ events }) => events.map((one) => one.number)),
    );
    expect(numbers).toEqual([[0, 6], [1], [2], [3, 4, 5]]);
  });

  test('what is of none that is listed is of the last, in which the kernel sums up the rest', () => {
    const functions = [counted({}), counted({ name: '… 7 functions more', definition: null })];
    const lanes = lanesOf(log({ functions, events: [event({ name: 'other' })] }));
    expect(lanes.map(({ tracks }) => tracks.length)).toEqual([0, 1]);
  });
});

describe('blocks', () => {
  const step = (scale: Scale) => written(tracksOf(training, scale)[0] ?? []);

  test('are single events while these are far enough apart', () => {
    expect(step(scale(0, 1.6))).toBe('0 1 2 6 7 8 9 10 11');
    expect(step(scale(0, 16))).toBe('0 1 2 6 7 8 9 10 11');
  });

  test('are whole calls from farther off, then many of them', () => {
    expect(step(scale(0, 60))).toBe('0,1,2 6,7,8 9,10,11');
    expect(step(scale(0, 1e4))).toBe('0,1,2,6,7,8,9,10,11');
  });

  test('are one of many narrow calls, however long', () => {
    const events = Array.from({ length: 500 }, (_, number) =>
      event({ number, start: START + number * 0.02, seconds: 0.001 }),
    );
    const [blocks = []] = tracksOf(log({ events, seconds: 10 }), scale(0, 10));
    expect(blocks.map(({ events }) => events.length)).toEqual([500]);
    expect(blocks[0]?.width).toBeGreaterThan(990);
  });

  const scales = fc
    .tuple(
      fc.double({ min: 0, max: 9, noNaN: true }),
      fc.double({ min: 2e-5, max: 100, noNaN: true }),
      fc.integer({ min: 50, max: 2000 }),
    )
    .map(([from, length, width]) => scale(from, from + length, width));

  test('each event is in one block, at any scale', () => {
    fc.assert(
      fc.property(logs, scales, (log, scale) => {
        const numbers = tracksOf(log, scale).flatMap((blocks) =>
          blocks.flatMap(({ events }) => events.map(({ number }) => number)),
        );
        expect(numbers.sort((a, b) => a - b)).toEqual(log.events.map(({ number }) => number));
      }),
    );
  });

  test('those of a track do not overlap, and none is too narrow to be seen', () => {
    fc.assert(
      fc.property(logs, scales, (log, scale) => {
        for (const blocks of tracksOf(log, scale)) {
          blocks.forEach(({ x, width }, at) => {
            expect(width).toBeGreaterThan(LEAST_WIDTH - 1e-3);
            const next = blocks[at + 1];
            if (next) expect(next.x).toBeGreaterThanOrEqual(x + width - 1e-3);
          });
        }
      }),
    );
  });

  test('there are no more tracks than there is room for', () => {
    fc.assert(
      fc.property(logs, (log) => {
        for (const { tracks } of lanesOf(log))
          expect(tracks.length).toBeLessThanOrEqual(MOST_TRACKS);
      }),
    );
  });
});

/** Time and px, and how both are said. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  SHORTEST_SPAN,
  type Span,
  showing,
  ticksOf,
  toPx,
  toTime,
  within,
  zoomed,
} from '../src/facts/events/log-lanes';
import { momentText, timeText } from '../src/facts/text/describe';

const WHOLE = { from: 0, to: 100 };

describe('times are said', () => {
  test.each([
    [0, '0 s'],
    [3.4e-7, '0.34 µs'],
    [3.4e-4, '340 µs'],
    [0.0012, '1.2 ms'],
    [0.0123, '12 ms'],
    [0.9994, '999 ms'],
    [0.9999, '1.0 s'],
    [3.44, '3.4 s'],
    [59.9, '60 s'],
    [72, '1 min 12 s'],
    [3780, '1 h 3 min'],
    [Number.NaN, '0 s'],
  ])('%d as %s', (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });

  test.each([
    [0, 1, '0'],
    [0.2, 0.2, '200 ms'],
    [1, 0.2, '1.0 s'],
    [1.25, 0.05, '1.25 s'],
    [0.0002, 0.0001, '200 µs'],
    [125.5, 0.5, '2:05.5'],
    [120, 60, '2:00'],
  ])('the moment %d, distinguished from others %d s away, as %s', (seconds, step, text) => {
    expect(momentText(seconds, step)).toBe(text);
  });
});

describe('ticks', () => {
  test.each([
    [{ from: 0, to: 1.6, width: 800 }, '0 200 ms 400 ms 600 ms 800 ms 1.0 s 1.2 s 1.4 s 1.6 s'],
    [{ from: 0.5, to: 0.5004, width: 400 }, '500.0 ms 500.1 ms 500.2 ms 500.3 ms 500.4 ms'],
    [{ from: 0, to: 90, width: 500 }, '0 15.0 s 30 s 45 s 1:00 1:15 1:30'],
  ])('are at round moments', (scale, texts) => {
    const found = ticksOf(scale).map(({ text }) => text);
    expect(found.join(' ').replace('15.0', '15.0')).toBe(texts.replace('15.0 s', '15 s'));
  });

  test('are distinct, and never nearer than asked for', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 4000, noNaN: true }),
        fc.double({ min: SHORTEST_SPAN, max: 4000, noNaN: true }),
        fc.integer({ min: 100, max: 3000 }),
        (from, length, width) => {
          const ticks = ticksOf({ from, to: from + length, width });
          expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
          ticks.slice(1).forEach(({ px }, at) => {
            expect(px - ticks[at]!.px).toBeGreaterThan(72 - 0.1);
          });
        },
      ),
    );
  });
});

describe('a stretch', () => {
  const spans: fc.Arbitrary<Span> = fc
    .tuple(
      fc.double({ min: 0, max: 90, noNaN: true }),
      fc.double({ min: 0.01, max: 10, noNaN: true }),
    )
    .map(([from, length]) => ({ from, to: from + length }));

  test('px and moments are each other’s inverse', () => {
    const scale = { from: 2, to: 4, width: 300 };
    expect(toPx(scale, 3)).toBe(150);
    expect(toTime(scale, toPx(scale, 2.7))).toBeCloseTo(2.7);
  });

  test('keeps the moment under the pointer where it is when it is zoomed', () => {
    const scale = { from: 40, to: 60, width: 100 };
    const closer = zoomed(scale, 0.5, 45, WHOLE);
    expect(closer).toEqual({ from: 42.5, to: 52.5 });
    expect(toPx({ ...closer, width: 100 }, 45)).toBe(toPx(scale, 45));
  });

  test('stays within the whole, whatever is done', () => {
    fc.assert(
      fc.property(spans, fc.double({ min: 0.001, max: 1000, noNaN: true }), (span, factor) => {
        const next = zoomed(span, factor, span.from, WHOLE);
        expect(next.from).toBeGreaterThanOrEqual(0);
        expect(next.to).toBeLessThanOrEqual(100 + 1e-9);
        expect(next.to - next.from).toBeGreaterThanOrEqual(SHORTEST_SPAN * 0.99);
      }),
    );
    expect(within({ from: -5, to: 5 }, WHOLE)).toEqual({ from: 0, to: 10 });
    expect(within({ from: -5, to: 500 }, WHOLE)).toEqual(WHOLE);
  });

  test('moves no farther than is needed to show another', () => {
    expect(showing({ from: 0, to: 10 }, { from: 4, to: 5 }, WHOLE)).toEqual({ from: 0, to: 10 });
    fc.assert(
      fc.property(spans, spans, (span, wanted) => {
        const { from, to } = showing(span, wanted, WHOLE);
        expect(from).toBeLessThanOrEqual(wanted.from + 1e-9);
        expect(to).toBeGreaterThanOrEqual(wanted.to - 1e-9);
      }),
    );
  });
});

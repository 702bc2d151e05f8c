/** Time of calls: bars and curves, one knob for all sizes, and what hosts hand over. */
import { h, render } from 'preact';
import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { reportIn } from '../../../src/facts/reports';
import type { Timed, Timing } from '../../../src/schema';
import { bySize, scaleBetween, scaleOf } from '../../../src/tools/timeit/calls';
import { TimedCalls } from '../../../src/tools/timeit/view';
import { english, golden } from '../../fixtures';
import { all, host, one, texts, type } from '../../page';

const RUNS = { low: 1e-5, median: 2e-5, high: 4e-5, runs: 5 };
const timing = (own: Partial<Timing>): Timing => ({
  function: 'unrolled',
  size: 10,
  eqns: 10,
  trace: 0.001,
  lower: 0.002,
  compile: 0.1,
  first_run: 0.0005,
  jitted: RUNS,
  eager: RUNS,
  ...own,
});
const TIMED: Timed = {
  tool: 'timeit',
  timings: [10, 1000].flatMap((size) => [
    timing({ size, eqns: size, compile: size / 100 }),
    timing({ size, function: 'scanned', eqns: 2, eager: null }),
  ]),
  said: ['one', 'two', 'three', 'four'].map(english),
  programs: [],
};

test('calls of one size stand together, in their order', () => {
  expect(bySize(TIMED).map((calls) => calls.map(({ index, said }) => [index, said.text]))).toEqual([
    [
      [0, 'one'],
      [1, 'two'],
    ],
    [
      [2, 'three'],
      [3, 'four'],
    ],
  ]);
});

test('a record that is not whole is not read', () => {
  expect(reportIn(TIMED)).toEqual(TIMED);
  expect(reportIn({ ...TIMED, said: [] })).toBeNull();
  expect(reportIn({ ...TIMED, programs: ['one of four'] })).toBeNull();
  expect(reportIn({ ...TIMED, timings: [] })).toBeNull();
  expect(reportIn(null)).toBeNull();
});

test('scales are logarithmic, times between powers of ten', () => {
  const { ticks, at } = scaleOf([2e-5, 3e-3]);
  expect(ticks.map((tick) => Math.round(Math.log10(tick)))).toEqual([-5, -4, -3, -2]);
  expect([at(1e-5), at(1e-2)].map((place) => Math.round(1e6 * place))).toEqual([0, 1e6]);
  expect(scaleOf([1e-3, 1e-3]).ticks).toHaveLength(2);
  expect(scaleBetween([10, 1000]).at(100)).toBeCloseTo(0.5);
});

const show = async (report: Timed) => {
  const props = {
    program: golden('lesson'),
    partial: null,
    opening: {},
    kernel: null,
    later: false,
  };
  await act(() => render(h(TimedCalls, { ...props, report }), host));
};
const labels = () => texts('.jxv-timed-label');

test('the knob chooses the size of all functions', async () => {
  await show(TIMED);
  expect(labels().slice(0, 2)).toEqual(['unrolled · 1,000 eqns', 'scanned · 2 eqns']);
  expect(all('.jxv-timed-plot')).toHaveLength(2);
  type('0', one('.jxv-timed-knob input') as HTMLInputElement);
  expect(labels().slice(0, 2)).toEqual(['unrolled · 10 eqns', 'scanned · 2 eqns']);
  expect(one('.jxv-timed').textContent).toContain('scanned: two');
});

test('one call has bars and no curves, and sizes that have no logarithm have none', async () => {
  await show({ ...TIMED, timings: [timing({ size: null })], said: [english('it gains')] });
  expect(all('.jxv-timed-plot')).toHaveLength(0);
  expect(host.textContent).toContain('it gains');
  await show({
    ...TIMED,
    timings: TIMED.timings.map((one) => ({ ...one, size: one.size === 10 ? 0 : 5 })),
  });
  expect(all('.jxv-timed-plot')).toHaveLength(0);
});

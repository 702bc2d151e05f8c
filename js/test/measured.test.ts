import { expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { secondsOf } from '../src/facts/numbers/measured';
import { sceneOf } from '../src/layout/scene';
import type { Stage } from '../src/schema';
import { start, startFrom } from '../src/state/view-state';
import { costliest } from '../src/words/cost-columns';
import { eqnRows, grouped } from '../src/words/cost-table';
import { detailsOf } from '../src/words/item-details';
import { chain, plainGroup, readable, stage } from './fixtures';

/** Eqns 0 and 1 call one body, of `sin` (3) and `dot` (4); of the second call's `dot` and of `neg` no time
 * is measured. Of the 10 µs, 2 are of no eqn. */
function twice(): Stage {
  const root = chain(['pjit', 'pjit', 'neg'], [[1], [1]]);
  const made = stage([{ ...root, groups: [plainGroup(0, 2)] }, chain(['sin', 'dot'])]);
  const chains = [
    [0, 3],
    [0, 4],
    [1, 3],
  ];
  return { ...made, times: { chains, nanoseconds: [1000, 6000, 1000], whole: 10_000, peak: null } };
}

test('each call of a shared body has its own time, and a group that of its members', () => {
  const of = twice();
  const microseconds = (id: string) => {
    const seconds = secondsOf(of, id);
    return seconds === null ? null : Math.round(1e6 * seconds);
  };
  expect(['0', '1', '2', 'g0'].map(microseconds)).toEqual([7, 1, null, 8]);
  expect(['0.0', '0.0/0', '0.0/1', '1.0', '1.0/0', '1.0/1'].map(microseconds)).toEqual([
    ...[7, 1, 6],
    ...[1, 1, null],
  ]);
  expect(secondsOf({ ...of, times: null }, '0')).toBeNull();
});

test('boxes are coloured by it at first, and unreported times are marked', () => {
  const of = twice();
  expect(start(of).colours).toBe('time');
  const { boxes } = sceneOf(of, new Set(['g0', '1']));
  const { classes, of: heat, whole } = colour(of, boxes, 'time');
  const labels = boxes.map(({ item }, box) => `${item.id} ${classes[heat[box]!]?.label}`);
  expect(labels).toEqual(
    expect.arrayContaining(['0 ≥ 50 %', '1.0/0 ≥ 5 %', '1.0/1 not reported', '2 not reported']),
  );
  expect(whole).toBe('of 10 µs');
  const memo = { selected: null, open: null, query: '', colours: 'time' } as const;
  expect(startFrom({ ...of, times: null }, null, memo).colours).toBe('family');
});

test('the table has what an eqn took wherever it stands, and sorts by it', () => {
  const of = twice();
  const microseconds = (time: number | null) => time && Math.round(1e6 * time);
  expect(eqnRows(of).map(({ time }) => microseconds(time))).toEqual([7, 1, null, 2, 6]);
  const percent = (share: number | null) => share && Math.round(100 * share);
  expect(eqnRows(of).map(({ share }) => percent(share))).toEqual([70, 10, null, 20, 60]);
  const [line] = grouped(of, eqnRows(of), 'line');
  expect(percent(line!.share)).toBe(80);
  expect(microseconds(line!.time)).toBe(8);
  expect(costliest(of)).toEqual({ column: 'time', descending: true });
});

test('details have it with its share', () => {
  const times = (id: string) =>
    detailsOf(twice(), id)
      ?.facts.map(readable)
      .filter((fact) => fact.startsWith('time'));
  expect(times('0.0/1')).toEqual(['time: 6.0 µs (60.0 % of the measured time)']);
  expect(times('2')).toEqual(['time: not reported']);
  // In StableHLO some eqns of a group may be indistinguishable.
  const group = detailsOf({ ...twice(), kind: 'stablehlo' }, 'g0')?.facts.map(readable);
  expect(group).toContain('time: ≥ 8.0 µs (≥ 80.0 % of the measured time)');
});

test('an instruction has a speed, by its flops and bytes; an eqn, which may share a fusion, has none', () => {
  const cost = { flops: 3_000_000, bytes: 6144, transcendentals: 0, least: false };
  const graph = chain(['dot']);
  const eqns = graph.eqns.map((eqn) => ({ ...eqn, cost }));
  const times = { chains: [[0]], nanoseconds: [2000], whole: 2000, peak: null };
  const peak = { flops: 6e12, bytes: 2.5e9, measured: false };
  const made = { ...stage([{ ...graph, eqns }]), times };
  const speed = (of: Stage) =>
    detailsOf(of, '0')
      ?.facts.map(readable)
      .filter((fact) => fact.startsWith('speed'));
  expect(speed({ ...made, kind: 'hlo' })).toEqual(['speed: 1.50 Tflop/s · 2.9 GiB/s']);
  expect(speed(made)).toEqual([]);
  // Beside a peak each has its share; what stands in caches is read faster than memory is.
  expect(speed({ ...made, kind: 'hlo', times: { ...times, peak } })).toEqual([
    'speed: 1.50 Tflop/s (25.0 % of the peak) · 2.9 GiB/s (123 % of the peak)',
  ]);
});

test('times of a file that make no sense are coloured too', () => {
  const of = twice();
  const times = { chains: [[0], [99], []], nanoseconds: [-5], whole: -1, peak: null };
  const { boxes } = sceneOf({ ...of, times }, new Set());
  const { classes, of: heat } = colour({ ...of, times }, boxes, 'time');
  expect([...heat].every((one) => classes[one] !== undefined)).toBe(true);
});

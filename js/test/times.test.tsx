/** Measured times, above the program. */
import { expect, test, vi } from 'vitest';
import type { Times } from '../src/schema';
import { golden } from './fixtures';
import { mounted, one } from './page';

const TIMES: Times = {
  tool: 'profile',
  lines: [{ frame: null, graph: 0, eqn: 0, ops: ['sin'], seconds: 1e-5, share: 1 }],
  more: 0,
  runs: 10,
  best: 7e-5,
  median: 8e-5,
  inside: 4e-5,
  between: 1e-5,
  loops: [],
  left_out: [],
  run_again: false,
  in_cell: false,
  buffers: '',
  measured: null,
};

const shownText = async (buffers: Times['buffers']): Promise<string> => {
  await mounted(golden('grad_loss'), { report: { ...TIMES, buffers } });
  await vi.waitUntil(() => document.querySelector('.jxv-line-table'));
  return one('.jxv-line-table').textContent ?? '';
};

test('if everything is reported, the time between instructions is shown', async () => {
  const text = await shownText('');
  expect(text).toContain(
    'took 40 µs from first to last instruction. For 10 µs of that time, no instruction ran',
  );
  expect(text).not.toContain('command');
});

test('where kernels were launched one by one, the time between them is not shown', async () => {
  const text = await shownText('off');
  expect(text).toContain('The times from call to result are without the profiler.');
  expect(text).not.toContain('from first to last instruction');
});

test('where command buffers hide instructions, it is said how to see them', async () => {
  const text = await shownText('hide');
  expect(text).toContain('from first to last instruction');
  expect(text).toContain('jaxviz.profile compiles the program without them.');
});

/** The origin of a NaN: its sentences, and what is selected and bright. */
import { expect, test, vi } from 'vitest';
import type { NanOrigin, NanOrigins } from '../../../src/schema';
import { golden } from '../../fixtures';
import { click, host, mounted, texts } from '../../page';

const NAN: NanOrigin = {
  kind: 'NaN',
  at: '1',
  to: 'out0',
  argument: null,
  op: 'log',
  constant: false,
  graph: 0,
  eqn: 1,
  frame: null,
  backward: false,
  around: [],
  index: [2],
  type: 'f32[3]',
  one_of: 1,
  device: null,
  result: 'result',
  hidden: null,
  others: false,
};
const report = (...origins: NanOrigin[]): NanOrigins => ({
  tool: 'find_nan',
  origins,
  left_out: [],
  run_again: false,
});
const shown = async (...origins: NanOrigin[]) => {
  await mounted(golden('lesson'), { report: report(...origins) });
  await vi.waitUntil(() => host.querySelector('.jxv-line-table'));
  return texts('.jxv-line-table p')[0];
};

test('a NaN is named with its op and its first element', async () => {
  expect(await shown(NAN)).toBe(
    'A NaN comes from log. It reached result. The first one in its f32[3] is element [2].',
  );
});

test('a constant is named by the eqn that takes it, or by the function that returns it', async () => {
  expect(await shown({ ...NAN, constant: true })).toBe(
    'A NaN comes from a constant of log. It reached result.',
  );
  const returned = { ...NAN, op: '', constant: true, at: 'out0', index: [], graph: -1, eqn: -1 };
  expect(await shown(returned)).toBe(
    'A NaN is a constant that the function returns. It reached result.',
  );
});

test('the origin that is chosen is the one that is shown', async () => {
  await shown(NAN, { ...NAN, kind: 'infinity', at: '0', result: 'the loss' });
  const buttons = [...host.querySelectorAll<HTMLButtonElement>('.jxv-line-table button')];
  const pressed = () => buttons.map((one) => one.getAttribute('aria-pressed'));
  expect(pressed()).toEqual(['true', 'false']);
  await click(buttons[1]!);
  expect(pressed()).toEqual(['false', 'true']);
});

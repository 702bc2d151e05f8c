import { act } from 'preact/test-utils';
import { beforeEach, expect, test } from 'vitest';
import type { Program } from '../src/schema';
import { golden } from './fixtures';
import { host, mounted, one } from './page';
import { until } from './until';

let asked: number;

beforeEach(() => {
  asked = 0;
});

/** Shows a program whose cell showed another one before; the kernel answers with `comparison`. */
async function show(program: Program, change: string, comparison: () => Promise<Program>) {
  const compared = () => {
    asked += 1;
    return comparison();
  };
  await mounted(program, { earlier: { change, compared } });
  if (change !== '') await until(() => line() !== undefined);
}

const line = () => one('.jxv-since')?.textContent;
const press = () => act(async () => one('.jxv-since button').click());
const replaced = () => Promise.resolve(golden('compared/replaced'));

test('nothing is said where nothing is known to differ', async () => {
  await show(golden('lesson'), '', replaced);
  expect([line(), asked]).toEqual([undefined, 0]);
});

test('an edit that changed no program is reported without asking the kernel', async () => {
  await show(golden('lesson'), 'same', replaced);
  expect([line(), asked]).toEqual(['The same program as in the last run', 0]);
});

test('the change is reported in one line, which leads to the comparison and back', async () => {
  await show(golden('lesson'), 'changed', replaced);
  expect(line()).toBe('1 added, 1 removed since the last runshow');
  expect(host.querySelector('.jxv-compared')).toBeNull();
  await press();
  expect(host.querySelector('.jxv-compared')).not.toBeNull();
  expect(line()).toBe('What changed since the last runback to the program');
  await press();
  expect(host.querySelector('.jxv-compared')).toBeNull();
  expect(asked).toBe(1);
});

test('programs that turn out to be the same are not compared', async () => {
  await show(golden('lesson'), 'changed', () => Promise.resolve(golden('compared/same')));
  expect(line()).toBe('The same program as in the last run');
});

test('a large program is compared when that is asked for, and a failure is reported then', async () => {
  const { stages, ...rest } = golden('lesson');
  const [jaxpr] = stages as [Program['stages'][0]];
  const eqns = Array.from({ length: 500 }, () => jaxpr.graphs[0]!.eqns[0]!);
  const large = {
    ...rest,
    stages: [{ ...jaxpr, graphs: [...jaxpr.graphs, { ...jaxpr.graphs[0]!, eqns }] }],
  };
  await show(large, 'changed', () => Promise.reject(new Error('The kernel is gone.')));
  expect([line(), asked]).toEqual(['Changed since the last runshow', 0]);
  await press();
  expect([line(), asked]).toEqual(['The kernel is gone.show', 1]);
});

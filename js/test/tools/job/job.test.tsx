/** The programs of a job: one at a time, by the processes that hold them. */
import { expect, test, vi } from 'vitest';
import { reportIn } from '../../../src/facts/reports';
import type { Job } from '../../../src/schema';
import { golden, SENT } from '../../fixtures';
import { button, click, host, mounted, texts } from '../../page';

const JOB: Job = {
  tool: 'agree',
  text: '',
  agreement: null,
  held: [
    { processes: [0, 2], differs: '', program: SENT.get('lesson')! },
    { processes: [1], differs: 'their eqns differ', program: null },
    { processes: [3], differs: 'their jaxprs differ', program: '' },
    { processes: Array.from({ length: 1020 }, (_, at) => at + 4), differs: '', program: '' },
  ],
};

test('the switch shows the program of each process, first how one differs', async () => {
  await mounted(golden('compared/replaced'), { report: JOB });
  await vi.waitUntil(() => host.querySelector('.jxv-processes'));
  expect(texts('.jxv-processes [role=tab]')).toEqual([
    'processes 0, 2',
    'process 1',
    'process 3',
    '1,020 processes (4, 5, …)',
  ]);
  expect(host.querySelector('.jxv-compared')).not.toBeNull();
  await click(button('process 3'));
  expect(texts('.jxv-alone')).toEqual(['their jaxprs differ']);
  await click(button('1,020 processes (4, 5, …)'));
  expect(texts('.jxv-alone')).toEqual(['It is too large to save here.']);
  await click(button('processes 0, 2'));
  await vi.waitUntil(() => host.querySelector('[aria-label="JAX program lesson"]'));
  expect(host.querySelector('.jxv-compared')).toBeNull();
  expect(button('processes 0, 2').getAttribute('aria-selected')).toBe('true');
});

test('where all hold the same, a saved report has its text alone', async () => {
  const report: Job = { ...JOB, held: [], text: '4 processes hold the same program of f.' };
  await mounted(golden('lesson'), { report });
  await vi.waitUntil(() => host.querySelector('.jxv-agreement'));
  expect(host.textContent).toBe(report.text);
});

test('a record that is not whole is not read', () => {
  expect(reportIn(JOB)).toBe(JOB);
  expect(reportIn({ ...JOB, held: [] })).toBeNull();
  expect(reportIn({ ...JOB, held: [{ processes: ['0'], differs: '', program: '' }] })).toBeNull();
});

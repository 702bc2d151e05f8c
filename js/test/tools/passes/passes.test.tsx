import { act } from 'preact/test-utils';
import { expect, test } from 'vitest';
import { kindAfter, plainKind } from '../../../src/facts/kinds';
import type { Passes, Program } from '../../../src/schema';
import type { Kernel } from '../../../src/state/kernel-requests';
import { passOf, passText } from '../../../src/tools/passes/words';
import { linkedProgram } from '../../linked-program';

import { all, button, click, host, mounted, one, tab, texts } from '../../page';
import { until } from '../../until';

const PASSES: Passes = {
  tool: 'passes',
  before: 9,
  passes: [
    {
      pipeline: 'simplification',
      name: 'algsimp',
      instructions: 7,
      ops: [{ op: 'multiply', before: 3, after: 1 }],
      gone: [1],
    },
    { pipeline: 'after scheduling', name: '', instructions: 7, ops: [], gone: [] },
  ],
  unnamed: [2],
  constants: null,
};

test('an eqn went where it was named last', () => {
  expect([0, 1, 2].map((eqn) => passOf(PASSES, eqn))).toEqual([null, 1, 0]);
  expect(passText(PASSES, [1])).toBe('none: folded, removed or renamed by XLA: algsimp (1)');
  expect(passText(PASSES, [1, 2])).toMatch(/algsimp \(1\), before the first pass$/);
  expect(passText(PASSES, [0, 1])).toBe('');
  expect(passText(PASSES, [])).toBe('');
});

test('the program after a pass is HLO under a name of its own', () => {
  expect([kindAfter(3), 'hlo', 'jaxpr'].map(plainKind)).toEqual(['hlo', 'hlo', 'jaxpr']);
});

const whole = linkedProgram();
const after = { ...whole, stages: whole.stages.filter(({ kind }) => kind === 'hlo') };
const marks = [{ eqn: 0, kind: 'removed', before: '', after: '' }];
const compared = { before: 'a', after: 'b', inputs: [], marks, unknown: [] };
const changes: Program = { ...after, compared };

function kernel(reported: Passes, asked: unknown[] = []): Kernel {
  return {
    stage: async () => after,
    request: async ({ fields }) => {
      asked.push(fields);
      if ('passes' in fields) return (fields.passes ? PASSES : reported) as never;
      return ('after' in fields ? after : changes) as never;
    },
  };
}

const shown = () => one('.jxv-passes-shown')?.textContent ?? '';

test('the last pass is shown first; another, and what it changed, when they are chosen', async () => {
  const asked: unknown[] = [];
  await mounted(linkedProgram(['jaxpr']), { kernel: kernel(PASSES, asked) });
  await click(tab('Passes'));
  await until(() => shown().includes('between passes'));
  expect(texts('.jxv-passes tr')[1]).toContain('no longer named: tanh multiply −2');
  await click(button('algsimp'));
  await until(() => shown().includes('algsimp'));
  expect(one('[role=tabpanel]').getAttribute('aria-label')).toBe('pass 1');
  await click(button('changes'));
  await until(() => host.querySelector('.jxv-compared') !== null);
  expect(one('.jxv-compared').textContent).toContain('1 removed');
  expect(asked).toEqual([{ passes: false }, { after: 2 }, { after: 1 }, { changes: 1 }]);
});

test('constants are written only once the reader agrees', async () => {
  const asking = { ...PASSES, passes: [], constants: 4000 };
  await mounted(linkedProgram(['jaxpr']), { kernel: kernel(asking) });
  await click(tab('Passes'));
  await until(() => host.textContent?.includes('3.9 KiB of constants'));
  expect(all('.jxv-passes')).toEqual([]);
  await click(button('Agree, and compile once more'));
  await until(() => shown().includes('between passes'));
});

test('passes that are reported are listed without a kernel, and the programs are not offered', async () => {
  await mounted(linkedProgram(['jaxpr']), { report: PASSES, kernel: null });
  await until(() => host.querySelector('.jxv-passes'));
  expect(tab('Passes').getAttribute('aria-selected')).toBe('true');
  expect(texts('.jxv-passes tr')[1]).toContain('algsimp');
  expect(all('.jxv-passes button')).toHaveLength(0);
});

test('where no kernel is there is no such tab', async () => {
  await act(() => mounted(linkedProgram()));
  expect(texts('.jxv-tab')).not.toContain('Passes');
});

import { act } from 'preact/test-utils';
import { beforeAll, expect, test } from 'vitest';
import type { Opening } from '../src/schema';
import { firstView } from '../src/state/first-view';
import type { Kernel } from '../src/state/kernel-requests';
import {
  DEFAULT_PREFERENCES,
  type PreferenceSource,
  type Preferences,
  preferencesIn,
} from '../src/state/preferences';
import { start, update } from '../src/state/view-state';
import { rowsOf } from '../src/words/outline-rows';
import { english, stageOf } from './fixtures';
import { linkedProgram } from './linked-program';
import { log } from './logs';
import { mountedLog, readLogCode } from './mounted-log';
import { NO_REQUESTS } from './no-requests';
import { click, host, leave, mounted, one, row, tab } from './page';
import { until } from './until';

beforeAll(readLogCode);

function preferring(first: Partial<Preferences>) {
  let now: Preferences = { ...DEFAULT_PREFERENCES, ...first };
  const heard = new Set<() => void>();
  const held: PreferenceSource = {
    ready: Promise.resolve(),
    now: () => now,
    follow: (changed) => heard.add(changed),
  };
  const prefer = (next: Partial<Preferences>) => {
    now = { ...now, ...next };
    act(() => {
      for (const changed of heard) changed();
    });
  };
  return { held, prefer };
}

interface Shown {
  prefers: Partial<Preferences>;
  opening?: Opening;
  kernel?: Kernel | null;
}

async function show({ prefers, opening = {}, kernel = null }: Shown): Promise<void> {
  const { held } = preferring(prefers);
  await mounted(linkedProgram(['jaxpr']), { opening, kernel, preferring: held });
}

const shownTab = () => one('.jxv-tab[aria-selected=true]')?.textContent;

test('what is no preference is as by default', () => {
  expect(preferencesIn(undefined)).toEqual(DEFAULT_PREFERENCES);
  expect(preferencesIn({ boxes: 'many', stage: 3, motion: {}, details: 1 })).toEqual(
    DEFAULT_PREFERENCES,
  );
  expect(preferencesIn({ boxes: 0 })).toEqual(DEFAULT_PREFERENCES);
  const chosen = { boxes: 30, stage: 'hlo', motion: 'still', details: 'inspector' };
  const ignored = ['upcast', 3];
  expect(preferencesIn({ ...chosen, ignored, watchAtStart: true })).toEqual({
    opening: { boxes: 30, stage: 'hlo' },
    motion: 'still',
    details: 'inspector',
    ignored: ['upcast'],
  });
});

test('details stand beside the graph, or wait in the inspector', async () => {
  const details = () => host.querySelector('.jxv-side > .jxv-details');
  const select = () => click(one('[role=treeitem]'));
  await show({ prefers: { details: 'inspector' } });
  select();
  expect(details()).toBeNull();
  leave();
  await show({ prefers: {} });
  select();
  expect(details()).not.toBeNull();
});

test('findings of an ignored kind are shown nowhere', async () => {
  const page = { en: '# An unexpected upcast\n\nIt is wide.\n', ko: '' };
  const base = {
    what: english('it is wide'),
    cost: english('twice the bytes'),
    fix: english('make it narrow'),
    page,
  };
  const found = { ...base, kind: 'upcast', at: null, eqns: [0, 1, 2, 3], names: [], bytes: 8 };
  const program = { ...linkedProgram(['jaxpr']), findings: [found] };
  const { held, prefer } = preferring({ ignored: ['upcast'] });
  await mounted(program, { preferring: held });
  click(row('dot_general'));
  expect(host.textContent).not.toMatch(/finding|stray/);
  prefer({ ignored: [] });
  expect(host.textContent).toMatch(/1 finding/);
  expect(host.querySelector('.jxv-details')?.textContent).toContain('An unexpected upcast');
});

test('a graph opens with as many boxes as are preferred', () => {
  const step = stageOf('train_step');
  const boxes = (most: number) =>
    rowsOf(step, firstView(step, null, undefined, { boxes: most }).open).length;
  expect(boxes(10)).toBeLessThan(boxes(60));
  const state = start(step, null, { boxes: 10 });
  const view = { width: 2000, height: 2000 };
  expect(update(state, { type: 'view', view }).open).toEqual(state.open);
});

test('the preferred stage is made, unless another one was asked for', async () => {
  const asked: string[] = [];
  const kernel: Kernel = {
    ...NO_REQUESTS,
    stage: async (kind) => {
      asked.push(kind);
      return { ...linkedProgram(), stages: linkedProgram([kind]).stages };
    },
  };
  await show({ prefers: { opening: { stage: 'hlo' } }, kernel });
  expect([shownTab(), asked]).toEqual(['HLO', ['hlo']]);
  leave();
  await show({ prefers: { opening: { stage: 'hlo' } }, kernel, opening: { stage: 'jaxpr' } });
  expect([shownTab(), asked]).toEqual(['Jaxpr', ['hlo']]);
});

test('where no kernel can make it the jaxpr is seen', async () => {
  await show({ prefers: { opening: { stage: 'hlo' } } });
  expect(shownTab()).toBe('Jaxpr');
  leave();
  const kernel: Kernel = {
    ...NO_REQUESTS,
    stage: () => Promise.reject(new Error('There is no kernel.')),
  };
  await show({ prefers: { opening: { stage: 'hlo' } }, kernel });
  await until(() => shownTab() === 'Jaxpr');
  click(tab('HLO'));
  await until(() => host.querySelector('.jxv-waiting')?.textContent?.includes('no kernel'));
  expect(shownTab()).toBe('HLO');
});

test('motion ends at once', async () => {
  const { held, prefer } = preferring({});
  await mountedLog(Promise.resolve(log({ running: true })), { preferring: held });
  expect(host.querySelector('.jxv-motionless')).toBeNull();
  prefer({ motion: 'still' });
  expect(host.querySelector('.jxv-motionless .jxv-log-running')).not.toBeNull();
});

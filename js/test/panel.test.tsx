/** The panel: what to do first, lists, and the programs opened from them. */
import { act } from 'preact/test-utils';
import { beforeEach, describe, expect, test } from 'vitest';
import { mountPanel } from '../src/panel/panel-view';
import type { Program } from '../src/schema';
import { SOURCE, type SourceEvent } from '../src/shell/parts/host-events';
import type { OnProgress } from '../src/state/kernel-requests';
import type { Followed, KernelState } from '../src/state/panel/panel-state';
import { golden } from './fixtures';
import { counted, event, FRAME, log } from './logs';
import { NO_REQUESTS } from './no-requests';
import { all, ending, host, one, press as pressKey, texts, type } from './page';
import { capture, followed, NO_ANSWER, panel } from './panels';

let update: (followed: Followed | null) => void;

beforeEach(() => {
  act(() => {
    update = mountPanel(host, ending.signal);
  });
});

const show = (own: Partial<Followed> | null) =>
  act(async () => update(own === null ? null : followed(own)));
const button = (name: string | RegExp): HTMLButtonElement =>
  all('button').find((one) =>
    typeof name === 'string' ? one.textContent === name : name.test(one.textContent ?? ''),
  ) as HTMLButtonElement;
const press = (one: HTMLElement) =>
  act(async () => void one.dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 1 })));
const rows = () => all('.jxv-panel-row');
const lines = () => texts('pre');

describe('what to do first', () => {
  const reported = panel({ log: log({ functions: [] }), watching: false });

  test('nothing is open', () => {
    expect(host.textContent).toMatch(/^Open a notebook or a console/);
  });

  test.each<[string, KernelState, RegExp, string[]]>([
    ['there is no kernel', { is: 'none' }, /no kernel: choose or start one/, []],
    ['it does not answer yet', { is: 'waiting' }, /Asking the kernel/, []],
    [
      'jaxviz is not installed',
      { is: 'absent', reason: 'jaxviz is not installed here.' },
      /jaxviz is not installed here\./,
      ['%pip install jupyterlab-jaxviz', '%load_ext jaxviz'],
    ],
    ['jaxviz is not loaded', { is: 'unloaded' }, /has not loaded jaxviz/, ['%load_ext jaxviz']],
    ['it failed', { is: 'failed', reason: '<b>No.</b>' }, /<b>No\.<\/b>/, []],
    [
      'nothing happened',
      { is: 'reported', panel: reported },
      /Nothing was captured or traced yet/,
      ['%jaxviz loss(params, x)'],
    ],
    [
      'it is watched',
      { is: 'reported', panel: { ...reported, watching: true } },
      /from now on is listed here/,
      ['%jaxviz loss(params, x)'],
    ],
  ])('%s', async (_, kernel, says, typed) => {
    await show({ kernel });
    expect(host.textContent).toMatch(says);
    expect(lines()).toEqual(typed);
  });
});

test('functions say how often, how long, where and why', async () => {
  await show({});
  expect(texts('.jxv-panel-row')).toEqual([
    'step500 ms3 traces (2 retraces)2 compilescell 3, line 1' +
      'shapex: f32[8→5, 32]if this is a smaller last batch, pad it to the size of the others, or drop it',
  ]);
});

test('names are text', async () => {
  const name = '<img src=x onerror=alert(1)>';
  const reported = panel({
    log: log({ functions: [counted({ name })], events: [event({ name })] }),
    captures: [capture({ name })],
  });
  await show({ title: name, kernel: { is: 'reported', panel: reported } });
  await press(button('Events'));
  expect(host.textContent).toContain(name);
  expect(host.querySelector('img')).toBeNull();
});

test('watching is turned on and off, and what that fails at is said', async () => {
  const asked: boolean[] = [];
  const watch = async (on: boolean) => {
    asked.push(on);
    throw new Error('The kernel was restarted.');
  };
  await show({ watch });
  await press(button('Watching'));
  expect(asked).toEqual([false]);
  expect(host.querySelector('[role=alert]')?.textContent).toBe('The kernel was restarted.');
});

describe('a program', () => {
  let asked: (number | number[])[];
  let done: (program: Program) => void;
  const answer = (what: number | number[], signal: AbortSignal): Promise<Program> => {
    asked.push(what);
    return new Promise((resolve, reject) => {
      done = resolve;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  const kernel = {
    ...NO_ANSWER,
    program: (number: number, _: OnProgress, signal: AbortSignal) => answer(number, signal),
    compared: (a: number, b: number, _: OnProgress, signal: AbortSignal) => answer([a, b], signal),
  };

  beforeEach(() => {
    asked = [];
  });

  test('of a function is that of its latest trace; the way back leads to the list', async () => {
    await show({ log: kernel });
    await press(button(/^step/));
    expect(asked).toEqual([3]);
    await act(async () => done(golden('lesson')));
    expect(host.querySelector('.jxv-opened .jxv-graph')).not.toBeNull();
    await press(button('← Functions'));
    expect(rows()).toHaveLength(1);
  });

  test('of an event, and its line in the notebook; compared with the one before', async () => {
    const sources: SourceEvent[] = [];
    host.addEventListener(SOURCE, (event) => sources.push((event as CustomEvent).detail));
    await show({ log: kernel });
    await press(button('Events'));
    await press(rows()[0]!.querySelector('button')!);
    expect(sources).toMatchObject([{ cell: FRAME.cell, line: FRAME.line }]);
    expect(asked).toEqual([3]);
    await press(button('Compare with the one before'));
    expect(asked).toEqual([3, [2, 3]]);
    await press(button('Only the later one'));
    expect(asked).toEqual([3, [2, 3], 3]);
  });

  test('two that are chosen are compared', async () => {
    await show({ log: kernel });
    await press(button('Events'));
    await press(rows()[0]!.querySelector('button')!);
    await press(button('Compare with…'));
    expect(host.querySelector('[role=status]')?.textContent).toMatch(/Choose what to compare/);
    await press(rows()[2]!.querySelector('button')!);
    expect(asked.at(-1)).toEqual([1, 3]);
  });

  test('stays open while more happens, and is not asked for again', async () => {
    await show({ log: kernel });
    await press(button(/^step/));
    await act(async () => done(golden('lesson')));
    const view = host.querySelector('.jxv-graph');
    const more = log({ functions: [counted({ traces: 9 })], events: [event({ number: 3 })] });
    await show({ log: kernel, kernel: { is: 'reported', panel: panel({ log: more }) } });
    expect(host.querySelector('.jxv-graph')).toBe(view);
    expect(asked).toEqual([3]);
  });

  test('that a cell shows is asked for whole, with its later stages', async () => {
    const stages: string[] = [];
    const stage = async (kind: string) => {
      stages.push(kind);
      return golden('lesson');
    };
    const keys: string[] = [];
    const reported = panel({ captures: [capture({})] });
    await show({
      kernel: { is: 'reported', panel: reported },
      capture: (key) => {
        keys.push(key);
        return { ...NO_REQUESTS, stage };
      },
    });
    await press(button(/captured in cell 5, 13 eqns/));
    await act(async () => {});
    expect([keys, stages]).toEqual([['k'], ['jaxpr']]);
    expect(texts('[role=tab]')).toContain('StableHLO');
  });
});

test('each notebook is looked at as it was left', async () => {
  await show({ id: 'a' });
  await press(button('Events'));
  await show({ id: 'b' });
  expect(button('Functions').getAttribute('aria-selected')).toBe('true');
  await show({ id: 'a' });
  expect(button('Events').getAttribute('aria-selected')).toBe('true');
});

test('each list is walked by keyboard, and Tab leads to where it was', async () => {
  const functions = ['c', 'b', 'a'].map((name, at) => counted({ name, seconds: 9 - at }));
  await show({ kernel: { is: 'reported', panel: panel({ log: log({ functions }) }) } });
  const openers = () => all('.jxv-panel-open');
  const at = () => openers().map(({ tabIndex }) => tabIndex);
  const key = (name: string) => act(async () => pressKey(document.activeElement as Element, name));
  expect(at()).toEqual([0, -1, -1]);
  await act(async () => openers()[0]?.focus());
  await key('End');
  expect([document.activeElement, at()]).toEqual([openers()[2], [-1, -1, 0]]);
  await key('ArrowUp');
  expect(document.activeElement).toBe(openers()[1]);
  await key('ArrowDown');
  await key('ArrowDown');
  expect(document.activeElement).toBe(openers()[2]);
  await key('Home');
  expect(at()).toEqual([0, -1, -1]);
});

test('the focus goes into a program, and by Escape back to its row', async () => {
  await show({});
  await press(button('Events'));
  const second = () => rows()[1]?.querySelector('button');
  await act(async () => second()?.focus());
  await press(second()!);
  const opened = one('.jxv-panel-opened');
  expect(document.activeElement).toBe(opened);
  await act(async () => pressKey(opened, 'Escape'));
  expect(document.activeElement).toBe(second());
});

test('a trace that failed says so, and asks for no program', async () => {
  const asked: number[] = [];
  const failed = event({ number: 1, error: 'TracerBoolConversionError', reason: [] });
  await show({
    kernel: {
      is: 'reported',
      panel: panel({ log: log({ functions: [counted({})], events: [failed] }) }),
    },
    log: {
      ...NO_ANSWER,
      program: (number) => {
        asked.push(number);
        return new Promise(() => {});
      },
    },
  });
  await press(button('Events'));
  expect(rows()[0]?.textContent).toContain('ended by TracerBoolConversionError');
  await press(rows()[0]!.querySelector('button')!);
  expect(host.textContent).toContain('The trace failed: there is no program');
  expect(asked).toEqual([]);
});

test('events that are read stay while more come, until the newest are asked for', async () => {
  const events = [1, 2, 3, 4].map((number) => event({ number, start: number, kind: 'lower' }));
  const panelWith = (count: number) =>
    ({ is: 'reported', panel: panel({ log: log({ events: events.slice(0, count) }) }) }) as const;
  await show({ kernel: panelWith(2) });
  await press(button('Events'));
  await act(async () => rows()[1]?.querySelector('button')?.focus());
  await show({ kernel: panelWith(4) });
  expect(rows().map(({ dataset }) => dataset.row)).toEqual(['2', '1']);
  await press(button('↑ 2 new'));
  expect(rows().map(({ dataset }) => dataset.row)).toEqual(['4', '3', '2', '1']);
});

test('what nothing matches is said, and can be undone', async () => {
  await show({});
  await act(async () => type('nothing'));
  expect(rows()).toEqual([]);
  expect(host.textContent).toContain('No name, file or cell contains “nothing”.');
  await press(button('Show all'));
  expect(rows()).toHaveLength(1);
});

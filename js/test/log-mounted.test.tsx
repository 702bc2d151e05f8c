/** A log in an element: on its way, growing, as one line that opens, and what is asked for in it. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import type { WantedEvents } from '../src/facts/events/log-events';
import { LogProgram } from '../src/log/log-program';
import type { LogSource } from '../src/log/mounted-log';
import type { Log, Program } from '../src/schema';
import { mountLog } from '../src/shell';
import { LINES, type LinesEvent } from '../src/shell/parts/host-events';
import type { LogKernel, OnProgress } from '../src/state/kernel-requests';
import { english, golden } from './fixtures';
import { afterPaint } from './layout';
import { cause, counted, event, FRAME, log } from './logs';
import { mountedLog, readLogCode } from './mounted-log';
import { button, click, ending, host, one, press, row } from './page';
import { until } from './until';

beforeAll(readLogCode);

let update: (log: Promise<Log>) => void;

const TRACES = log({
  functions: [counted({ traces: 3, retraces: 2 })],
  events: [1, 2, 3].map((number) => event({ number, again: number > 1 })),
  causes: [cause({ first: 2, last: 3, times: 2 })],
});

async function show(source: Partial<LogSource>): Promise<void> {
  update = await mountedLog(Promise.resolve(TRACES), source);
}

const grow = (next: Promise<Log>) =>
  act(async () => {
    update(next);
    await next.catch(() => {});
  });

describe('findings of a log', () => {
  const found = [
    {
      kind: 'frozen-value',
      what: english('`f`, if called, still uses `scale = 2.0`'),
      cost: english(''),
      fix: english('pass it as an argument'),
      page: { en: '# Frozen\n\nWhy.\n', ko: '# 고정\n\n이유.\n' },
      at: FRAME,
      eqns: [],
      names: ['scale'],
      bytes: null,
      is_note: false,
    },
  ];

  test('replace the line of a log without retraces', async () => {
    await mountedLog(Promise.resolve(log({ findings: found })), { strip: true });
    expect(one('.jxv-finding-lines').textContent).toContain('f, if called, still uses');
    expect(host.querySelector('.jxv-strip-line')).toBeNull();
  });

  test('are above the line of one with retraces', async () => {
    await mountedLog(Promise.resolve({ ...TRACES, findings: found }), { strip: true });
    expect(host.querySelectorAll('.jxv-finding-lines, .jxv-strip-line')).toHaveLength(2);
  });
});

describe('on its way', () => {
  test('one line says so', async () => {
    act(() => {
      mountLog(host, { log: new Promise(() => {}), strip: false, kernel: null }, ending.signal);
    });
    expect(host.textContent).toBe('Reading the log…');
  });

  test('a failure is one sentence in place, as text', async () => {
    await show({ log: Promise.reject(new Error('<b>It is damaged.</b>')) });
    expect(host.textContent).toBe('jaxviz cannot show this log. <b>It is damaged.</b>');
  });

  test('once the signal has aborted there is nothing, and newer logs stay away', async () => {
    await show({});
    act(() => ending.abort());
    expect(host.textContent).toBe('');
    await grow(Promise.resolve(TRACES));
    expect(host.textContent).toBe('');
  });
});

describe('as one line under a cell', () => {
  test('it says what was retraced, opens and closes', async () => {
    await show({ strip: true });
    const line = one('.jxv-strip-line');
    expect(line.textContent).toBe(
      '⟳step retraced, 2 times: x: f32[8→5, 32] · 400 ms' +
        ' — if this is a smaller last batch, pad it to the size of the others, or drop it▸',
    );
    expect(line.getAttribute('aria-expanded')).toBe('false');
    expect(host.querySelector('.jxv-log')).toBeNull();
    click(line);
    expect(line.getAttribute('aria-expanded')).toBe('true');
    expect(host.querySelector('.jxv-log')).not.toBeNull();
    click(line);
    expect(one('.jxv-log').closest('[hidden]')).not.toBeNull();
  });

  test('opened anew it is as it was left', async () => {
    await show({ strip: true });
    click(one('.jxv-strip-line'));
    click(one('.jxv-cause-button'));
    const selected = one('.jxv-event').textContent;
    click(one('.jxv-strip-line'));
    click(one('.jxv-strip-line'));
    expect(one('.jxv-log').closest('[hidden]')).toBeNull();
    expect(one('.jxv-event').textContent).toBe(selected);
  });

  test('many of them are no landmarks of one name', async () => {
    await show({});
    expect(one('[aria-label="What JAX traced"]').getAttribute('role')).toBe('group');
  });

  test('it is as open with a newer log as it was', async () => {
    await show({ strip: true });
    click(one('.jxv-strip-line'));
    await grow(Promise.resolve(log({ ...TRACES, functions: [counted({ retraces: 7 })] })));
    expect(one('.jxv-strip-line').textContent).toContain('7 times');
    expect(one('.jxv-strip-line').getAttribute('aria-expanded')).toBe('true');
  });

  test('names are text', async () => {
    const functions = [counted({ name: '<img src=x onerror=alert(1)>' })];
    await show({ strip: true, log: Promise.resolve(log({ ...TRACES, functions })) });
    expect(one('.jxv-strip-who').textContent).toBe('<img src=x onerror=alert(1)>');
    expect(host.querySelector('img')).toBeNull();
  });
});

test('a newer log is not overtaken by one that was sent before', async () => {
  await show({ strip: true });
  let late: (log: Log) => void = () => {};
  const older = new Promise<Log>((done) => {
    late = done;
  });
  act(() => update(older));
  await grow(Promise.resolve(log({ ...TRACES, functions: [counted({ retraces: 9 })] })));
  await act(async () => late(log({ ...TRACES, functions: [counted({ retraces: 8 })] })));
  expect(host.textContent).toContain('9 times');
});

/** A kernel whose answers a test gives. */
class Held implements LogKernel {
  asked: (number | [number, number])[] = [];
  onProgress: OnProgress = () => {};
  done: (program: Program) => void = () => {};
  failed: (reason: unknown) => void = () => {};

  program(number: number, onProgress: OnProgress, signal: AbortSignal): Promise<Program> {
    return this.#ask(number, onProgress, signal);
  }

  measured(): Promise<never> {
    return new Promise(() => {});
  }

  compared(
    before: number,
    after: number,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Program> {
    return this.#ask([before, after], onProgress, signal);
  }

  #ask(
    what: number | [number, number],
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<Program> {
    this.asked.push(what);
    this.onProgress = onProgress;
    return new Promise((done, failed) => {
      Object.assign(this, { done, failed });
      signal.addEventListener('abort', () => failed(signal.reason));
    });
  }
}

describe('what is asked for', () => {
  const kernel = () => new Held();
  let close: () => void;

  async function ask(held: Held, wanted: WantedEvents): Promise<void> {
    close = vi.fn();
    await act(async () => {
      render(
        <LogProgram log={TRACES} wanted={wanted} kernel={held} takesFocus close={close} />,
        host,
      );
    });
    ending.signal.addEventListener('abort', () => render(null, host));
  }

  test('the program of a trace, which has no other stages', async () => {
    const held = kernel();
    await ask(held, { event: 3 });
    expect(held.asked).toEqual([3]);
    expect(one('.jxv-opened-name').textContent).toBe('step · retrace 2 of 2');
    expect(one('[role=status]').textContent).toBe('asking the kernel');
    act(() => held.onProgress('waiting for the kernel', 2));
    expect(one('.jxv-waiting').textContent).toBe('waiting for the kernel · 2 sStop');
    await act(async () => held.done(golden('lesson')));
    expect(one('section.jxv').getAttribute('aria-label')).toBe('JAX program lesson');
    expect(host.querySelector('[role=tab][aria-selected][aria-disabled]')).toBeNull();
  });

  test('what differs between two', async () => {
    const held = kernel();
    await ask(held, { before: 2, after: 3 });
    expect(held.asked).toEqual([[2, 3]]);
    expect(one('.jxv-opened-name').textContent).toBe(
      'step · compared: retrace 1 of 2 → retrace 2 of 2',
    );
  });

  test('a failure is a sentence, and it may be asked for anew', async () => {
    const held = kernel();
    await ask(held, { event: 2 });
    await act(async () => held.failed(new Error('The kernel has <b>ended</b>.')));
    expect(one('.jxv-reason').textContent).toBe('The kernel has <b>ended</b>.');
    await act(async () => button('Try again').click());
    expect(held.asked).toEqual([2, 2]);
    await act(async () => button('Stop').click());
    expect(one('.jxv-reason').textContent).toBe('Stopped.');
  });

  test('who asks for another no longer hears of the first', async () => {
    const held = kernel();
    await ask(held, { event: 1 });
    const { failed } = held;
    await ask(held, { event: 2 });
    await act(async () => failed(new Error('The first has failed.')));
    expect(one('.jxv-waiting').textContent).toContain('asking the kernel');
  });

  test('the focus goes into it, and back to where it was asked for', async () => {
    await show({ kernel: kernel() });
    const grid = one('.jxv-log [tabindex="0"]');
    grid.focus();
    press(grid, 'ArrowRight');
    press(grid, 'Enter');
    expect(document.activeElement).toBe(one('.jxv-opened'));
    act(() => button('Close').focus());
    click(button('Close'));
    expect(host.querySelector('.jxv-opened')).toBeNull();
    expect(document.activeElement).toBe(grid);
  });

  test('the button and Escape close it', async () => {
    await ask(kernel(), { event: 1 });
    click(button('Close'));
    press(button('Close'), 'Escape');
    expect(close).toHaveBeenCalledTimes(2);
  });

  test('its marks in the notebook go with it', async () => {
    const held = kernel();
    const program = golden('lesson');
    const [stage] = program.stages;
    const frames = stage?.frames.map((frame) => ({ ...frame, cell: 'c7', count: 3 }));
    const stages = [{ ...stage, frames }] as Program['stages'];
    await ask(held, { event: 1 });
    await act(async () => held.done({ ...program, stages }));
    await act(afterPaint);
    const marked: LinesEvent['lines'][] = [];
    host.addEventListener(LINES, (event) => {
      marked.push((event as CustomEvent<LinesEvent>).detail.lines);
    });
    click(await until(() => row('sin')));
    expect(marked).toEqual([[{ cell: 'c7', line: frames?.[1]?.line }]]);
    act(() => render(null, host));
    expect(marked.slice(1)).toEqual([[]]);
  });
});

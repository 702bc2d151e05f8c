/** A log beside its timeline: its head, why again, and what was compiled op by op. */
import { act } from 'preact/test-utils';
import { describe, expect, test, vi } from 'vitest';
import { english } from './fixtures';
import { training } from './log-samples';
import { cause, counted, event, FRAME, log } from './logs';
import { all, click, host, one } from './page';
import { announced, keys, show, text } from './shown-log';

describe('the head', () => {
  test('is what it comes to', () => {
    show(training);
    expect(text('.jxv-log-totals')).toBe(
      '2 functions · 4 traces (2 retraces)compiling 520 ms of 1.6 s',
    );
  });

  test('tells what ended it, and what could not be had', () => {
    show({ ...training, error: 'KeyboardInterrupt', notes: [english('Calls were not counted.')] });
    expect(text('.jxv-log-error')).toBe('interrupted');
    expect(text('.jxv-note')).toBe('Calls were not counted.');
  });

  test('counts on while it runs and a kernel stands behind it', () => {
    vi.useFakeTimers();
    show({ ...training, running: true });
    expect(text('.jxv-log-running')).toBe('running');
    act(() => void vi.advanceTimersByTime(3000));
    expect(text('.jxv-log-totals')).toContain('of 4.6 s');
    show(training);
    act(() => void vi.advanceTimersByTime(3000));
    expect(text('.jxv-log-totals')).toContain('of 1.6 s');
    expect(text('.jxv-log-running')).toBeNull();
    show({ ...training, running: true }, false);
    act(() => void vi.advanceTimersByTime(3000));
    expect(text('.jxv-log-totals')).toContain('of 1.6 s');
    expect(text('.jxv-log-running')).toBe('was running when this was saved');
  });

  test('says so where nothing was traced', () => {
    show(log({ functions: [] }));
    expect(text('.jxv-log-quiet')).toContain("Nothing new was traced or compiled: JAX's caches");
    show(log({ functions: [], apart: { traces: 1, lowerings: 0, compiles: 0, seconds: 0.02 } }));
    expect(text('.jxv-log-quiet')).toBe('None of your functions was traced or compiled.');
    expect(text('.jxv-log-totals')).toContain('1 trace within JAX and libraries');
    expect(one('[role=grid]')).toBeNull();
    show(log({ functions: [], running: true }));
    expect(text('.jxv-log-quiet')).toBe('Nothing new was traced or compiled so far.');
  });
});

test('a Python loop outside jit has its line, its time, and its part of the lane', () => {
  const site = { ...FRAME, line: 3 };
  const loop = { site, programs: 1600, seconds: 0.5, running: 0.01, spans: [0, 0.5] };
  const times = { running: 0.01, making: 0, moving: 0, rest: 0.49, before: 0, after: 0 };
  const profile = { start: 0, seconds: 0.5, ended: '', ...times, programs: [], loops: [loop] };
  show(log({ functions: [], profile, start: 0, seconds: 0.5 }));
  expect(text('.jxv-cell-times')).toContain(
    'This Python loop ran 1,600 small programs outside jit in 500 ms; XLA ran for 10 ms of it.',
  );
  expect(all('.jxv-log-loop')).toHaveLength(1);
  expect(all('.jxv-log-ops .jxv-log-counts').at(-1)?.textContent).toBe('1,600 runs');
});

describe('why again', () => {
  const causes = () => all('.jxv-cause-button').map((each) => each.textContent);

  test('lists the causes', () => {
    show(training);
    expect(causes()).toEqual([
      'stepshapex: f32[8→5, 32]',
      'stepweak typelr: ~f32[] (float) → f32[]',
    ]);
    expect(all('.jxv-cause-what').map((each) => each.textContent)).toEqual([
      'pad itcell 3, line 4',
      'pass jnp.float32(…)cell 3, line 4',
    ]);
  });

  test('one that is chosen selects its latest event', () => {
    show(training);
    click(one('.jxv-cause-button'));
    expect(one('.jxv-cause-button').getAttribute('aria-pressed')).toBe('true');
    expect(announced()).toBe('step, retrace 1 of 2, x: f32[8→5, 32], 10 ms');
    click(one('.jxv-cause-button'));
    expect(one('.jxv-cause-button').getAttribute('aria-pressed')).toBe('false');
  });

  test('opens to the single events', () => {
    show(training);
    click(one('.jxv-cause-fold'));
    expect(all('.jxv-cause-events button').map((each) => each.textContent)).toEqual([
      '500 msretrace 1 of 2x: f32[8→5, 32]130 ms',
    ]);
    click(one('.jxv-cause-events button'));
    expect(text('.jxv-event header')).toContain('stepretrace 1 of 2');
  });

  test('says that nothing was made again', () => {
    const functions = [counted({ retraces: 0 })];
    show(log({ functions, events: [event({})] }));
    expect(text('.jxv-log-causes h3')).toBe('No function was retraced or compiled again.');
    show({ ...training, causes: [] });
    expect(text('.jxv-log-causes h3')).toBe(
      'Why it retraced is not saved: run the cell again to see it.',
    );
  });

  test('lists all values of a cause, with how often those came that came again', () => {
    const value = (after: string, times: number) => ({
      reason: [{ kind: 'shape', where: 'x', before: 'f32[8,32]', after }],
      times,
    });
    const values = [value('f32[5,32]', 2), value('f32[3,32]', 1)];
    show(log({ causes: [cause({ values, others: 4, times: 7 })] }));
    expect(text('.jxv-cause-button')).toContain('x: f32[8→5, 32]×2');
    expect(text('.jxv-cause-values')).toBe('shapex: f32[8→3, 32] and 4 more');
    expect(text('.jxv-cause-cost')).toContain('×7');
  });
});

describe('op by op', () => {
  const sin = {
    name: 'jnp.sin',
    site: FRAME,
    traces: 2,
    compiles: 2,
    reason: [{ kind: 'shape', count: 2 }],
    seconds: 0.012,
    spans: [1_700_000_000.1, 1_700_000_000.2, 1_700_000_000.4, 1_700_000_000.5],
  };
  const ones = { ...sin, name: 'jnp.ones', compiles: 1, reason: [], seconds: 0.05, spans: [] };

  test('is a line of the timeline and a list by op and line', () => {
    show(log({ functions: [], ops: [sin, ones] }));
    expect(text('.jxv-log-quiet')).toBeNull();
    expect(text('.jxv-log-ops th')).toContain('3 compilations');
    expect(all('.jxv-log-ops i')).toHaveLength(2);
    const rows = all('.jxv-log-oplist li').map((row) => row.textContent);
    expect(rows).toEqual(['50 msjnp.onescell 3, line 4', '12 ms×2jnp.sin2 shapescell 3, line 4']);
    expect(text('.jxv-log-oplist h3')).toContain('repeats are not recorded');
    expect(text('.jxv-log-totals')).toContain('3 compilations op by op');
  });
});

test('every string is text', () => {
  const evil = '<img src=x onerror=alert(1)>';
  const changes = [{ kind: evil, where: evil, before: evil, after: evil }];
  const own = { name: evil, definition: null };
  const hostile = event({
    ...own,
    thread: evil,
    hint: english(evil),
    error: evil,
    reason: changes,
  });
  show(
    log({
      functions: [counted(own)],
      events: [hostile],
      causes: [{ ...training.causes[0]!, function: 0, reason: changes, hint: english(evil) }],
      error: evil,
      notes: [english(evil)],
    }),
  );
  keys('ArrowRight');
  expect(one('img')).toBeNull();
  expect(host.textContent).toContain(evil);
});

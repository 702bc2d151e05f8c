/** A log as it is drawn: its functions, why again, an event and what is done with it. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Log } from '../src/schema';
import { SOURCE, type SourceEvent } from '../src/view';
import { LogView } from '../src/view/log/log-view';
import { training } from './log-samples';
import { cause, counted, event, FRAME, log } from './logs';

let host: HTMLElement;
const open = vi.fn();
const compare = vi.fn();
const close = vi.fn();

beforeEach(() => {
  host = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
  vi.useRealTimers();
  vi.clearAllMocks();
});

const show = (log: Log, kernel = true) =>
  act(() => {
    render(<LogView {...{ log, kernel, open, compare, close }} opened={null} />, host);
  });

const all = (selector: string) => [...host.querySelectorAll<HTMLElement>(selector)];
const one = (selector: string) => host.querySelector(selector) as HTMLElement;
const text = (selector: string) => one(selector)?.textContent ?? null;
const button = (name: string) =>
  all('button').find(
    (each) => (each.getAttribute('aria-label') ?? each.textContent) === name,
  ) as HTMLButtonElement;
const click = (element: HTMLElement) => act(() => element.click());
const press = (...keys: string[]) => {
  for (const key of keys) {
    act(() => {
      const down = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      one('[role=grid]').dispatchEvent(down);
    });
  }
};
const said = () => {
  const id = one('[role=grid]').getAttribute('aria-activedescendant');
  const cell = id === null ? null : document.getElementById(id);
  return cell?.querySelector('.jxv-hidden')?.textContent ?? null;
};

describe('the head', () => {
  test('is what it comes to', () => {
    show(training);
    expect(text('.jxv-log-totals')).toBe(
      '2 functions · 4 traces, 2 againcompiling 520 ms of 1.6 s',
    );
  });

  test('tells what ended it, and what could not be had', () => {
    show({ ...training, error: 'KeyboardInterrupt', notes: ['Calls were not counted.'] });
    expect(text('.jxv-log-error')).toBe('ended by KeyboardInterrupt');
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
    expect(text('.jxv-log-quiet')).toBe('No function of yours was traced or compiled.');
    expect(text('.jxv-log-totals')).toContain("1 trace of JAX's own functions within others");
    expect(one('[role=grid]')).toBeNull();
    show(log({ functions: [], running: true }));
    expect(text('.jxv-log-quiet')).toBe('Nothing new was traced or compiled so far.');
  });
});

describe('the timeline', () => {
  const rows = () => all('.jxv-log-lane').map((row) => row.querySelector('th')?.textContent);

  test('has a row for each function, what took most time first', () => {
    show(training);
    expect(rows()).toEqual([
      'step390 mscell 3, line 13 traces, 2 again',
      'loss130 mscell 3, line 71 trace',
    ]);
  });

  test('has few rows in the page of very many', () => {
    const functions = Array.from({ length: 500 }, (_, at) => counted({ name: `f${at}` }));
    show(log({ functions }));
    expect(rows().length).toBeLessThan(40);
    expect(one('[role=grid]').getAttribute('aria-rowcount')).toBe('501');
  });

  test('is walked with the arrows, and says what is there', () => {
    show(training);
    press('ArrowRight');
    expect(said()).toBe('step, first trace, 10 ms');
    press('End', 'ArrowLeft', 'ArrowLeft');
    expect(said()).toBe('step, retrace 2 of 2, lr: weak f32[] (float) → f32[], 10 ms');
    press('ArrowDown');
    expect(said()).toBe('loss, compilation, 100 ms');
    press('Escape');
    expect(said()).toBeNull();
    expect(close).not.toHaveBeenCalled();
    press('Escape');
    expect(close).toHaveBeenCalled();
  });

  test('is zoomed with keys', () => {
    show(training);
    const isAll = () => button('All of the time').disabled;
    expect(isAll()).toBe(true);
    press('+');
    expect(isAll()).toBe(false);
    press('0');
    expect(isAll()).toBe(true);
  });

  test('leads to the line of a cell', () => {
    const asked: SourceEvent[] = [];
    host.addEventListener(SOURCE, (event) => asked.push((event as CustomEvent).detail));
    show(training);
    click(one('.jxv-log-lane .jxv-link'));
    expect(asked).toMatchObject([{ cell: 'c3', line: 1, code: '@jax.jit' }]);
  });

  test('has of its legend what is there', () => {
    const keys = () => all('.jxv-log-legend li[class=""], .jxv-log-legend li:not([class])');
    show(training);
    expect(keys().map((each) => each.textContent)).toEqual(['trace', 'lower', 'compile', 'again']);
    show(log({ events: [event({ implied: true, error: 'ValueError' })], omitted: 9003 }));
    expect(keys().map((each) => each.textContent)).toEqual([
      'trace',
      'lower',
      'compile',
      'failed',
      'not announced, time not known',
      '9,003 not listed',
    ]);
  });
});

describe('a pointer', () => {
  /** The plots begin at 0 and are 400 px wide for 1.6 s until they are laid out: 250 px a second. */
  const point = (type: string, x: number, own: PointerEventInit = {}) =>
    act(() => {
      const init = { bubbles: true, clientX: x, clientY: 20, pointerId: 1, button: 0, ...own };
      one('.jxv-log-lane canvas').dispatchEvent(new PointerEvent(type, init));
    });
  const tap = (x: number, own: PointerEventInit = {}) => {
    point('pointerdown', x, own);
    point('pointerup', x, own);
  };
  const ticks = () => all('.jxv-log-axis .jxv-log-plot span').map((each) => each.textContent);

  beforeEach(() => {
    HTMLElement.prototype.setPointerCapture ??= () => {};
  });

  test('selects what it clicks, and nothing beside', () => {
    show(training);
    tap(250 * 1.05);
    expect(said()).toBe('step, compilation, 100 ms');
    tap(80);
    expect(said()).toBeNull();
  });

  test('says what it is over', () => {
    show(training);
    point('pointermove', 250 * 0.501);
    expect(text('.jxv-log-tip')).toBe('step, retrace 1 of 2, x: f32[8→5, 32], 10 ms');
    point('pointermove', 80);
    expect(text('.jxv-log-tip')).toBeNull();
  });

  test('compares with what is clicked while Shift is held', () => {
    show(training);
    tap(250 * 0.05);
    tap(250 * 0.55, { shiftKey: true });
    expect(compare).toHaveBeenCalledWith(0, 6);
  });

  test('zooms into what it drags over, and out with two clicks beside all', () => {
    show(training);
    const before = ticks();
    point('pointerdown', 100);
    point('pointermove', 150);
    expect(one('.jxv-log-brush')).not.toBeNull();
    point('pointerup', 150);
    expect(one('.jxv-log-brush')).toBeNull();
    expect(ticks()).toEqual(['400 ms', '450 ms', '500 ms', '550 ms', '']);
    point('dblclick', 5);
    expect(ticks()).toEqual(before);
  });

  test('zooms into a call with two clicks on it', () => {
    show(training);
    point('dblclick', 250 * 0.55);
    expect(ticks()).toEqual(['500 ms', '550 ms', '600 ms']);
  });
});

describe('why again', () => {
  const causes = () => all('.jxv-cause-said').map((each) => each.textContent);

  test('lists the causes', () => {
    show(training);
    expect(causes()).toEqual([
      'stepshapex: f32[8→5, 32]',
      'stepweak typelr: weak f32[] (float) → f32[]',
    ]);
    expect(all('.jxv-cause-what').map((each) => each.textContent)).toEqual([
      'pad itcell 3, line 4',
      'pass jnp.float32(…)cell 3, line 4',
    ]);
  });

  test('one that is chosen selects its latest event', () => {
    show(training);
    click(one('.jxv-cause-said'));
    expect(one('.jxv-cause-said').getAttribute('aria-pressed')).toBe('true');
    expect(said()).toBe('step, retrace 1 of 2, x: f32[8→5, 32], 10 ms');
    click(one('.jxv-cause-said'));
    expect(one('.jxv-cause-said').getAttribute('aria-pressed')).toBe('false');
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
    expect(text('.jxv-log-causes h3')).toBe('No function was traced or compiled again.');
    show({ ...training, causes: [] });
    expect(text('.jxv-log-causes h3')).toBe(
      'Why again is not saved: run the cell again to see it.',
    );
  });

  test('lists all values of a cause, each with how often', () => {
    const value = (after: string, times: number) => ({
      reason: [{ kind: 'shape', where: 'x', before: 'f32[8,32]', after }],
      times,
    });
    const values = [value('f32[5,32]', 2), value('f32[3,32]', 1)];
    show(log({ causes: [cause({ values, others: 4, times: 7 })] }));
    expect(text('.jxv-cause-said')).toContain('x: f32[8→5, 32]×2');
    expect(text('.jxv-cause-values')).toBe('x: f32[8→3, 32] ×1and 4 more');
    expect(text('.jxv-cause-cost')).toContain('×7');
  });
});

describe('op by op', () => {
  const sin = {
    name: 'jnp.sin',
    site: FRAME,
    traces: 2,
    compiles: 2,
    seconds: 0.012,
    spans: [1_700_000_000.1, 1_700_000_000.2, 1_700_000_000.4, 1_700_000_000.5],
  };
  const ones = { ...sin, name: 'jnp.ones', compiles: 1, seconds: 0.05, spans: [] };

  test('is a line of the timeline and a list by op and line', () => {
    show(log({ functions: [], ops: [sin, ones] }));
    expect(text('.jxv-log-quiet')).toBeNull();
    expect(text('.jxv-log-ops th')).toContain('3 compilations');
    expect(all('.jxv-log-ops i')).toHaveLength(2);
    const rows = all('.jxv-log-oplist li').map((row) => row.textContent);
    expect(rows).toEqual(['50 ms×1jnp.onescell 3, line 4', '12 ms×2jnp.sincell 3, line 4']);
    expect(text('.jxv-log-oplist h3')).toContain('later runs of the same op and types are not');
    expect(text('.jxv-log-totals')).toContain('3 compilations op by op');
  });
});

describe('an event', () => {
  const facts = () =>
    Object.fromEntries(
      all('.jxv-event-facts > div').map((each) => [
        each.querySelector('dt')?.textContent,
        each.querySelector('dd')?.textContent?.replace(/, \d.*M$/, ''),
      ]),
    );

  test('is told with all that is known of it', () => {
    show(training);
    click(one('.jxv-cause-said'));
    expect(text('.jxv-event-changes')).toBe('shapex: f32[8→5, 32]');
    expect(facts()).toEqual({
      'called at': 'cell 3, line 4 params = step(params, x)',
      'defined at': 'cell 3, line 1 @jax.jit',
      when: expect.stringMatching(/^500 ms after the start/),
      'followed by': 'lowering 20 ms, compilation 100 ms',
      program: '34 eqns',
      thread: 'MainThread',
    });
  });

  test('leads from a compilation to its trace', () => {
    show(training);
    press('ArrowRight', 'End');
    click(all('.jxv-event-facts .jxv-link').at(-1)!);
    expect(said()).toContain('retrace 2 of 2');
  });

  test('has its program shown, and compared with the one before', () => {
    show(training);
    click(one('.jxv-cause-said'));
    click(button('Program'));
    expect(open).toHaveBeenCalledWith(6);
    click(button('Compare with the one before'));
    expect(compare).toHaveBeenCalledWith(0, 6);
    press('Enter', 'p');
    expect(open).toHaveBeenCalledTimes(2);
    expect(compare).toHaveBeenCalledTimes(2);
  });

  test('is compared with the trace that its reason tells against, and says so', () => {
    const events = training.events.map((one) => (one.number === 9 ? { ...one, against: 0 } : one));
    show({ ...training, events });
    press('ArrowRight', 'End');
    press('ArrowLeft', 'ArrowLeft');
    expect(text('.jxv-event-facts')).toContain('compared withfirst tracecalled at');
    click(button('Compare with the first trace'));
    expect(compare).toHaveBeenCalledWith(0, 9);
    click(one('.jxv-event-facts .jxv-link'));
    expect(said()).toContain('first trace');
  });

  test('is compared with any other that is chosen next', () => {
    show(training);
    press('ArrowRight', 'End');
    click(button('Compare with…'));
    expect(text('.jxv-event-buttons [role=status]')).toBe(
      'Choose what to compare with step, retrace 2 of 2.',
    );
    press('Home', 'Enter');
    expect(compare).toHaveBeenCalledWith(0, 9);
    expect(text('.jxv-event-buttons [role=status]')).toBeNull();
  });

  test('stands alone where nothing can be asked, and says why', () => {
    show(training, false);
    press('ArrowRight');
    for (const name of ['Program', 'Compare with the one before', 'Compare with…']) {
      expect(button(name).getAttribute('aria-disabled')).toBe('true');
      expect(button(name).title).toContain('run the cell again');
      click(button(name));
    }
    press('Enter', 'c', 'p');
    expect(open).not.toHaveBeenCalled();
    expect(compare).not.toHaveBeenCalled();
  });

  test('stays selected while the log grows', () => {
    show(training);
    press('ArrowRight');
    show({ ...training, seconds: 9, events: [...training.events].reverse() });
    expect(said()).toBe('step, first trace, 10 ms');
  });
});

test('every string is text', () => {
  const evil = '<img src=x onerror=alert(1)>';
  const changes = [{ kind: evil, where: evil, before: evil, after: evil }];
  const own = { name: evil, definition: null };
  const hostile = event({ ...own, thread: evil, hint: evil, error: evil, reason: changes });
  show(
    log({
      functions: [counted(own)],
      events: [hostile],
      causes: [{ ...training.causes[0]!, function: 0, reason: changes, hint: evil }],
      error: evil,
      notes: [evil],
    }),
  );
  press('ArrowRight');
  expect(one('img')).toBeNull();
  expect(host.textContent).toContain(evil);
});

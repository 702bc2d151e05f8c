/** The timeline of a log: how it is drawn, pointed at and walked, and an event that is chosen. */
import { act } from 'preact/test-utils';
import { beforeEach, describe, expect, test } from 'vitest';
import { SOURCE, type SourceEvent } from '../src/shell/parts/host-events';
import { training } from './log-samples';
import { counted, event, log } from './logs';
import { all, button, click, host, one } from './page';
import { announced, close, compare, keys, open, show, text } from './shown-log';

describe('the timeline', () => {
  const rows = () => all('.jxv-log-lane').map((row) => row.querySelector('th')?.textContent);

  test('has a row for each function, what took most time first', () => {
    show(training);
    expect(rows()).toEqual([
      'step390 mscell 3, line 13 traces (2 retraces)',
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
    keys('ArrowRight');
    expect(announced()).toBe('step, first trace, 10 ms');
    keys('End', 'ArrowLeft', 'ArrowLeft');
    expect(announced()).toBe('step, retrace 2 of 2, lr: ~f32[] (float) → f32[], 10 ms');
    keys('ArrowDown');
    expect(announced()).toBe('loss, compilation, 100 ms');
    keys('Escape');
    expect(announced()).toBeNull();
    expect(close).not.toHaveBeenCalled();
    keys('Escape');
    expect(close).toHaveBeenCalled();
  });

  test('is zoomed with keys', () => {
    show(training);
    const isAll = () => button('All of the time').disabled;
    expect(isAll()).toBe(true);
    keys('+');
    expect(isAll()).toBe(false);
    keys('0');
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
    expect(keys().map((each) => each.textContent)).toEqual([
      'trace',
      'lower',
      'compile',
      'repeated',
    ]);
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
    expect(announced()).toBe('step, compilation, 100 ms');
    tap(80);
    expect(announced()).toBeNull();
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

describe('an event', () => {
  const facts = () =>
    Object.fromEntries(
      all('.jxv-event-facts > div').map((each) => [
        each.querySelector('dt')?.textContent,
        each.querySelector('dd')?.textContent?.replace(/, \d.*M$/, ''),
      ]),
    );

  test('has all known details', () => {
    show(training);
    click(one('.jxv-cause-button'));
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
    keys('ArrowRight', 'End');
    click(all('.jxv-event-facts .jxv-link').at(-1)!);
    expect(announced()).toContain('retrace 2 of 2');
  });

  test('has its program shown, and compared with the one before', () => {
    show(training);
    click(one('.jxv-cause-button'));
    click(button('Program'));
    expect(open).toHaveBeenCalledWith(6);
    click(button('Compare with the one before'));
    expect(compare).toHaveBeenCalledWith(0, 6);
    keys('Enter', 'p');
    expect(open).toHaveBeenCalledTimes(2);
    expect(compare).toHaveBeenCalledTimes(2);
  });

  test('is compared with the trace that its reason tells against, and says so', () => {
    const events = training.events.map((one) => (one.number === 9 ? { ...one, against: 0 } : one));
    show({ ...training, events });
    keys('ArrowRight', 'End');
    keys('ArrowLeft', 'ArrowLeft');
    expect(text('.jxv-event-facts')).toContain('compared withfirst tracecalled at');
    click(button('Compare with the first trace'));
    expect(compare).toHaveBeenCalledWith(0, 9);
    click(one('.jxv-event-facts .jxv-link'));
    expect(announced()).toContain('first trace');
  });

  test('is compared with any other that is chosen next', () => {
    show(training);
    keys('ArrowRight', 'End');
    click(button('Compare with…'));
    expect(text('.jxv-event-buttons [role=status]')).toBe(
      'Choose what to compare with step, retrace 2 of 2.',
    );
    keys('Home', 'Enter');
    expect(compare).toHaveBeenCalledWith(0, 9);
    expect(text('.jxv-event-buttons [role=status]')).toBeNull();
  });

  test('stands alone where nothing can be asked, and says why', () => {
    show(training, false);
    keys('ArrowRight');
    for (const name of ['Program', 'Compare with the one before', 'Compare with…']) {
      expect(button(name).getAttribute('aria-disabled')).toBe('true');
      expect(button(name).title).toContain('contains no programs');
      click(button(name));
    }
    keys('Enter', 'c', 'p');
    expect(open).not.toHaveBeenCalled();
    expect(compare).not.toHaveBeenCalled();
  });

  test('stays selected while the log grows', () => {
    show(training);
    keys('ArrowRight');
    show({ ...training, seconds: 9, events: [...training.events].reverse() });
    expect(announced()).toBe('step, first trace, 10 ms');
  });
});

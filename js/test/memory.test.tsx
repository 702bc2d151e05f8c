import { describe, expect, test } from 'vitest';
import { Memory } from '../src/stage/numbers/memory';
import { all, click, host, one, press, texts } from './page';
import { see, state } from './side-pane';

describe('memory', () => {
  test('is as XLA reports it, and what it does not report says so', () => {
    see(Memory, 'stages/scan_products', 'hlo');
    expect(texts('.jxv-memory-fields > div')).toEqual([
      'arguments2.0 KiB',
      'outputs1.0 KiB',
      'temporaries1.1 KiB',
      'aliased0 bytes',
      'codenot reported',
      'peak3.0 KiB',
    ]);
    expect(all('.jxv-memory-bar > span')).toHaveLength(3);
  });

  test('without an executable nothing is reported, and the curve is a bound', () => {
    see(Memory, 'train_step');
    expect(host.querySelector('.jxv-memory-fields')).toBeNull();
    expect(host.textContent?.match(/unfused upper bound/g)).toHaveLength(1);
    expect(host.querySelector('.jxv-live-text')?.textContent).toContain('peak');
  });

  test('the curve is walked by the keys, in words, and selects', () => {
    see(Memory, 'train_step');
    const curve = one('[role=slider]');
    press(curve, 'Home');
    expect(curve.getAttribute('aria-valuenow')).toBe('0');
    press(curve, 'ArrowRight');
    expect(curve.getAttribute('aria-valuetext')).toMatch(/bytes|KiB/);
    expect(state.hovered).toBe('1');
    press(curve, 'Enter');
    expect(state.selected).toBe('1');
    expect(host.querySelector('.jxv-live-selected')).not.toBeNull();
  });

  test('what is alive at the peak leads to its eqn, by click and by keys', () => {
    see(Memory, 'train_step');
    const [alive, largest] = all('[role=listbox]');
    expect(alive?.getAttribute('aria-label')).toBe('Alive at the peak');
    const reasons = [...(alive?.querySelectorAll('.jxv-entry-about') ?? [])];
    expect(reasons.length).toBeGreaterThan(2);
    expect(reasons.some((one) => one.textContent?.includes('input, live throughout'))).toBe(true);
    click(largest!.querySelector('[role=option]')!);
    const first = state.selected;
    expect(first).toMatch(/^\d+$/);
    press(largest!, 'ArrowDown');
    press(largest!, 'Enter');
    expect(state.selected).not.toBe(first);
    const active = largest?.getAttribute('aria-activedescendant') ?? '';
    expect(document.getElementById(active)?.getAttribute('aria-selected')).toBe('true');
  });
});

import { render } from 'preact';
import { useReducer } from 'preact/hooks';
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import type { Program, Stage } from '../src/schema';
import { start, update, type ViewState } from '../src/state/view-state';
import { Memory } from '../src/view/numbers/memory';
import { golden } from './fixtures';
import { all, host } from './page';

let state: ViewState;

function Seen({ program, of }: { program: Program; of: Stage }) {
  const [now, dispatch] = useReducer(update, start(of));
  state = now;
  return <Memory program={program} state={now} dispatch={dispatch} />;
}

function show(name: string, kind: string): void {
  const program = golden(name);
  const of = program.stages.find((one) => one.kind === kind) as Stage;
  act(() => render(<Seen {...{ program, of }} />, host));
}

describe('memory', () => {
  const texts = (selector: string) => all(selector).map((one) => one.textContent);

  test('is as XLA reports it, and what it does not report says so', () => {
    show('stages/scan_products', 'hlo');
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
    show('train_step', 'jaxpr');
    expect(host.querySelector('.jxv-memory-fields')).toBeNull();
    expect(host.textContent?.match(/unfused upper bound/g)).toHaveLength(1);
    expect(host.querySelector('.jxv-live-said')?.textContent).toContain('peak');
  });

  test('the curve is walked by the keys, in words, and selects', () => {
    show('train_step', 'jaxpr');
    const curve = host.querySelector('[role=slider]') as HTMLElement;
    const key = (key: string) =>
      act(() => {
        curve.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      });
    key('Home');
    expect(curve.getAttribute('aria-valuenow')).toBe('0');
    key('ArrowRight');
    expect(curve.getAttribute('aria-valuetext')).toMatch(/bytes|KiB/);
    expect(state.hovered).toBe('1');
    key('Enter');
    expect(state.selected).toBe('1');
    expect(host.querySelector('.jxv-live-selected')).not.toBeNull();
  });

  test('what is alive at the peak leads to its eqn, by click and by keys', () => {
    show('train_step', 'jaxpr');
    const [alive, largest] = all('[role=listbox]');
    expect(alive?.getAttribute('aria-label')).toBe('Alive at the peak');
    const reasons = [...(alive?.querySelectorAll('.jxv-entry-about') ?? [])];
    expect(reasons.length).toBeGreaterThan(2);
    expect(reasons.some((one) => one.textContent?.includes('input, there throughout'))).toBe(true);
    act(() => largest?.querySelector<HTMLElement>('[role=option]')?.click());
    const first = state.selected;
    expect(first).toMatch(/^\d+$/);
    const key = (key: string) =>
      act(() => {
        largest?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      });
    key('ArrowDown');
    key('Enter');
    expect(state.selected).not.toBe(first);
    const active = largest?.getAttribute('aria-activedescendant') ?? '';
    expect(document.getElementById(active)?.getAttribute('aria-selected')).toBe('true');
  });
});

import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { Graph } from '../src/view/graph/graph-view';
import { stageOf } from './fixtures';

function show(name: string) {
  const host = document.body.appendChild(document.createElement('div'));
  let state: ViewState = { ...start(stageOf(name)), open: new Set() };
  const dispatch = (action: Action) => {
    state = update(state, action);
    draw();
  };
  const draw = () => act(() => render(<Graph state={state} dispatch={dispatch} />, host));
  draw();
  const entries = () => [...host.querySelectorAll<HTMLButtonElement>('.jxv-legend li button')];
  return {
    legend: host.querySelector('.jxv-legend') as HTMLElement,
    entries,
    texts: () =>
      entries().map((entry) =>
        [...entry.children]
          .map((part) => part.textContent)
          .filter(Boolean)
          .join(' '),
      ),
    press: (element: HTMLElement) => act(() => element.click()),
  };
}

afterEach(() => {
  for (const host of document.body.children) render(null, host);
  document.body.replaceChildren();
});

describe('the legend', () => {
  test('shows the classes that are there, with their counts', () => {
    expect(show('lesson').texts()).toEqual(['elementwise 3', 'reduction 1']);
  });

  test('is of what the switch says', () => {
    const { legend, texts } = show('lesson');
    const select = legend.querySelector('select') as HTMLSelectElement;
    expect([...select.options].map(({ text }) => text)).toEqual([
      'op family',
      'dtype',
      'scope',
      'flops',
      'bytes',
    ]);
    act(() => {
      select.value = 'dtype';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    expect(texts()).toEqual(['f32 4']);
  });

  test('keeps one class bright at a time, and says which', () => {
    const { entries, press } = show('lesson');
    const pressed = () => entries().map((entry) => entry.getAttribute('aria-pressed'));
    expect(pressed()).toEqual(['false', 'false']);
    press(entries()[1] as HTMLElement);
    expect(pressed()).toEqual(['false', 'true']);
    press(entries()[0] as HTMLElement);
    expect(pressed()).toEqual(['true', 'false']);
    press(entries()[0] as HTMLElement);
    expect(pressed()).toEqual(['false', 'false']);
  });

  test('is folded to its colours and back', () => {
    const { legend, entries, press } = show('lesson');
    const fold = () => legend.querySelector('.jxv-legend-fold') as HTMLElement;
    expect(fold().getAttribute('aria-expanded')).toBe('true');
    press(fold());
    expect(fold().getAttribute('aria-expanded')).toBe('false');
    expect(entries()).toEqual([]);
    expect(fold().querySelectorAll('.jxv-swatch')).toHaveLength(2);
    press(fold());
    expect(entries()).toHaveLength(2);
  });

  test('has nothing to say where nothing is drawn', () => {
    const host = document.body.appendChild(document.createElement('div'));
    const state = start({ ...stageOf('lesson'), graphs: [] });
    act(() => render(<Graph state={state} dispatch={() => {}} />, host));
    expect(host.querySelector('.jxv-legend')).toBeNull();
  });
});

import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test } from 'vitest';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { Drawn } from './drawn';
import { stageOf } from './fixtures';

function show(name: string) {
  const host = document.body.appendChild(document.createElement('div'));
  let state: ViewState = { ...start(stageOf(name)), open: new Set() };
  const dispatch = (action: Action) => {
    state = update(state, action);
    draw();
  };
  const draw = () => act(() => render(<Drawn state={state} dispatch={dispatch} />, host));
  draw();
  const texts = (selector: string) =>
    [...host.querySelectorAll(selector)].map(({ textContent }) => textContent);
  return {
    entries: () => [...host.querySelectorAll<HTMLButtonElement>('.jxv-legend li button')],
    menu: (role: string) => texts(`[role=${role}]`),
    choose: (label: string) =>
      act(() =>
        [...host.querySelectorAll<HTMLElement>('[role^=menuitem]')]
          .find(({ textContent }) => textContent?.startsWith(label))
          ?.click(),
      ),
    open: () => act(() => (host.querySelector('[aria-haspopup]') as HTMLElement).click()),
    press: (element: HTMLElement) => act(() => element.click()),
    state: () => state,
  };
}

afterEach(() => {
  for (const host of document.body.children) render(null, host);
  document.body.replaceChildren();
});

describe('the legend', () => {
  test('shows the classes that are there; its menu their counts', () => {
    const { entries, menu, open } = show('lesson');
    expect(entries().map(({ textContent }) => textContent)).toEqual(['elementwise', 'reduction']);
    open();
    expect(menu('menuitemcheckbox')).toEqual(['elementwise3', 'reduction1']);
  });

  test('is of what the switch says, and the menu stays to show it', () => {
    const { menu, open, choose } = show('lesson');
    open();
    expect(menu('menuitemradio')).toEqual(['op family', 'dtype', 'scope', 'flops', 'bytes']);
    choose('dtype');
    expect(menu('menuitemcheckbox')).toEqual(['f324']);
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
});

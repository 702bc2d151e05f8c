/** A log's view on a page of its own, which tests look at and act on. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach, vi } from 'vitest';
import type { Log } from '../src/schema';
import { LogView } from '../src/view/log/log-view';

export let host: HTMLElement;
export const open = vi.fn();
export const compare = vi.fn();
export const close = vi.fn();

beforeEach(() => {
  host = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  act(() => render(null, host));
  host.remove();
  vi.useRealTimers();
  vi.clearAllMocks();
});

export const show = (log: Log, kernel = true) =>
  act(() => {
    render(<LogView {...{ log, kernel, open, compare, close }} opened={null} />, host);
  });

export const all = (selector: string) => [...host.querySelectorAll<HTMLElement>(selector)];
export const one = (selector: string) => host.querySelector(selector) as HTMLElement;
export const text = (selector: string) => one(selector)?.textContent ?? null;
export const button = (name: string) =>
  all('button').find(
    (each) => (each.getAttribute('aria-label') ?? each.textContent) === name,
  ) as HTMLButtonElement;
export const click = (element: HTMLElement) => act(() => element.click());
export const press = (...keys: string[]) => {
  for (const key of keys) {
    act(() => {
      const down = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true });
      one('[role=grid]').dispatchEvent(down);
    });
  }
};
export const said = () => {
  const id = one('[role=grid]').getAttribute('aria-activedescendant');
  const cell = id === null ? null : document.getElementById(id);
  return cell?.querySelector('.jxv-hidden')?.textContent ?? null;
};

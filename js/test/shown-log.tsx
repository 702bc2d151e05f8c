/** A log's view on a page of its own, which tests look at and act on. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, vi } from 'vitest';
import { LogView } from '../src/log/log-view';
import type { Log } from '../src/schema';
import { host, one, press } from './page';

export const open = vi.fn();
export const compare = vi.fn();
export const measure = vi.fn();
export const close = vi.fn();

afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
});

export const show = (log: Log, kernel = true) =>
  act(() => {
    render(<LogView {...{ log, kernel, open, compare, measure, close }} opened={null} />, host);
  });

export const text = (selector: string) => one(selector)?.textContent ?? null;
export const keys = (...names: string[]) => {
  for (const name of names) press(one('[role=grid]'), name);
};
export const announced = () => {
  const id = one('[role=grid]').getAttribute('aria-activedescendant');
  const cell = id === null ? null : document.getElementById(id);
  return cell?.querySelector('.jxv-hidden')?.textContent ?? null;
};

/** A page with an element that a test mounts a view in, and what a reader finds and does there. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, beforeEach } from 'vitest';
import type { Program } from '../src/schema';
import { mount, type ProgramSource } from '../src/shell';
import { afterPaint } from './layout';

/** The element of the test that runs, and what ends all that is mounted in it. */
export let host: HTMLElement;
export let ending: AbortController;

beforeEach(() => {
  host = document.body.appendChild(document.createElement('div'));
  ending = new AbortController();
});
afterEach(() => {
  leave();
  act(() => render(null, host));
  document.body.replaceChildren();
  sessionStorage.clear();
});

/** Ends what is mounted, as a page does that is closed; another view can be mounted then. */
export function leave(): void {
  act(() => ending.abort());
  ending = new AbortController();
}

/** Mounts a program, and waits until it and its outline are drawn, or until it is said why there is none. */
export async function mounted(
  program: Program | Promise<Program>,
  source: Partial<ProgramSource> = {},
): Promise<void> {
  const arriving = Promise.resolve(program);
  const whole = { program: arriving, partial: null, opening: {}, kernel: null, ...source };
  await act(async () => {
    mount(host, whole, ending.signal);
    await arriving.catch(() => {});
  });
  await act(afterPaint);
  await act(async () => void (await import('../src/stage/outline-tree')));
}

export const all = (selector: string): HTMLElement[] => [
  ...host.querySelectorAll<HTMLElement>(selector),
];
export const texts = (selector: string): string[] =>
  all(selector).map(({ textContent }) => textContent ?? '');
export const one = (selector: string): HTMLElement => host.querySelector(selector) as HTMLElement;
export const button = (name: string): HTMLButtonElement =>
  all('button').find(
    (each) => (each.getAttribute('aria-label') ?? each.textContent) === name,
  ) as HTMLButtonElement;
export const tab = (name: string): HTMLElement =>
  all('[role=tab]').find(({ textContent }) => textContent === name) as HTMLElement;
/** The first line of the outline that begins so. */
export const row = (start: string): HTMLElement =>
  all('[role=treeitem]').find((each) =>
    each.getAttribute('aria-label')?.startsWith(start),
  ) as HTMLElement;

export const click = (element: Element | undefined) => act(() => (element as HTMLElement).click());
export const press = (element: Element, key: string, more: KeyboardEventInit = {}) =>
  act(() => {
    const init = { key, bubbles: true, cancelable: true, ...more };
    element.dispatchEvent(new KeyboardEvent('keydown', init));
  });
/** Types a text into an input: the first, where none is given. */
export const type = (text: string, input = one('input') as HTMLInputElement) =>
  act(() => {
    input.focus();
    input.value = text;
    input.dispatchEvent(new Event('input', { bubbles: true }));
  });

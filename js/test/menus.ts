/** What the menu of a view's bar has. */
import { act } from 'preact/test-utils';

/** Chooses the entry of the menu behind ⋯ that begins so. */
export function choose(host: HTMLElement, label: string): void {
  const more = host.querySelector('.jxv-menu-more button') as HTMLElement;
  if (more.getAttribute('aria-expanded') === 'false') act(() => more.click());
  const entry = [...host.querySelectorAll<HTMLElement>('[role^=menuitem]')].find(
    ({ textContent }) => textContent?.startsWith(label),
  );
  if (!entry) throw new Error(`No entry begins with ${label}.`);
  act(() => entry.click());
}

/** The entries of the menu that is open, by their role. */
export const entries = (host: HTMLElement, role: string): (string | null)[] =>
  [...host.querySelectorAll(`[role=${role}]`)].map(({ textContent }) => textContent);

/** The entries of the menu in a view's bar. */
import { all, click, one, texts } from './page';

/** Chooses the entry of the menu behind ⋯ that begins so. */
export function choose(label: string): void {
  const more = one('.jxv-menu-more button');
  if (more.getAttribute('aria-expanded') === 'false') click(more);
  chooseOpen(label);
}

/** Chooses the entry of the menu that is open that begins so. */
export function chooseOpen(label: string): void {
  const entry = all('[role^=menuitem]').find(({ textContent }) => textContent?.startsWith(label));
  if (!entry) throw new Error(`No entry begins with ${label}.`);
  click(entry);
}

/** The entries of the menu that is open, by their role. */
export const entries = (role: string): string[] => texts(`[role=${role}]`);

/** What the lists of functions and of events have in common: keyboard, scroll position, and rows that
 * are rendered again only when they changed. */
import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Selects the buttons that open the program of a row. Each row of a list has one. */
export const ROW_OPENERS = '[data-row] .jxv-panel-open';

/** For the keydown of a list: Up, Down, Home and End move the focus from row to row, from anywhere in
 * a row. */
export function moveBetweenRows(event: KeyboardEvent): void {
  const step = ROW_STEPS.get(event.key);
  const list = event.currentTarget as HTMLElement;
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const all = [...list.querySelectorAll<HTMLElement>(ROW_OPENERS)];
  const row = (event.target as Element).closest('[data-row]');
  const own = row?.querySelector<HTMLElement>(ROW_OPENERS);
  const at = own ? all.indexOf(own) : -1;
  if (at < 0) return;
  event.preventDefault();
  event.stopPropagation();
  all[Math.max(0, Math.min(all.length - 1, step(at, all.length)))]?.focus();
}

const ROW_STEPS = new Map<string, (at: number, length: number) => number>([
  ['ArrowDown', (at) => at + 1],
  ['ArrowUp', (at) => at - 1],
  ['Home', () => 0],
  ['End', (_, length) => length - 1],
]);

/** The key of the row in which a DOM event happened; null if it was in no row. */
export const rowAt = ({ target }: Event): string | null =>
  (target as Element).closest<HTMLElement>('[data-row]')?.dataset.row ?? null;

/** The key of the row that Tab leads to: the one that had the focus last, else the first. */
export function tabRow(keys: readonly string[], current: string): string | undefined {
  return keys.includes(current) ? current : keys[0];
}

/** Scrolls a list to where it was when it was last visible, and keeps that up to date in `scrolls`
 * under `key`. */
export function useKeptScroll(
  element: RefObject<HTMLElement>,
  scrolls: Map<string, number>,
  key: string,
): void {
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    list.scrollTop = scrolls.get(key) ?? 0;
    const ending = new AbortController();
    const keep = () => {
      if (list.clientHeight > 0) scrolls.set(key, list.scrollTop);
    };
    list.addEventListener('scroll', keep, { signal: ending.signal, passive: true });
    return () => ending.abort();
  }, [key]);
}

interface RenderedRow {
  content: string;
  row: VNode;
}

/**
 * Keeps the rows of a list between renders, so that only rows that changed are rendered again. A log
 * may come five times a second, with hundreds of rows.
 *
 * Returns a function to call for each row with its key, a text of all that the row depends on, and
 * what renders it.
 */
export function useSameRows(): (key: string, content: string, render: () => VNode) => VNode {
  const before = useRef(new Map<string, RenderedRow>());
  const now = new Map<string, RenderedRow>();
  useLayoutEffect(() => {
    before.current = now;
  });
  return (key, content, render) => {
    const known = before.current.get(key);
    const rendered = known?.content === content ? known : { content, row: render() };
    now.set(key, rendered);
    return rendered.row;
  };
}

import type { RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** The buttons that open the rows of a list. */
export const OPENERS = '[data-row] .jxv-panel-open';

/** Up, down, Home and End go from row to row, from wherever in one the focus is. */
export function walk(event: KeyboardEvent): void {
  const step = STEPS.get(event.key);
  const list = event.currentTarget as HTMLElement;
  if (!step || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const all = [...list.querySelectorAll<HTMLElement>(OPENERS)];
  const own = (event.target as Element).closest('[data-row]')?.querySelector<HTMLElement>(OPENERS);
  const at = own ? all.indexOf(own) : -1;
  if (at < 0) return;
  event.preventDefault();
  event.stopPropagation();
  all[Math.max(0, Math.min(all.length - 1, step(at, all.length)))]?.focus();
}

const STEPS = new Map<string, (at: number, length: number) => number>([
  ['ArrowDown', (at) => at + 1],
  ['ArrowUp', (at) => at - 1],
  ['Home', () => 0],
  ['End', (_, length) => length - 1],
]);

/** In which row an event happened, by its key; null in none. */
export const rowAt = ({ target }: Event): string | null =>
  (target as Element).closest<HTMLElement>('[data-row]')?.dataset.row ?? null;

/** The row that Tab leads to: where the keyboard was, else the first. */
export function tabRow(keys: readonly string[], current: string): string | undefined {
  return keys.includes(current) ? current : keys[0];
}

/** A list is scrolled to where it was when it was last seen. */
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

/** Makes rows anew only where they say something else than before. */
export function useSameRows(): (key: string, says: string, make: () => VNode) => VNode {
  const before = useRef(new Map<string, Made>());
  const now = new Map<string, Made>();
  useLayoutEffect(() => {
    before.current = now;
  });
  return (key, says, make) => {
    const known = before.current.get(key);
    const made = known?.says === says ? known : { says, row: make() };
    now.set(key, made);
    return made.row;
  };
}

interface Made {
  says: string;
  row: VNode;
}

/** The one list of the panel, for functions and for events. */
import type { ComponentChildren, RefObject, VNode } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

export interface ListRow {
  key: string;
  /** All data of its element: while this is equal, the row is not rendered again. */
  content: unknown;
  /** Renders it. Tab leads to one row of a list, the current one. */
  render: (isCurrent: boolean) => VNode;
}

interface ListProps {
  /** The name under which `scrolls` has the scroll position. */
  name: string;
  scrolls: Map<string, number>;
  list: RefObject<HTMLDivElement>;
  rows: readonly ListRow[];
  /** The key of the row that had the focus last. */
  current: string;
  /** Called with the key of a row that gets the focus. */
  focused: (key: string) => void;
  /** The element around the rows, with these handlers. */
  frame: (rows: VNode[], handlers: ListHandlers) => VNode;
  above?: ComponentChildren;
  below?: ComponentChildren;
  /** Called when the list scrolls. Such a list can have the focus itself. */
  scrolled?: () => void;
}

export interface ListHandlers {
  onKeyDown: (event: KeyboardEvent) => void;
  onFocusIn: (event: FocusEvent) => void;
}

/** A list whose arrow keys move between rows, and that restores its scroll position. */
export function PanelList(props: ListProps) {
  const { name, scrolls, list, rows, current, focused, frame, above, below, scrolled } = props;
  useSavedScroll(list, scrolls, name);
  const same = useSameRows();
  const keys = rows.map(({ key }) => key);
  const tab = keys.includes(current) ? current : keys[0];
  const onFocusIn = (event: FocusEvent) => {
    const key = rowAt(event);
    if (key !== null && key !== current) focused(key);
  };
  return (
    <div
      class="jxv-panel-list"
      ref={list}
      {...(scrolled ? { tabIndex: -1, onScroll: scrolled } : {})}
    >
      {above}
      {frame(
        rows.map(({ key, content, render }) =>
          same(key, JSON.stringify([content, key === tab]), () => render(key === tab)),
        ),
        { onKeyDown: moveBetweenRows, onFocusIn },
      )}
      {below}
    </div>
  );
}

/** Selects the buttons that open the program of a row. Each row of a list has one. */
export const ROW_OPENERS = '[data-row] .jxv-panel-open';

/** The key handler of a list: Up, Down, Home and End move the focus from row to row, from anywhere
 * in a row. */
function moveBetweenRows(event: KeyboardEvent): void {
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

/** The key of a DOM event's row; null outside of rows. */
const rowAt = ({ target }: Event): string | null =>
  (target as Element).closest<HTMLElement>('[data-row]')?.dataset.row ?? null;

/** Restores a list's scroll position from `scrolls`, and saves it there under `key`. */
function useSavedScroll(
  element: RefObject<HTMLElement>,
  scrolls: Map<string, number>,
  key: string,
): void {
  useLayoutEffect(() => {
    const list = element.current;
    if (!list) return;
    list.scrollTop = scrolls.get(key) ?? 0;
    const ending = new AbortController();
    const save = () => {
      if (list.clientHeight > 0) scrolls.set(key, list.scrollTop);
    };
    list.addEventListener('scroll', save, { signal: ending.signal, passive: true });
    return () => ending.abort();
  }, [key]);
}

interface RenderedRow {
  content: string;
  row: VNode;
}

/**
 * Reuses the rows of a list between renders, so that only changed rows are rendered again. A log
 * may come five times a second, with hundreds of rows.
 *
 * Returns a function to call for each row with its key, a text of all its data, and a function that
 * renders it.
 */
function useSameRows(): (key: string, content: string, render: () => VNode) => VNode {
  const before = useRef(new Map<string, RenderedRow>());
  const now = new Map<string, RenderedRow>();
  useLayoutEffect(() => {
    before.current = now;
  });
  return (key, content, render) => {
    const previous = before.current.get(key);
    const rendered = previous?.content === content ? previous : { content, row: render() };
    now.set(key, rendered);
    return rendered.row;
  };
}

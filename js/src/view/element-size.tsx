/** Follows the size of elements: their width, and which rows of a list are in view. What is out of view
 * is not drawn. */
import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

/** The width of an element, CSS px, kept up to date; null before it is laid out. */
export function useWidth(element: RefObject<HTMLElement>): number | null {
  const [width, setWidth] = useState<number | null>(null);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(entry.contentRect.width);
    });
    const { current } = element;
    if (current) observer.observe(current);
    if (current?.clientWidth) setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, [element]);
  return width;
}

/** How many rows beyond the edges of what is in view are drawn too. */
const SPARE_ROWS = 8;
/** The height that counts until the element is laid out, px. */
const FIRST_HEIGHT = 600;

/** Which rows of a long list are in view, `[from, to)`. All rows have the same height, px. */
export function useWindow(
  element: RefObject<HTMLElement>,
  count: number,
  rowHeight: number,
): { from: number; to: number } {
  const [view, setView] = useState({ top: 0, height: FIRST_HEIGHT });
  useLayoutEffect(() => {
    const scroller = element.current;
    if (!scroller) return;
    const look = () =>
      setView({ top: scroller.scrollTop, height: scroller.clientHeight || FIRST_HEIGHT });
    const ending = new AbortController();
    const observer = new ResizeObserver(look);
    observer.observe(scroller);
    scroller.addEventListener('scroll', look, { signal: ending.signal, passive: true });
    look();
    return () => {
      ending.abort();
      observer.disconnect();
    };
  }, []);
  const from = Math.max(0, Math.min(Math.floor(view.top / rowHeight), count - 1) - SPARE_ROWS);
  return { from, to: Math.min(count, from + Math.ceil(view.height / rowHeight) + 2 * SPARE_ROWS) };
}

/** An empty row of a table, as high as the rows that are out of view. */
export function Gap({ height }: { height: number }) {
  if (height <= 0) return null;
  // biome-ignore lint/a11y/noAriaHiddenOnFocusable: nothing in it takes the focus
  return <tr aria-hidden="true" style={`height:${height}px`} />;
}

/** Scrolls a row, which begins at `top`, into view if it is not there, below a header; all in px. */
export function showRow(scroller: HTMLElement, top: number, height: number, header: number): void {
  const least = top + height - (scroller.clientHeight - header);
  if (top < scroller.scrollTop) scroller.scrollTop = top;
  else if (least > scroller.scrollTop) scroller.scrollTop = least;
}

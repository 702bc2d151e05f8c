import type { RefObject } from 'preact';
import { useLayoutEffect } from 'preact/hooks';
import { isDark } from '../render/dark';
import { onThemeChange } from '../render/theme';

/** Keeps `data-dark` true to the page around the view; before the graph within reads its colours. */
export function useDark(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const ending = new AbortController();
    const shown = element.current as HTMLElement;
    const look = () => shown.toggleAttribute('data-dark', isDark(shown));
    look();
    onThemeChange(shown, look, ending.signal);
    return () => ending.abort();
  }, [element]);
}

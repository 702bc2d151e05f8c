import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { onThemeChange, type Theme, themeOf } from '../../render/theme';

/** The colours of an element, kept true to the page around it; null before it is there, and it is
 * known whether that is dark. */
export function useTheme(element: RefObject<HTMLElement>): Theme | null {
  const [theme, setTheme] = useState<Theme | null>(null);
  useEffect(() => {
    const ending = new AbortController();
    const shown = element.current as HTMLElement;
    const look = () => setTheme(themeOf(shown));
    look();
    onThemeChange(shown, look, ending.signal);
    return () => ending.abort();
  }, [element]);
  return theme;
}

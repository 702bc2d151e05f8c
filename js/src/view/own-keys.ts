import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** With Ctrl: what edits and copies text, and Find. */
const EDITING = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'f']);

/** Whether a key is for the view: all but the shortcuts of the page around it, such as Ctrl+S. */
export function isOurs({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey) return !altKey && EDITING.has(key.toLowerCase());
  if (altKey) return key.startsWith('Arrow');
  return !/^F\d+$/.test(key);
}

/**
 * Keeps keys that are for the view from the shortcuts of a Lumino application (JupyterLab,
 * Notebook 7): d d typed in it deletes no cell. Notebook 7 listens while the event goes down, so it
 * must be told before that.
 */
export function useOwnKeys(element: RefObject<HTMLElement>): void {
  useEffect(() => {
    const ending = new AbortController();
    const hear = (event: KeyboardEvent) => {
      const section = element.current;
      if (!section || !event.composedPath().includes(section)) return;
      section.toggleAttribute('data-lm-suppress-shortcuts', isOurs(event));
    };
    const { signal } = ending;
    window.addEventListener('keydown', hear, { capture: true, signal });
    return () => ending.abort();
  }, [element]);
}

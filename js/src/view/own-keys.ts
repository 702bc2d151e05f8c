import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/** With Ctrl: what edits and copies text, and Find. */
const EDITING = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'f']);
/** With Ctrl and Shift: Ctrl+Shift+C is JupyterLab's palette. */
const SHIFTED = new Set(['v', 'z']);

/** Whether a key is for the view: all but the shortcuts of the page around it, such as Ctrl+S. */
export function isOurs({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey) return !altKey && (shiftKey ? SHIFTED : EDITING).has(key.toLowerCase());
  if (altKey) return key.startsWith('Arrow');
  return !/^F\d+$/.test(key);
}

/**
 * Keeps keys that are for the view from the shortcuts of a Lumino application (JupyterLab,
 * Notebook 7): d d typed in it deletes no cell. Lumino looks for its attribute from the focused
 * element outwards, and stops at the first that a shortcut is for, which may be the focused one; in
 * Notebook 7 it does so while the event goes down.
 */
export function useOwnKeys(element: RefObject<HTMLElement>): void {
  useEffect(() => {
    const ending = new AbortController();
    const hear = (event: KeyboardEvent) => {
      const path = event.composedPath();
      const [target] = path;
      if (!element.current || !path.includes(element.current)) return;
      if (target instanceof Element) {
        target.toggleAttribute('data-lm-suppress-shortcuts', isOurs(event));
      }
    };
    const { signal } = ending;
    window.addEventListener('keydown', hear, { capture: true, signal });
    return () => ending.abort();
  }, [element]);
}

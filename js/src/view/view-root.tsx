/** The element around every view, and what all parts of a view share: what the reader prefers,
 * whether the page is dark, and which keys are for the view. */
import { type ComponentChild, type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDark, onThemeChange } from '../render/theme';
import {
  DEFAULT_PREFERENCES,
  FIXED_PREFERENCES,
  type PreferenceSource,
} from '../state/preferences';

interface Props {
  label: string;
  /** Set where a page may hold many views of one name, so that they are no landmarks. */
  role?: 'group';
  children: ComponentChildren;
  element?: RefObject<HTMLElement>;
}

/** The element around a view. It knows whether the page is dark, and which keys are for the view. */
export function Root({ label, role, children, element }: Props) {
  const own = useRef<HTMLElement>(null);
  const root = element ?? own;
  const { motion } = usePreferences();
  useDark(root);
  useOwnKeys(root);
  return (
    <section
      ref={root}
      class={motion === 'still' ? 'jxv jxv-motionless' : 'jxv'}
      aria-label={label}
      {...(role ? { role } : {})}
    >
      {children}
    </section>
  );
}

const PreferencesContext = createContext(DEFAULT_PREFERENCES);

/** What the reader prefers now. */
export const usePreferences = () => useContext(PreferencesContext);

interface PreferredProps {
  preferring: PreferenceSource | undefined;
  children: ComponentChild;
}

/** Gives a view what the reader prefers. */
export function Preferred({ preferring = FIXED_PREFERENCES, children }: PreferredProps) {
  const [now, set] = useState(() => preferring.now());
  useLayoutEffect(() => {
    const ending = new AbortController();
    preferring.follow(() => set(preferring.now()), ending.signal);
    return () => ending.abort();
  }, [preferring]);
  return <PreferencesContext.Provider value={now}>{children}</PreferencesContext.Provider>;
}

/** Sets `data-dark` where the page around the view is dark, before the graph in it reads its colours. */
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

/** Keys that edit, copy or find with Ctrl. */
const EDITING_KEYS = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'f']);
/** The same with Ctrl and Shift. Ctrl+Shift+C is not one of them: it is JupyterLab's palette. */
const EDITING_KEYS_WITH_SHIFT = new Set(['v', 'z']);

/** Whether a key is for the view: all but the shortcuts of the page around it, such as Ctrl+S. */
export function isOurs({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey)
    return !altKey && (shiftKey ? EDITING_KEYS_WITH_SHIFT : EDITING_KEYS).has(key.toLowerCase());
  if (altKey) return key.startsWith('Arrow');
  return !/^F\d+$/.test(key);
}

/** Keeps keys that are for the view from the shortcuts of a Lumino application (JupyterLab,
 * Notebook 7), so that typing d d in it deletes no cell. Lumino looks for its attribute from the
 * focused element outwards and stops at the first element that a shortcut is for, which may be the
 * focused one. In Notebook 7 it does so in the capturing phase of the event. */
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

/** The element around every view, with what its parts share: preferences, dark colours, keys, and
 * the view in the whole window. */
import { type ComponentChild, type ComponentChildren, createContext, type RefObject } from 'preact';
import { useContext, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isDark, onThemeChange } from '../../render/theme';
import {
  DEFAULT_PREFERENCES,
  FIXED_PREFERENCES,
  type PreferenceSource,
} from '../../state/preferences';

interface Props {
  label: string;
  /** Set if a page may contain many views of one name: then they are no landmarks. */
  role?: 'group';
  children: ComponentChildren;
  element?: RefObject<HTMLElement>;
}

/** The element around a view. It detects dark pages and keeps the view's keys from the page. */
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

/** The reader's present preferences. */
export const usePreferences = () => useContext(PreferencesContext);

interface PreferredProps {
  preferring: PreferenceSource | undefined;
  children: ComponentChild;
}

/** Provides the reader's preferences to a view. */
export function Preferred({ preferring = FIXED_PREFERENCES, children }: PreferredProps) {
  const [now, set] = useState(() => preferring.now());
  useLayoutEffect(() => {
    const ending = new AbortController();
    preferring.follow(() => set(preferring.now()), ending.signal);
    return () => ending.abort();
  }, [preferring]);
  return <PreferencesContext.Provider value={now}>{children}</PreferencesContext.Provider>;
}

/** Sets `data-dark` if the page around the view is dark, before the graph reads its colours. */
export function useDark(element: RefObject<HTMLElement>): void {
  useLayoutEffect(() => {
    const ending = new AbortController();
    const shown = element.current as HTMLElement;
    const update = () => shown.toggleAttribute('data-dark', isDark(shown));
    update();
    onThemeChange(shown, update, ending.signal);
    return () => ending.abort();
  }, [element]);
}

/** Keys that edit, copy or find with Ctrl. */
const EDITING_KEYS = new Set(['a', 'c', 'v', 'x', 'z', 'y', 'f']);
/** The same with Ctrl and Shift. Ctrl+Shift+C is not among them: it is JupyterLab's palette. */
const EDITING_KEYS_WITH_SHIFT = new Set(['v', 'z']);

/** True for keys of the view: all but shortcuts of the page around it, such as Ctrl+S. */
export function isOurs({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey)
    return !altKey && (shiftKey ? EDITING_KEYS_WITH_SHIFT : EDITING_KEYS).has(key.toLowerCase());
  if (altKey) return key.startsWith('Arrow');
  return !/^F\d+$/.test(key);
}

/** Keeps the view's keys from the shortcuts of a Lumino application (JupyterLab, Notebook 7), so
 * that typing d d in the view deletes no cell. Lumino searches from the focused element outwards
 * for its attribute and stops at the first element with a shortcut, which may be the focused one.
 * In Notebook 7 it does so in the capturing phase. */
export function useOwnKeys(element: RefObject<HTMLElement>): void {
  useEffect(() => {
    const ending = new AbortController();
    const onKeyDown = (event: KeyboardEvent) => {
      const path = event.composedPath();
      const [target] = path;
      if (!element.current || !path.includes(element.current)) return;
      if (target instanceof Element) {
        target.toggleAttribute('data-lm-suppress-shortcuts', isOurs(event));
      }
    };
    const { signal } = ending;
    window.addEventListener('keydown', onKeyDown, { capture: true, signal });
    return () => ending.abort();
  }, [element]);
}

/** Selects the view that has the whole window. */
export const ENLARGED = '.jxv-enlarged';

/** Elements over the view that Escape closes or clears. */
const OWN_ESCAPE = '.jxv-menu, .jxv-help, input';

/** Returns true if a view has the whole window, and a function that toggles that. Escape ends it
 * too. As a popover, the view is above everything else on the page, and nothing around it clips or
 * moves it: neither notebooks that show only the visible cells, nor panels. */
export function useEnlarged(element: RefObject<HTMLElement>): [boolean, () => void] {
  const [enlarged, set] = useState(false);
  useEffect(() => {
    const view = element.current;
    if (!enlarged || !view) return;
    const back = raise(view);
    const ending = new AbortController();
    let backward = false;
    const onKeyDown = (event: KeyboardEvent) => {
      backward = event.shiftKey;
      if (event.key === 'Tab' && isEnd(view, backward)) {
        event.preventDefault();
        focusEnd(view, backward);
      }
      const isOver = event.target instanceof Element && event.target.closest(OWN_ESCAPE);
      if (event.key !== 'Escape' || isOver) return;
      event.preventDefault();
      event.stopPropagation();
      set(false);
    };
    const { signal } = ending;
    document.addEventListener('keydown', onKeyDown, { signal, capture: true });
    const keepFocus = ({ target }: FocusEvent) => {
      if (target instanceof Node && !view.contains(target)) focusEnd(view, backward);
    };
    document.addEventListener('focusin', keepFocus, { signal });
    return () => {
      ending.abort();
      back();
    };
  }, [enlarged]);
  return [enlarged, () => set(!enlarged)];
}

/** Shows a view above everything else on the page. The element around it keeps its height, so that
 * the page does not scroll; nothing else takes the focus or is read out. Returns a function that
 * restores the view and the focus. */
function raise(view: HTMLElement): () => void {
  const place = view.parentElement;
  const focus = document.activeElement;
  const others = elementsBeside(view);
  const height = place?.style.minHeight ?? '';
  if (place) place.style.minHeight = `${place.offsetHeight}px`;
  const attributes = { popover: 'manual', role: 'dialog', 'aria-modal': 'true' };
  for (const [name, value] of Object.entries(attributes)) view.setAttribute(name, value);
  view.classList.add('jxv-enlarged');
  view.showPopover?.();
  const refocus = () => focus instanceof HTMLElement && focus.focus({ preventScroll: true });
  for (const one of others) one.inert = true;
  refocus();
  return () => {
    for (const one of others) one.inert = false;
    view.hidePopover?.();
    for (const name of Object.keys(attributes)) view.removeAttribute(name);
    view.classList.remove('jxv-enlarged');
    if (place) place.style.minHeight = height;
    refocus();
  };
}

const FOCUSED = 'button, input, select, [tabindex], [contenteditable]';

/** The first or last element that Tab reaches in a view. */
function endOf(view: HTMLElement, last: boolean): HTMLElement | undefined {
  const all = [...view.querySelectorAll<HTMLElement>(FOCUSED)];
  return all.filter((one) => one.tabIndex >= 0 && one.checkVisibility()).at(last ? -1 : 0);
}

/** True if Tab, or Shift+Tab with `backward`, would leave a view: the cell and notebook around it
 * take the focus too, because they cannot be inert. */
const isEnd = (view: HTMLElement, backward: boolean): boolean =>
  document.activeElement === endOf(view, !backward);

const focusEnd = (view: HTMLElement, last: boolean): void =>
  endOf(view, last)?.focus({ preventScroll: true });

/** All elements that are neither in a view nor around it. */
function elementsBeside(view: HTMLElement): HTMLElement[] {
  const found: Element[] = [];
  for (let at = view; at.parentElement && at !== document.body; at = at.parentElement) {
    const others = [...at.parentElement.children].filter((one) => one !== at);
    found.push(...others.filter((one) => one instanceof HTMLElement && !one.inert));
  }
  return found as HTMLElement[];
}

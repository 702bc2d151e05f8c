/** A view that has the whole window. */
import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';

/** Selects the view that has the whole window. */
export const ENLARGED = '.jxv-enlarged';

/** Where Escape closes or clears something that lies over the view. */
const OWN_ESCAPE = '.jxv-menu, .jxv-help, input';

/** Whether a view has the whole window, and a function that gives it the window or takes it back.
 * Escape takes it back, too. As a popover the view lies above all else on the page, and nothing
 * around it clips or moves it: neither notebooks that show only the cells in view, nor panels. */
export function useEnlarged(element: RefObject<HTMLElement>): [boolean, () => void] {
  const [enlarged, set] = useState(false);
  useEffect(() => {
    const view = element.current;
    if (!enlarged || !view) return;
    const back = raise(view);
    const ending = new AbortController();
    let backward = false;
    const hear = (event: KeyboardEvent) => {
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
    document.addEventListener('keydown', hear, { signal, capture: true });
    const keep = ({ target }: FocusEvent) => {
      if (target instanceof Node && !view.contains(target)) focusEnd(view, backward);
    };
    document.addEventListener('focusin', keep, { signal });
    return () => {
      ending.abort();
      back();
    };
  }, [enlarged]);
  return [enlarged, () => set(!enlarged)];
}

/** Shows a view above all else on the page. What is around it keeps its height, so that the page stays
 * where it is; nothing else takes the focus or is read out. The returned function puts the view back,
 * and the focus where it was. */
function raise(view: HTMLElement): () => void {
  const place = view.parentElement;
  const focus = document.activeElement;
  const others = besides(view);
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

/** What Tab comes to first in a view, or last. */
function endOf(view: HTMLElement, last: boolean): HTMLElement | undefined {
  const all = [...view.querySelectorAll<HTMLElement>(FOCUSED)];
  return all.filter((one) => one.tabIndex >= 0 && one.checkVisibility()).at(last ? -1 : 0);
}

/** Whether Tab, or with `backward` Shift+Tab, would leave a view: the cell and the notebook around it take
 * the focus, too, as they cannot be inert. */
const isEnd = (view: HTMLElement, backward: boolean): boolean =>
  document.activeElement === endOf(view, !backward);

const focusEnd = (view: HTMLElement, last: boolean): void =>
  endOf(view, last)?.focus({ preventScroll: true });

/** All that is neither in a view nor around it. */
function besides(view: HTMLElement): HTMLElement[] {
  const found: Element[] = [];
  for (let at = view; at.parentElement && at !== document.body; at = at.parentElement) {
    const others = [...at.parentElement.children].filter((one) => one !== at);
    found.push(...others.filter((one) => one instanceof HTMLElement && !one.inert));
  }
  return found as HTMLElement[];
}

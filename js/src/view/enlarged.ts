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
    const hear = (event: KeyboardEvent) => {
      const isOver = event.target instanceof Element && event.target.closest(OWN_ESCAPE);
      if (event.key !== 'Escape' || isOver) return;
      event.preventDefault();
      event.stopPropagation();
      set(false);
    };
    const { signal } = ending;
    document.addEventListener('keydown', hear, { signal, capture: true });
    return () => {
      ending.abort();
      back();
    };
  }, [enlarged]);
  return [enlarged, () => set(!enlarged)];
}

/** Shows a view above all else on the page. What is around it keeps its height, so that the page stays
 * where it is. The returned function puts the view back. */
function raise(view: HTMLElement): () => void {
  const place = view.parentElement;
  const focus = document.activeElement;
  const height = place?.style.minHeight ?? '';
  if (place) place.style.minHeight = `${place.offsetHeight}px`;
  view.popover = 'manual';
  view.classList.add('jxv-enlarged');
  view.showPopover?.();
  if (focus instanceof HTMLElement) focus.focus({ preventScroll: true });
  return () => {
    view.hidePopover?.();
    view.removeAttribute('popover');
    view.classList.remove('jxv-enlarged');
    if (place) place.style.minHeight = height;
  };
}

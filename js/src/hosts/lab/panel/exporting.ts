import { EXPORT, EXPORTS, VIEWS } from '../../../view';
import { selectionIn } from '../selection';
import type { Document } from './active';
import { cellIn } from './inspect';

/** The view whose program is to be exported: that in the panel, else the one that something is
 * selected in, else that of the active cell; null where none of these can be. */
export function exportable(panel: HTMLElement, document: Document | null): HTMLElement | null {
  const { selected } = document ? selectionIn(document).now() : { selected: null };
  const inCell = cellIn(document)?.node.querySelectorAll(VIEWS) ?? [];
  const views = [...panel.querySelectorAll(VIEWS), selected?.view, ...inCell];
  const isIt = (one: unknown): one is HTMLElement =>
    one instanceof HTMLElement && one.offsetParent !== null && one.querySelector(EXPORTS) !== null;
  return views.find(isIt) ?? null;
}

/** Opens the view's own menu, once the palette has given back the focus, which the menu takes. */
export function openExports(view: HTMLElement): void {
  view.scrollIntoView({ block: 'nearest' });
  requestAnimationFrame(() => view.dispatchEvent(new CustomEvent(EXPORT)));
}

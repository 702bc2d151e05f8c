import { h, render } from 'preact';
import type { Followed } from '../../model/panel/followed-kernel';
import type { Preferring } from '../../model/preferences';
import { Preferred } from '../preferred';
import { PanelView } from './panel-view';

/**
 * Show the panel in an element until the signal aborts.
 *
 * Returns what gives it whom it follows, or what that kernel told: null where no notebook and no
 * console is open.
 */
export function mountPanel(
  element: HTMLElement,
  signal: AbortSignal,
  preferring?: Preferring,
): (followed: Followed | null) => void {
  const show = (followed: Followed | null) => {
    if (signal.aborted) return;
    render(h(Preferred, { preferring, children: h(PanelView, { followed }) }), element);
  };
  show(null);
  signal.addEventListener('abort', () => render(null, element), { once: true });
  return show;
}

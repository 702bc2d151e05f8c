/** Gives the panes of a view and its graph the size that they have in a cell, as happy-dom lays nothing out. */
import { CELL } from '../src/state/first-view';

const PANES_WIDTH = 1000;

if (typeof HTMLElement !== 'undefined') {
  Object.defineProperty(HTMLElement.prototype, 'clientWidth', {
    configurable: true,
    get(this: HTMLElement) {
      return this.classList.contains('jxv-panes') ? PANES_WIDTH : 0;
    },
  });
  HTMLElement.prototype.getBoundingClientRect = function () {
    return this.classList.contains('jxv-graph')
      ? new DOMRect(0, 0, CELL.width, CELL.height)
      : new DOMRect();
  };
}

/** Resolves once the page was painted and what waits for that is drawn. */
export const afterPaint = () =>
  new Promise<void>((done) => requestAnimationFrame(() => setTimeout(() => setTimeout(done))));

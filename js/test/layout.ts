/** The page that each file of tests runs in. The panes of a view and its graph have the size that
 * they have in a cell, as happy-dom lays nothing out; and the page stays until all code that a view
 * asked for has come, though its test may be over before: an import into a page that is gone fails
 * the whole run. */
import { afterAll, vi } from 'vitest';
import { CELL } from '../src/state/first-view';

afterAll(() => vi.dynamicImportSettled());

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
export async function afterPaint(): Promise<void> {
  for (let frame = 0; frame < 5; frame++) {
    await new Promise<void>((done) =>
      requestAnimationFrame(() => setTimeout(() => setTimeout(done))),
    );
  }
}

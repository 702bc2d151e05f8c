/** What is done with the plots of the timeline; moments are px from a plot's left edge. */
export interface Plots {
  /** A row, and px within its plot. */
  click(at: Point, isOther: boolean): void;
  doubleClick(at: Point): void;
  hover(at: Point | null): void;
  /** A stretch is being marked, or no longer. */
  brush(from: number, to: number): void;
  brushed(from: number, to: number): void;
  stop(): void;
  zoom(factor: number, x: number): void;
  /** Gives whether there is anywhere to go. */
  pan(px: number): boolean;
}

export interface Point {
  row: number;
  x: number;
  y: number;
}

/** A pointer that moves less than this between down and up clicks, CSS px. */
const STEADY = 4;

/**
 * A drag marks a stretch to zoom into; with Shift, or by a finger, it pans. Two fingers zoom, and so
 * does the wheel while Ctrl is held; a wheel to the side pans.
 */
export function listenToPlots(grid: HTMLElement, plots: () => Plots): () => void {
  const down = new Map<number, number>();
  let begin = 0;
  let travelled = 0;
  const placeOf = (event: MouseEvent): Point | null => {
    const plot = (event.target as Element).closest?.('.jxv-log-plot');
    const row = (event.target as Element).closest?.('[data-row]');
    if (!plot) return null;
    const { left, top } = plot.getBoundingClientRect();
    const index = row instanceof HTMLElement ? Number(row.dataset.row) : -1;
    return { row: index, x: event.clientX - left, y: event.clientY - top };
  };
  const isPanning = ({ pointerType, shiftKey }: PointerEvent) =>
    pointerType === 'touch' || shiftKey;
  const events: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void } = {
    pointerdown(event) {
      const at = placeOf(event);
      if (event.button !== 0 || !at) return;
      down.set(event.pointerId, at.x);
      if (down.size > 1) return;
      [begin, travelled] = [at.x, 0];
      (event.target as Element).setPointerCapture(event.pointerId);
    },
    pointermove(event) {
      const at = placeOf(event);
      const from = down.get(event.pointerId);
      if (from === undefined || !at) {
        plots().hover(at && at.row >= 0 ? at : null);
        return;
      }
      travelled = Math.max(travelled, Math.abs(at.x - begin));
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      down.set(event.pointerId, at.x);
      if (other !== undefined) {
        const apart = (x: number) => Math.max(8, Math.abs(x - other));
        travelled = STEADY;
        plots().zoom(apart(from) / apart(at.x), (at.x + other) / 2);
      } else if (travelled < STEADY) return;
      else if (isPanning(event)) plots().pan(from - at.x);
      else plots().brush(begin, at.x);
    },
    pointerup(event) {
      if (!down.delete(event.pointerId) || down.size > 0) return;
      const at = placeOf(event);
      if (at && travelled < STEADY) {
        plots().stop();
        plots().click(at, event.shiftKey || event.ctrlKey || event.metaKey);
      } else if (at && !isPanning(event)) plots().brushed(begin, at.x);
      else plots().stop();
    },
    pointercancel(event) {
      down.delete(event.pointerId);
      plots().stop();
    },
    pointerleave() {
      plots().hover(null);
    },
    dblclick(event) {
      const at = placeOf(event);
      if (at) plots().doubleClick(at);
    },
    wheel(event) {
      const at = placeOf(event);
      if (!at) return;
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const isAside = Math.abs(event.deltaX) > Math.abs(event.deltaY);
      if (event.ctrlKey) {
        const amount = Math.max(-60, Math.min(60, event.deltaY * lines));
        plots().zoom(Math.exp(amount * 0.01), at.x);
      } else if (!isAside || !plots().pan(event.deltaX * lines)) return;
      event.preventDefault();
    },
  };
  const all = Object.entries(events) as [string, EventListener][];
  for (const [name, run] of all) grid.addEventListener(name, run, { passive: false });
  return () => {
    for (const [name, run] of all) grid.removeEventListener(name, run);
  };
}

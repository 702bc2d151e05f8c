/** What the pointer and the keys do in the graph. */
import type { Scene } from '../../layout/scene';
import { beside, walk } from '../../layout/trace';
import type { Picture } from '../../render/canvas';
import type { Action } from '../../state/view-state';

/** What is called when the reader clicks or points. */
export interface GraphGestures {
  /** A click on a box, by its index, and whether on its triangle; -1 beside all boxes. */
  click(box: number, fold: boolean): void;
  doubleClick(box: number): void;
  hover(box: number): void;
}

/** A pointer that moves less than this between down and up makes a click, CSS px. */
const CLICK_TOLERANCE = 4;

/** A second click within this time makes a double click, ms. */
const DOUBLE_CLICK_TIME = 400;

/** Hears the pointer until the returned function is called. A drag moves the picture, two fingers
 * zoom, and so does the wheel while the canvas has the focus or Ctrl is held; else the wheel
 * scrolls the page. */
export function listenToPointer(
  canvas: HTMLCanvasElement,
  picture: Picture,
  heard: GraphGestures,
): () => void {
  const down = new Map<number, { x: number; y: number }>();
  let travelled = 0;
  let clicked: { box: number; x: number; y: number; at: number } | null = null;
  const place = (event: MouseEvent) => {
    const { left, top } = canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const hitAt = (event: MouseEvent) => {
    const { x, y } = place(event);
    return picture.at(x, y);
  };
  const events: { [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void } = {
    pointerdown(event) {
      if (event.button !== 0) return;
      down.set(event.pointerId, place(event));
      if (down.size === 1) travelled = 0;
      canvas.setPointerCapture(event.pointerId);
    },
    pointermove(event) {
      const to = place(event);
      const from = down.get(event.pointerId);
      if (!from) {
        const found = picture.at(to.x, to.y);
        canvas.style.cursor = found ? 'pointer' : 'grab';
        heard.hover(found?.box ?? -1);
        return;
      }
      const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
      down.set(event.pointerId, to);
      travelled += Math.hypot(to.x - from.x, to.y - from.y);
      if (travelled < CLICK_TOLERANCE) return;
      if (other) {
        const apart = (point: { x: number; y: number }) =>
          Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
        picture.zoom(apart(to) / apart(from), (to.x + other.x) / 2, (to.y + other.y) / 2);
      }
      const share = other ? 0.5 : 1;
      picture.pan((to.x - from.x) * share, (to.y - from.y) * share);
    },
    pointerup(event) {
      if (!down.delete(event.pointerId) || down.size > 0 || travelled >= CLICK_TOLERANCE) return;
      const found = hitAt(event);
      const { clientX: x, clientY: y, timeStamp: at } = event;
      clicked = found && !found.fold ? { box: found.box, x, y, at } : null;
      heard.click(found?.box ?? -1, found?.fold ?? false);
    },
    pointercancel(event) {
      down.delete(event.pointerId);
    },
    pointerleave() {
      heard.hover(-1);
    },
    dblclick(event) {
      const found = hitAt(event);
      if (found && !found.fold) heard.doubleClick(found.box);
    },
    wheel(event) {
      if (!event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const amount = Math.max(-60, Math.min(60, event.deltaY * lines));
      const { x, y } = place(event);
      picture.zoom(Math.exp(-amount * (event.ctrlKey ? 0.01 : 0.004)), x, y);
    },
  };
  // What is said of the selection may come to lie over the box, under the second click.
  const elsewhere = (event: MouseEvent) => {
    if (event.target === canvas || !clicked || event.timeStamp - clicked.at > DOUBLE_CLICK_TIME)
      return;
    if (Math.hypot(event.clientX - clicked.x, event.clientY - clicked.y) >= CLICK_TOLERANCE) return;
    event.preventDefault();
    heard.doubleClick(clicked.box);
    clicked = null;
  };
  window.addEventListener('mousedown', elsewhere, { capture: true });
  const all = Object.entries(events) as [string, EventListener][];
  for (const [name, run] of all) canvas.addEventListener(name, run, { passive: false });
  return () => {
    window.removeEventListener('mousedown', elsewhere, { capture: true });
    for (const [name, run] of all) canvas.removeEventListener(name, run);
  };
}

/** The factor by which a key zooms. */
const ZOOM_STEP = 1.25;

/** What a key does in the graph; null for a key that does nothing there. */
export function keyAction(
  event: KeyboardEvent,
  scene: Scene,
  selected: number,
  picture: Picture | null,
  dispatch: (action: Action) => void,
): (() => void) | null {
  if (event.ctrlKey || event.metaKey || event.altKey) return null;
  const item = scene.boxes[selected]?.item;
  const go = (box: number) => {
    const id = scene.boxes[selected < 0 ? 0 : box]?.item.id;
    if (id !== undefined) dispatch({ type: 'select', id });
  };
  const toggle = () => {
    if (item?.foldable) dispatch({ type: 'toggle', id: item.id });
  };
  const keys = new Map<string, () => void>([
    ['ArrowDown', () => go(walk(scene, selected, 1))],
    ['ArrowUp', () => go(walk(scene, selected, -1))],
    ['ArrowLeft', () => go(beside(scene, selected, -1))],
    ['ArrowRight', () => go(beside(scene, selected, 1))],
    ['Enter', toggle],
    [' ', toggle],
    ['+', () => picture?.zoom(ZOOM_STEP)],
    ['=', () => picture?.zoom(ZOOM_STEP)],
    ['-', () => picture?.zoom(1 / ZOOM_STEP)],
    ['0', () => picture?.fit()],
    ['Escape', () => dispatch({ type: 'select', id: null })],
  ]);
  return keys.get(event.key) ?? null;
}

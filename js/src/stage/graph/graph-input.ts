/** The pointer and the keys in the graph. */
import type { Scene } from '../../layout/scene';
import { beside, walk } from '../../layout/scene-walk';
import type { Picture } from '../../render/canvas';
import { pointIn } from '../../render/css-zoom';
import { ENLARGED } from '../../shell/parts/root';
import type { Action } from '../../state/view-state';

/** The reader's gestures in the graph. */
export interface GraphGestures {
  /** A click on a box, by its index, and true if it is on the triangle; -1 beside all boxes. */
  click(box: number, fold: boolean): void;
  doubleClick(box: number): void;
  hover(box: number): void;
}

/** A pointer that moves less than this between down and up clicks, CSS px. */
const CLICK_TOLERANCE = 4;

/** Follows the pointer until the returned function is called. A drag moves the picture; two fingers
 * zoom, and so does the wheel with Ctrl or ⌘. Otherwise the wheel scrolls the page; in a view with
 * the whole window, which has no page, it zooms. */
export function listenToPointer(
  canvas: HTMLCanvasElement,
  picture: Picture,
  gestures: GraphGestures,
): () => void {
  const pointer = new GraphPointer(canvas, picture, gestures);
  const stop = new AbortController();
  const { signal } = stop;
  canvas.addEventListener('pointerdown', (event) => pointer.press(event), { signal });
  canvas.addEventListener('pointermove', (event) => pointer.move(event), { signal });
  canvas.addEventListener('pointerup', (event) => pointer.release(event), { signal });
  canvas.addEventListener('pointercancel', (event) => pointer.forget(event), { signal });
  canvas.addEventListener('pointerleave', () => gestures.hover(-1), { signal });
  canvas.addEventListener('dblclick', (event) => pointer.clickTwice(event), { signal });
  canvas.addEventListener('wheel', (event) => pointer.roll(event), { signal, passive: false });
  return () => stop.abort();
}

interface Point {
  x: number;
  y: number;
}

/** The pointers that are down, and the distance that they moved. */
class GraphPointer {
  readonly #down = new Map<number, Point>();
  #travelled = 0;

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly picture: Picture,
    readonly gestures: GraphGestures,
  ) {}

  press(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.#down.set(event.pointerId, this.#place(event));
    if (this.#down.size === 1) this.#travelled = 0;
    this.canvas.setPointerCapture(event.pointerId);
  }

  move(event: PointerEvent): void {
    const to = this.#place(event);
    const from = this.#down.get(event.pointerId);
    if (from) this.#drag(event.pointerId, from, to);
    else {
      const found = this.picture.at(to.x, to.y);
      this.canvas.style.cursor = found ? 'pointer' : 'grab';
      this.gestures.hover(found?.box ?? -1);
    }
  }

  #drag(pointer: number, from: Point, to: Point): void {
    const other = [...this.#down].find(([id]) => id !== pointer)?.[1];
    this.#down.set(pointer, to);
    this.#travelled += Math.hypot(to.x - from.x, to.y - from.y);
    if (this.#travelled < CLICK_TOLERANCE) return;
    if (other) {
      const distance = (point: Point) =>
        Math.max(1, Math.hypot(point.x - other.x, point.y - other.y));
      this.picture.zoom(distance(to) / distance(from), (to.x + other.x) / 2, (to.y + other.y) / 2);
    }
    const share = other ? 0.5 : 1;
    this.picture.pan((to.x - from.x) * share, (to.y - from.y) * share);
  }

  release(event: PointerEvent): void {
    const isClick = this.#travelled < CLICK_TOLERANCE;
    if (!this.#down.delete(event.pointerId) || this.#down.size > 0 || !isClick) return;
    const found = this.#boxAt(event);
    this.gestures.click(found?.box ?? -1, found?.fold ?? false);
  }

  forget(event: PointerEvent): void {
    this.#down.delete(event.pointerId);
  }

  clickTwice(event: MouseEvent): void {
    const found = this.#boxAt(event);
    if (found && !found.fold) this.gestures.doubleClick(found.box);
  }

  roll(event: WheelEvent): void {
    const zooms = event.ctrlKey || event.metaKey;
    if (!zooms && !this.canvas.closest(ENLARGED)) return;
    event.preventDefault();
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    const amount = Math.max(-60, Math.min(60, event.deltaY * lines));
    const { x, y } = this.#place(event);
    this.picture.zoom(Math.exp(-amount * (zooms ? 0.01 : 0.004)), x, y);
  }

  #place(event: MouseEvent): Point {
    return pointIn(this.canvas, event);
  }

  #boxAt(event: MouseEvent) {
    const { x, y } = this.#place(event);
    return this.picture.at(x, y);
  }
}

/** The zoom factor of a key. */
const ZOOM_STEP = 1.25;

/** The action of a key in the graph; null if it has none there. */
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

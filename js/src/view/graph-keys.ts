import type { Scene } from '../layout/scene';
import { beside, walk } from '../layout/trace';
import type { Picture } from '../render/canvas';
import type { Action } from '../state/view-state';

const STEP = 1.25;

/** What a key does in the graph; null where it is not the graph's. */
export function keyed(
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
    ['+', () => picture?.zoom(STEP)],
    ['=', () => picture?.zoom(STEP)],
    ['-', () => picture?.zoom(1 / STEP)],
    ['0', () => picture?.fit()],
    ['Escape', () => dispatch({ type: 'select', id: null })],
  ]);
  return keys.get(event.key) ?? null;
}

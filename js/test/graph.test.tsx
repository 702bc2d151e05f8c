import { render } from 'preact';
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import type { Stage } from '../src/schema';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { Drawn } from './drawn';
import { stageOf } from './fixtures';
import { host, one, press } from './page';

/** The camera of a graph without a size stays at its corner, so that boxes are where the scene has them. */
HTMLElement.prototype.getBoundingClientRect = () => new DOMRect();

/** A graph on the page whose actions are carried out. */
function show(stage: Stage) {
  const actions: Action[] = [];
  let state: ViewState = { ...start(stage), open: new Set() };
  const dispatch = (action: Action) => {
    actions.push(action);
    state = update(state, action);
    draw();
  };
  const draw = () => act(() => render(<Drawn state={state} dispatch={dispatch} />, host));
  draw();
  const canvas = one('canvas') as HTMLCanvasElement;
  return {
    canvas,
    actions,
    state: () => state,
    key: (name: string) => press(canvas, name),
    point: (name: string, x: number, y: number) =>
      act(() => {
        const at = { clientX: x, clientY: y, pointerId: 1, button: 0, bubbles: true };
        canvas.dispatchEvent(
          name === 'dblclick' ? new MouseEvent(name, at) : new PointerEvent(name, at),
        );
      }),
  };
}

describe('the graph', () => {
  test('says what it shows', () => {
    const { canvas } = show(stageOf('lesson'));
    expect(canvas.getAttribute('role')).toBe('img');
    expect(canvas.getAttribute('aria-label')).toBe('Graph of lesson, 6 boxes');
    expect(canvas.tabIndex).toBe(0);
  });

  test('says so where there is nothing to draw', () => {
    const stage = { ...stageOf('lesson'), graphs: [] };
    show(stage);
    expect(host.textContent).toContain('Nothing to draw');
  });

  test('is walked along the data flow by the arrow keys', () => {
    const { key, state } = show(stageOf('lesson'));
    key('ArrowDown');
    expect(state().selected).toBe('in0');
    key('ArrowDown');
    key('ArrowRight');
    expect(state().selected).toBe('1');
    key('ArrowDown');
    expect(state().selected).toBe('2');
    key('ArrowUp');
    expect(state().selected).toBe('0');
    key('Escape');
    expect(state().selected).toBeNull();
  });

  test('folds what is selected, and leaves other keys to the host', () => {
    const stage = stageOf('scan_with_cond');
    const { key, state, actions } = show(stage);
    const scan = sceneOf(stage, new Set()).boxes.find((box) => box.item.foldable);
    const id = scan?.item.id as string;
    while (state().selected !== id) key('ArrowDown');
    key('Enter');
    expect(state().open).toEqual(new Set([id]));
    key(' ');
    expect(state().open).toEqual(new Set());
    const before = actions.length;
    key('x');
    expect(actions.length).toBe(before);
  });

  test('selects on a click, folds on a click on the triangle and on a double click', () => {
    const stage = stageOf('scan_with_cond');
    const { point, state } = show(stage);
    const scan = sceneOf(stage, new Set(), state().shape).boxes.find((box) => box.item.foldable);
    const { x, y, w, h } = scan as { x: number; y: number; w: number; h: number };
    const click = (atX: number, atY: number) => {
      point('pointerdown', atX, atY);
      point('pointerup', atX, atY);
    };
    click(x + w - 5, y + h / 2);
    expect(state().selected).toBe(scan?.item.id);
    click(x + 8, y + h / 2);
    expect(state().open.size).toBe(1);
    point('dblclick', x + w - 5, y + 10);
    expect(state().open.size).toBe(0);
    click(2, 2);
    expect(state().selected).toBeNull();
  });

  test('a drag selects nothing', () => {
    const { point, actions } = show(stageOf('lesson'));
    point('pointerdown', 10, 10);
    point('pointermove', 60, 40);
    point('pointerup', 60, 40);
    expect(actions).toEqual([]);
  });

  test('tells what is hovered, once', () => {
    const stage = stageOf('lesson');
    const { point, actions, canvas } = show(stage);
    const box = sceneOf(stage, new Set()).boxes[1] as { x: number; y: number };
    point('pointermove', box.x + 2, box.y + 2);
    point('pointermove', box.x + 4, box.y + 2);
    expect(actions).toEqual([{ type: 'hover', id: '0' }]);
    expect(canvas.title).toContain('integer_pow');
    point('pointerleave', 0, 0);
    expect(actions[1]).toEqual({ type: 'hover', id: null });
  });

  test('leaves the wheel to the page, before and after a click, unless Ctrl or ⌘ is held', () => {
    const { canvas } = show(stageOf('lesson'));
    const wheel = (held: WheelEventInit = {}) => {
      const event = new WheelEvent('wheel', { deltaY: 5, cancelable: true });
      for (const [key, value] of Object.entries(held)) Object.defineProperty(event, key, { value });
      canvas.dispatchEvent(event);
      return event.defaultPrevented;
    };
    expect(wheel()).toBe(false);
    canvas.focus();
    expect(wheel()).toBe(false);
    expect(wheel({ ctrlKey: true })).toBe(true);
    expect(wheel({ metaKey: true })).toBe(true);
    document.body.classList.add('jxv-enlarged');
    expect(wheel()).toBe(true);
    document.body.classList.remove('jxv-enlarged');
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { afterEach, describe, expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import type { Program, Stage } from '../src/schema';
import { type Action, start, update, type ViewState } from '../src/state/view-state';
import { Drawn } from './drawn';

const golden = (name: string): Stage => {
  const path = join(import.meta.dirname, `../../tests/golden/${name}.json`);
  return (JSON.parse(readFileSync(path, 'utf8')) as Program).stages[0] as Stage;
};

/** The camera of a graph without a size stays at its corner, so that boxes are where the scene has them. */
HTMLElement.prototype.getBoundingClientRect = () => new DOMRect();

/** A graph on the page whose actions are carried out. */
function show(stage: Stage) {
  const host = document.body.appendChild(document.createElement('div'));
  const actions: Action[] = [];
  let state: ViewState = { ...start(stage), open: new Set() };
  const dispatch = (action: Action) => {
    actions.push(action);
    state = update(state, action);
    draw();
  };
  const draw = () => act(() => render(<Drawn state={state} dispatch={dispatch} />, host));
  draw();
  const canvas = host.querySelector('canvas') as HTMLCanvasElement;
  return {
    canvas,
    actions,
    state: () => state,
    press: (key: string) =>
      act(() => {
        canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
      }),
    point: (name: string, x: number, y: number) =>
      act(() => {
        const at = { clientX: x, clientY: y, pointerId: 1, button: 0, bubbles: true };
        canvas.dispatchEvent(
          name === 'dblclick' ? new MouseEvent(name, at) : new PointerEvent(name, at),
        );
      }),
  };
}

afterEach(() => {
  for (const host of document.body.children) render(null, host);
  document.body.replaceChildren();
});

describe('the graph', () => {
  test('says what it shows', () => {
    const { canvas } = show(golden('lesson'));
    expect(canvas.getAttribute('role')).toBe('img');
    expect(canvas.getAttribute('aria-label')).toBe('Graph of lesson, 6 boxes');
    expect(canvas.tabIndex).toBe(0);
  });

  test('says so where there is nothing to draw', () => {
    const stage = { ...golden('lesson'), graphs: [] };
    show(stage);
    expect(document.body.textContent).toContain('Nothing to draw');
  });

  test('is walked along the data flow by the arrow keys', () => {
    const { press, state } = show(golden('lesson'));
    press('ArrowDown');
    expect(state().selected).toBe('in0');
    press('ArrowDown');
    press('ArrowRight');
    expect(state().selected).toBe('1');
    press('ArrowDown');
    expect(state().selected).toBe('2');
    press('ArrowUp');
    expect(state().selected).toBe('0');
    press('Escape');
    expect(state().selected).toBeNull();
  });

  test('folds what is selected, and leaves other keys to the host', () => {
    const stage = golden('scan_with_cond');
    const { press, state, actions } = show(stage);
    const scan = sceneOf(stage, new Set()).boxes.find((box) => box.item.foldable);
    const id = scan?.item.id as string;
    while (state().selected !== id) press('ArrowDown');
    press('Enter');
    expect(state().open).toEqual(new Set([id]));
    press(' ');
    expect(state().open).toEqual(new Set());
    const before = actions.length;
    press('x');
    expect(actions.length).toBe(before);
  });

  test('selects on a click, folds on a click on the triangle and on a double click', () => {
    const stage = golden('scan_with_cond');
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
    const { point, actions } = show(golden('lesson'));
    point('pointerdown', 10, 10);
    point('pointermove', 60, 40);
    point('pointerup', 60, 40);
    expect(actions).toEqual([]);
  });

  test('tells what is hovered, once', () => {
    const stage = golden('lesson');
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
    const { canvas } = show(golden('lesson'));
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

import { act } from 'preact/test-utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { golden } from './fixtures';
import { host, mounted } from './page';
import { until } from './until';

/** Tells the view whether it is on the screen, as a browser does. */
let scrolled: (isIntersecting: boolean) => void;

beforeEach(async () => {
  class Observer {
    constructor(readonly onEntries: (entries: object[]) => void) {}
    observe(element: Element) {
      if (!element.classList.contains('jxv-frame')) return;
      const boundingClientRect = new DOMRect(0, 0, 800, 600);
      scrolled = (isIntersecting) =>
        act(() => this.onEntries([{ isIntersecting, boundingClientRect }]));
    }
    disconnect() {}
  }
  vi.stubGlobal('IntersectionObserver', Observer);
  await mounted(golden('lesson'));
});
afterEach(() => vi.unstubAllGlobals());

const holds = () => host.querySelectorAll('canvas, .cm-editor, [role=treeitem]').length > 0;
const label = () => host.querySelector('canvas')?.getAttribute('aria-label');

test('a view off the screen holds no graph, text and tree, and comes back as it was', async () => {
  const [before, height] = [label(), host.querySelector('.jxv-frame')?.getAttribute('style')];
  expect(before).toBe('Graph of lesson, 6 boxes');
  scrolled(false);
  expect(label()).toBe(before); // it may come back at once, as where the page has another width
  await until(() => !holds());
  expect(host.querySelector('.jxv-frame')?.getAttribute('style')).toBe(height);
  scrolled(true);
  await until(() => holds());
  expect(label()).toBe(before);
});

test('one that the reader did something in stays whole', () => {
  const canvas = host.querySelector('canvas') as HTMLElement;
  act(() => void canvas.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })));
  scrolled(false);
  expect(host.querySelector('canvas')).toBe(canvas);
});

test('a view that passes has its graph, and its text once the page rests', async () => {
  scrolled(false);
  await until(() => !holds());
  const frame = host.querySelector('.jxv-frame') as HTMLElement;
  let [top, pace] = [0, 30];
  frame.getBoundingClientRect = () => {
    top += pace;
    return new DOMRect(0, top, 800, 600);
  };
  scrolled(true);
  await until(() => label() !== undefined);
  expect(host.querySelector('.jxv-side')).toBeNull();
  pace = 0;
  await until(() => host.querySelector('.jxv-side') !== null);
});

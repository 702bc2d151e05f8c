import { render } from 'preact';
import { act } from 'preact/test-utils';
import { beforeEach, expect, test } from 'vitest';
import type { Stage } from '../src/schema';
import { Tree } from '../src/stage/outline-tree';
import { everything } from '../src/state/open-items';
import type { Action } from '../src/state/view-state';
import { chain, stage, stageOf } from './fixtures';
import { host, one, press } from './page';

let actions: Action[];

beforeEach(() => {
  actions = [];
});

function show(of: Stage, open: ReadonlySet<string>, selected: string | null = null): void {
  act(() =>
    render(
      <Tree
        stage={of}
        open={open}
        only={null}
        selected={selected}
        dispatch={(one) => actions.push(one)}
        shown
      />,
      host,
    ),
  );
}

const items = () => [...host.querySelectorAll<HTMLElement>('[role=treeitem]')];
const active = () => host.querySelector('[tabindex="0"]')?.getAttribute('aria-label');

const key = (name: string) => press(one('[tabindex="0"]'), name);

test('a row says its level, its place, and whether it is open and selected', () => {
  const of = stageOf('scan_sum');
  const scan = of.graphs[0]?.eqns.findIndex(({ op }) => op === 'scan');
  show(of, new Set([`${scan}`]), `${scan}`);
  const row = items().find((one) => one.getAttribute('aria-expanded') !== null);
  const attributes = [
    'aria-level',
    'aria-posinset',
    'aria-setsize',
    'aria-expanded',
    'aria-selected',
  ];
  expect(host.firstElementChild?.getAttribute('role')).toBe('tree');
  expect(host.firstElementChild?.getAttribute('aria-label')).toBe('Program outline');
  expect(attributes.map((name) => row?.getAttribute(name))).toEqual([
    '1',
    '2',
    '4',
    'true',
    'true',
  ]);
  expect(row?.getAttribute('aria-label')).toMatch(
    /^scan, ×5, f32\[\], 2 eqns inside, tests\/programs\/control\.py:\d+$/,
  );
});

test('arrows walk the open rows, Home and End go to the ends, a letter to the next such row', () => {
  show(stageOf('lesson'), new Set());
  const seen = ['ArrowDown', 'ArrowDown', 'ArrowUp', 'End', 'Home', 's', 'ArrowUp'].map((name) => {
    key(name);
    return active()?.split(',')[0];
  });
  expect(seen).toEqual([
    'integer_pow',
    'sin',
    'integer_pow',
    'output result',
    'input x',
    'sin',
    'integer_pow',
  ]);
});

test('one row alone is in the tab order', () => {
  show(stageOf('lesson'), new Set());
  key('ArrowDown');
  expect(items().filter((one) => one.tabIndex === 0)).toHaveLength(1);
});

test('right opens and then goes in, left goes out and then closes, Enter selects', () => {
  const of = stage([chain(['jit'], [[1]]), chain(['sin'])]);
  show(of, new Set());
  key('ArrowDown');
  key('ArrowRight');
  expect(actions.at(-1)).toEqual({ type: 'toggle', id: '0' });
  show(of, new Set(['0']));
  key('ArrowRight');
  key('ArrowDown');
  expect(active()).toBe('sin, f32[]');
  key('Enter');
  expect(actions.at(-1)).toEqual({ type: 'select', id: '0.0/0' });
  key('ArrowLeft');
  expect(active()).toBe('jit, f32[], 1 eqn inside');
  key('ArrowLeft');
  expect(actions.at(-1)).toEqual({ type: 'toggle', id: '0' });
});

test('of 5,000 rows few are drawn, and all can be reached', () => {
  show(stage([chain(Array.from({ length: 5000 }, () => 'sin'))]), new Set());
  expect(items().length).toBeLessThan(100);
  expect(items().at(-1)?.textContent).toBe('4,912 more below');
  key('End');
  expect(active()).toBe('output result, f32[]');
  expect(items()[0]?.textContent).toMatch(/^4,[0-9]{3} more above$/);
});

test('markup in a program is text', () => {
  const of = stageOf('hostile');
  show(of, everything(of));
  expect(host.querySelector('img, script')).toBeNull();
  expect(host.textContent).toContain('<img src=x onerror=alert(1)>');
});

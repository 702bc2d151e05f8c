import { act } from 'preact/test-utils';
import { describe, expect, test, vi } from 'vitest';
import type { Program } from '../src/schema';
import { isOurs } from '../src/shell/parts/root';
import { golden } from './fixtures';
import { choose } from './menus';
import { button, click, host, leave, mounted, one, press, row, texts, type } from './page';
import { until } from './until';

/** Finding one's way in a view: back and forward, breadcrumbs, the list of matches, what is kept. */

const show = (program: Program) => mounted(program, { opening: { stage: 'jaxpr' } });

async function showAgain(program: Program): Promise<void> {
  leave();
  await show(program);
}

const title = () => host.querySelector('.jxv-title')?.textContent ?? '';

describe('back and forward', () => {
  test('by the buttons and by Alt with the arrow keys', async () => {
    await show(golden('lesson'));
    expect(button('Back')).toBeUndefined();
    click(row('sin'));
    click(row('add'));
    click(button('Back'));
    expect(title()).toBe('c = sin x');
    press(one('canvas'), 'ArrowRight', { altKey: true });
    expect(title()).toBe('d = add b c');
    press(one('input'), 'ArrowLeft', { altKey: true });
    expect(title()).toBe('c = sin x');
    click(button('Forward'));
    expect(title()).toBe('d = add b c');
    expect(button('Forward').getAttribute('aria-disabled')).toBe('true');
  });
});

describe('the breadcrumb', () => {
  test('leads to each thing that encloses the selection', async () => {
    await show(golden('scan_with_cond'));
    choose('Expand all');
    click(row('mul'));
    expect(texts('.jxv-crumbs li')).toEqual(['scan_with_cond', 'scan', 'cond', 'if false', 'mul']);
    expect(one('.jxv-crumbs [aria-current]').textContent).toBe('mul');
    click(button('cond'));
    expect(title()).toMatch(/= cond /);
    click(button('scan_with_cond'));
    expect(host.querySelector('.jxv-crumbs')).toBeNull();
  });
});

describe('going along the data', () => {
  test('p and u go round producers and users, and are announced', async () => {
    await show(golden('lesson'));
    click(row('add'));
    press(one('canvas'), 'p');
    expect(title()).toBe('b = integer_pow x');
    press(one('canvas'), 'p');
    expect(title()).toBe('c = sin x');
    expect(one('[role=status]').textContent).toBe(
      'Selected c = sin x, f32[4], from x, to add; producer 2 of 2',
    );
    press(one('canvas'), 'ArrowDown', { altKey: true });
    expect(title()).toBe('d = add b c');
  });

  test('a letter in the outline leads to a line, in Find it is written', async () => {
    await show(golden('lesson'));
    click(row('add'));
    press(row('add'), 'u');
    press(one('input'), 'u');
    expect(title()).toBe('d = add b c');
  });

  test('what leads to the selection, or comes from it, is shown alone', async () => {
    await show(golden('lesson'));
    click(row('sin'));
    press(one('canvas'), '[');
    expect(button('↑ Only its inputs').getAttribute('aria-pressed')).toBe('true');
    expect(texts('.jxv-row-label')).toEqual(['x', 'sin']);
    click(button('↓ Only what depends on it'));
    expect(texts('.jxv-row-label')).toEqual(['sin', 'add', 'reduce_sum', 'result']);
    expect(one('[role=status]').textContent).toContain('Showing only what depends on it');
    click(button('↓ Only what depends on it'));
    expect(texts('.jxv-row-label')).toHaveLength(6);
    press(one('canvas'), ']');
    press(one('.jxv-details-text'), 'Escape');
    expect([title(), texts('.jxv-row-label').length]).toEqual(['', 6]);
  });
});

describe('the list of matches', () => {
  test('says by examples what can be found, before and where nothing was', async () => {
    await show(golden('lesson'));
    act(() => one('input').focus());
    await until(() => host.querySelector('.jxv-query-kinds'));
    expect(one('.jxv-query-kinds').textContent).toContain('f32[8,64]');
    type('no such thing');
    expect(one('.jxv-query-kinds').textContent).toContain('Nothing found');
    act(() => one('input').blur());
    expect(host.querySelector('.jxv-query-kinds')).toBeNull();
  });

  test('is by what encloses them; arrow keys walk it and Enter goes', async () => {
    await show(golden('scan_with_cond'));
    type('f32[3]');
    await until(() => host.querySelector('[role=option]'));
    expect(texts('.jxv-match-section')).toEqual([
      'scan_with_cond4',
      'scan5',
      'scan › cond › if false5',
      'scan › cond › if true5',
    ]);
    const current = () => one('[role=option][aria-selected=true]');
    press(one('input'), 'ArrowDown');
    press(one('input'), 'ArrowDown');
    expect(current().textContent).toMatch(/^broadcast_in_dimf32\[\] → f32\[3\]tests/);
    expect(one('input').getAttribute('aria-activedescendant')).toBe(current().id);
    expect(title()).toBe('');
    press(one('input'), 'Enter');
    expect(title()).toMatch(/= broadcast_in_dim/);
    expect(host.querySelector('[role=listbox]')).toBeNull();
  });

  test('a click on one goes there', async () => {
    await show(golden('lesson'));
    type('sin');
    await until(() => host.querySelector('[role=option]'));
    click(one('[role=option]'));
    expect(title()).toBe('c = sin x');
  });
});

describe('a link to the selection', () => {
  test('is copied, and pasted into Find leads there', async () => {
    await show(golden('scan_with_cond'));
    choose('Expand all');
    click(row('mul'));
    await act(async () => press(one('canvas'), 'l'));
    expect(button('Link copied')).toBeDefined();
    const link = await navigator.clipboard.readText();
    expect(link).toBe('jaxviz:scan_with_cond/scan/cond/if+false/mul');
    choose('Collapse all');
    click(row('scan'));
    type(link);
    expect(title()).toMatch(/= mul /);
  });

  test('stands there to be copied by hand where the page may not copy', async () => {
    await show(golden('lesson'));
    const refused = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('no'));
    click(row('sin'));
    await act(async () => click(button('Copy link')));
    expect((one('.jxv-trail input') as HTMLInputElement).value).toBe('jaxviz:lesson/sin');
    refused.mockRestore();
  });
});

test('the keys are listed by ? and by a button, and the focus comes back', async () => {
  await show(golden('lesson'));
  act(() => one('canvas').focus());
  press(one('canvas'), '?');
  await until(() => host.querySelector('[role=dialog]'));
  const help = one('[role=dialog]');
  expect(help.getAttribute('aria-label')).toBe('Keys and notes');
  expect(document.activeElement).toBe(help);
  expect(help.textContent).toContain('Runs your programDistribution of its values');
  press(help, 'Escape');
  expect(host.querySelector('[role=dialog]')).toBeNull();
  expect(document.activeElement).toBe(one('canvas'));
  choose('Keys');
  expect(host.querySelector('[role=dialog]')).not.toBeNull();
});

test('the shortcuts of the page around are not the view’s: Ctrl+S saves', () => {
  const key = (key: string, more: KeyboardEventInit = {}) =>
    isOurs(new KeyboardEvent('keydown', { key, ...more }));
  const ctrl = { ctrlKey: true };
  expect(['d', 'P', 'Enter', 'ArrowDown', '?'].map((one) => key(one))).not.toContain(false);
  expect([key('f', ctrl), key('c', ctrl), key('ArrowLeft', { altKey: true })]).not.toContain(false);
  expect([
    key('s', ctrl),
    key('Enter', ctrl),
    key('F1'),
    key('b', { metaKey: true }),
    key('C', { ...ctrl, shiftKey: true }),
  ]).not.toContain(true);
});

describe('a view that is made again', () => {
  test('is as it was left: what was open, selected and looked for, and the panes', async () => {
    await show(golden('scan_with_cond'));
    choose('Expand all');
    type('mul');
    press(one('input'), 'Enter');
    press(one('[role=separator]'), 'ArrowLeft');
    choose('dtype');
    await showAgain(golden('scan_with_cond'));
    expect(title()).toMatch(/= mul /);
    expect((one('input') as HTMLInputElement).value).toBe('mul');
    expect(one('.jxv-legend button').textContent).toBe('colour:dtype▾');
    expect(one('[role=separator]').getAttribute('aria-valuenow')).toBe('61');
    expect(host.querySelectorAll('[role=treeitem]')).toHaveLength(28);
  });

  test('of a program that was edited keeps what is still there', async () => {
    await show(golden('scan_with_cond'));
    choose('Expand all');
    click(row('mul'));
    const edited = golden('scan_with_cond');
    const [graph] = edited.stages[0]?.graphs.filter(({ eqns }) => eqns[0]?.op === 'mul') ?? [];
    Object.assign(graph?.eqns[0] ?? {}, { op: 'div' });
    await showAgain(edited);
    expect(title()).toBe('if false of cond');
  });

  test('of another cell opens as it does at first, though its function has the same name', async () => {
    await show(golden('scan_with_cond'));
    const rows = host.querySelectorAll('[role=treeitem]').length;
    choose('Expand all');
    const other = golden('scan_with_cond');
    Object.assign(other.listings[0]!, { cell: 'another' });
    await showAgain(other);
    expect(host.querySelectorAll('[role=treeitem]')).toHaveLength(rows);
  });

  test('does not mind what lies in the store', async () => {
    for (const item of [
      'nonsense',
      '[["jaxpr of lesson in tests/programs/plain.py",{"view":{"open":[1]},"panes":7}]]',
      '{}',
    ]) {
      sessionStorage.setItem('jaxviz', item);
      await showAgain(golden('lesson'));
      expect(host.querySelectorAll('[role=treeitem]')).toHaveLength(6);
      sessionStorage.clear();
    }
  });
});

describe('the height of a view', () => {
  const height = () =>
    Number(/--jxv-height: *(\d+)px/.exec(one('.jxv-frame').getAttribute('style') ?? '')?.[1]);

  test('grows with what is opened, up to the window, and stays when all is closed', async () => {
    await mounted(golden('scan_with_cond'), { opening: { stage: 'jaxpr', depth: 0 } });
    const before = height();
    choose('Expand all');
    const grown = height();
    expect(grown).toBeGreaterThan(before);
    expect(grown).toBeLessThanOrEqual(innerHeight);
    choose('Collapse all');
    expect(height()).toBe(grown);
  });
});

import { render } from 'preact';
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import type { Stage } from '../src/schema';
import { Table } from '../src/stage/numbers/eqn-table';
import { start, update } from '../src/state/view-state';
import { columnsWithin, shown, sorted } from '../src/words/cost-columns';
import { type CostRow, eqnRows, grouped } from '../src/words/cost-table';
import { chain, golden, stage } from './fixtures';
import { all, click, host, mounted, one, press, tab, texts } from './page';
import { see, state } from './side-pane';
import { until } from './until';

const show = (name: string) => see(Table, name);
const cells = (row: Element) => [...row.children].map((cell) => cell.textContent);
const lines = () => all('tbody .jxv-tr');
const heads = () => all('th');
const head = (name: string) =>
  heads().find((one) => one.textContent?.replace(/[▾▴]/, '') === name) as HTMLElement;
const sort = (name: string) => act(() => head(name).querySelector('button')?.click());
const group = (by: string) =>
  act(() => {
    const select = host.querySelector('select') as HTMLSelectElement;
    select.value = by;
    select.dispatchEvent(new Event('change', { bubbles: true }));
  });
const key = (name: string) => press(one('table'), name);

describe('the table', () => {
  test('has a row for each eqn, with its numbers in all its runs', () => {
    show('stages/scan_products');
    group('none');
    expect(texts('th')).toEqual([
      'line',
      'op',
      'result',
      'size',
      'flops',
      '%▾',
      'bytes',
      'flop/B',
      'runs',
    ]);
    expect(lines().map((row) => cells(row).slice(1))).toEqual([
      ['scan', 'f32[16,16]', '1.0 KiB', '819,200', '100 %', '300.0 KiB', '2.67', '1'],
      ['dot_general', 'f32[16,16]', '1.0 KiB', '819,200', '100 %', '300.0 KiB', '2.67', '100'],
    ]);
    expect(host.querySelector('.jxv-table-foot')?.textContent).toBe(
      'total819,200 flops · 300.0 KiB moved · 2.67 flop/BXLA, HLO8,194 flops · 7.1 KiB moved · 1.13 flop/B (a loop’s body counted once)',
    );
  });

  test('is sorted by each column: numbers from the largest, then the other way, then not', () => {
    show('train_step');
    group('none');
    const ways = () => heads().map((one) => one.getAttribute('aria-sort'));
    const first = () => cells(lines()[0] as Element)[6];
    expect(ways()[5]).toBe('descending');
    sort('bytes');
    const most = first();
    expect(ways()[6]).toBe('descending');
    sort('bytes');
    expect(ways()[6]).toBe('ascending');
    expect(first()).not.toBe(most);
    sort('bytes');
    expect(ways()).toEqual(Array(9).fill('none'));
    sort('op');
    expect(ways()[1]).toBe('ascending');
    const labels = texts('.jxv-tr .jxv-td-label > span:first-child');
    expect(labels).toEqual([...labels].sort());
  });

  test('a click selects, and opens what hides it; the selected row is lit', () => {
    show('stages/scan_products');
    group('none');
    act(() => lines()[1]?.click());
    expect(state.selected).toBe('0.0/0');
    expect(state.open.has('0')).toBe(true);
    expect(lines().map((row) => row.getAttribute('aria-selected'))).toEqual(['false', 'true']);
  });

  test('the keys walk it and select', () => {
    show('train_step');
    group('none');
    key('Home');
    key('ArrowDown');
    expect(state.selected).toBeNull();
    expect(state.hovered).not.toBeNull();
    key('Enter');
    expect(lines()[1]?.getAttribute('aria-selected')).toBe('true');
    const active = host.querySelector('table')?.getAttribute('aria-activedescendant');
    expect(lines()[1]?.id).toBe(active);
  });

  test('rows are put together by op, line or scope, and opened', () => {
    show('train_step');
    group('op');
    const labels = lines().map((row) => cells(row).slice(1, 3));
    expect(labels[0]).toEqual(['dot_general', '5 eqns']);
    const before = labels.length;
    act(() => lines()[0]?.click());
    expect(lines()[0]?.getAttribute('aria-expanded')).toBe('true');
    expect(lines()).toHaveLength(before + 5);
    expect(state.selected).toBeNull();
    group('scope');
    expect(lines().every((row) => row.hasAttribute('aria-expanded'))).toBe(true);
  });

  test('what was found alone is shown', () => {
    const program = golden('train_step');
    const of = program.stages[0] as Stage;
    const found = update(start(of), { type: 'find', query: 'dot_general' });
    act(() => render(<Table program={program} state={found} dispatch={() => {}} />, host));
    group('none');
    expect(lines().map((row) => cells(row)[1])).toEqual(Array(5).fill('dot_general'));
    expect(host.querySelector('.jxv-table-head')?.textContent).toContain('of what was found');
  });

  test('opens at the costliest line, with its text', () => {
    show('train_step');
    const flops = (row: Element) => Number(cells(row)[4]?.replace(/\D/g, ''));
    const found = lines();
    expect(found.map(flops)).toEqual(found.map(flops).sort((one, other) => other - one));
    const [first] = found.map((row) => cells(row).slice(0, 3));
    expect(first?.[0]).toMatch(/\w, line \d+$|\w:\d+$/);
    expect(first?.[1]).toMatch(/^\d+ eqns$/);
    expect(first?.[2]).not.toBe('');
  });

  test('keeps the rows with a text, a dtype, an op', () => {
    show('train_step');
    group('none');
    const choose = (name: string, value: string) =>
      act(() => {
        const control = host.querySelector(`[aria-label=${name}]`) as HTMLSelectElement;
        control.value = value;
        const type = control.tagName === 'SELECT' ? 'change' : 'input';
        control.dispatchEvent(new Event(type, { bubbles: true }));
      });
    const every = lines().length;
    choose('Op', 'dot_general');
    expect(lines().map((row) => cells(row)[1])).toEqual(Array(5).fill('dot_general'));
    expect(host.querySelector('.jxv-table-head')?.textContent).toContain('5 eqns');
    choose('Op', '');
    choose('Dtype', 'f32');
    expect(lines().length).toBeGreaterThan(0);
    expect(lines().every((row) => cells(row)[2]?.startsWith('f32'))).toBe(true);
    choose('Dtype', '');
    expect(lines()).toHaveLength(every);
  });

  test('of 50,000 eqns draws few rows', () => {
    const of = stage([chain(Array.from({ length: 50_000 }, () => 'add'))]);
    const program = { ...golden('lesson'), stages: [of] };
    act(() => render(<Table program={program} state={start(of)} dispatch={() => {}} />, host));
    expect(lines().length).toBeLessThan(100);
    expect(host.querySelector('table')?.getAttribute('aria-rowcount')).toBe('50001');
    expect(cells(lines()[0] as Element)[4]).toBe('not reported');
  });
});

describe('rows', () => {
  const of = golden('train_step').stages[0] as Stage;

  test('of a group are those of the ungrouped table, and their own work sums up to the whole', () => {
    for (const by of ['op', 'line', 'scope'] as const) {
      const groups = grouped(of, eqnRows(of), by);
      const held = groups.flatMap((row) => row.members ?? []);
      const names = (rows: readonly CostRow[]) =>
        rows.map(({ graph, eqn }) => `${graph}.${eqn}`).sort();
      expect(names(held)).toEqual(names(eqnRows(of)));
      for (const rows of [groups, held]) {
        const flops = rows.reduce((sum, { cost }) => sum + (cost.flops ?? 0), 0);
        expect(flops).toBe(of.cost?.flops);
      }
    }
  });

  test('by scope are named by the parts of the program, as in the graph', () => {
    const names = grouped(of, eqnRows(of), 'scope').map(({ label }) => label);
    expect(names).toMatchInlineSnapshot(`
      [
        "forward › layers[0]",
        "forward › layers[1]",
        "forward › loss",
        "backward › loss ⟵",
        "backward › layers[1] ⟵",
        "backward › layers[0] ⟵",
        "optimizer",
      ]
    `);
  });

  test('that are not known come last, in either direction', () => {
    const unknown = structuredClone(of);
    unknown.graphs[0]!.eqns[0]!.cost = null;
    const rows = eqnRows(unknown);
    for (const descending of [true, false]) {
      const last = sorted(rows, { column: 'flops', descending }).at(-1);
      expect([last?.graph, last?.eqn]).toEqual([0, 0]);
    }
    expect(shown(rows, null, new Set())).toEqual(rows);
  });
});

describe('what stands beside the graph', () => {
  const shownNow = () => host.querySelector('.jxv-side-sight')?.getAttribute('aria-label');

  test('is chosen by tabs and arrow keys, and is the same of the next stage', async () => {
    await mounted(golden('stages/scan_products'));
    await until(() => host.querySelector('.jxv-totals'));
    expect(shownNow()).toBe('Text');
    expect(host.querySelector('.jxv-totals')?.textContent).toContain('819,200 flops');
    click(tab('Table'));
    expect(shownNow()).toBe('Table');
    click(tab('HLO'));
    expect(shownNow()).toBe('Table');
    press(tab('Table'), 'ArrowRight');
    expect(shownNow()).toBe('Memory');
    expect(document.activeElement).toBe(tab('Memory'));
  });
});

test('a narrow table leaves out the numbers of least worth, never the one that sorts', () => {
  const columns = (numbers: number, sorted: 'runs' | null) =>
    columnsWithin(golden('train_step').stages[0] as Stage, numbers, sorted).map(
      ({ column }) => column,
    );
  expect(columns(3, null)).toEqual(['line', 'label', 'type', 'flops', 'share', 'bytes']);
  expect(columns(3, 'runs')).toEqual(['line', 'label', 'type', 'flops', 'share', 'runs']);
});

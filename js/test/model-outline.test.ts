import { describe, expect, test } from 'vitest';
import { hiding } from '../src/facts/enclosing';
import { allEqns } from '../src/facts/graph';
import { children } from '../src/facts/outline';
import type { Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { everything, openWithin } from '../src/state/open-items';
import { start, update } from '../src/state/view-state';
import { itemText, rowsOf } from '../src/words/outline-rows';
import { chain, plainGroup, stage, stageOf } from './fixtures';

/** The lines of the Python tests' programs move. */
const unplaced = (text: string): string => text.replace(/, tests\/programs\/\w+\.py:\d+$/, '');

const outlined = (of: Stage, open: ReadonlySet<string>): string[] =>
  rowsOf(of, open).map(
    ({ item, level }) => `${'  '.repeat(level - 1)}${item.id}  ${unplaced(itemText(of, item))}`,
  );

describe('the outline', () => {
  test('of a lesson is its input, its eqns and its output', () => {
    expect(outlined(stageOf('lesson'), new Set())).toMatchInlineSnapshot(`
      [
        "in0  input x, f32[4]",
        "0  integer_pow, y=2, f32[4]",
        "1  sin, f32[4]",
        "2  add, f32[4]",
        "3  reduce_sum, axes=(0,), f32[]",
        "out0  output result, f32[]",
      ]
    `);
  });

  test('of a row of turns says once how many there are', () => {
    const row = { ...plainGroup(0, 3), kind: 'repeat', name: 'cell 1…3' };
    const turns = [0, 1, 2].map((at) => ({ ...plainGroup(at, at + 1), parent: 0 }));
    const textsOf = (groups: (typeof row)[]) =>
      children(stage([{ ...chain(['sin', 'sin', 'sin']), groups }]), '')
        .filter(({ kind }) => kind === 'group')
        .map(({ label, detail }) => [label, detail]);
    expect(textsOf([row, ...turns])).toEqual([['cell', '×3']]);
    expect(textsOf([row])).toEqual([['cell 1…3', '']]);
  });

  test('of a scan with a cond opens to its body and its branches', () => {
    const of = stageOf('scan_with_cond');
    expect(outlined(of, everything(of))).toMatchInlineSnapshot(`
      [
        "in0  input xs, f32[5,3]",
        "in1  input bias, f32[3]",
        "0  broadcast_in_dim, shape=(3,), f32[3]",
        "1  scan, ×5, f32[3], 7 eqns inside",
        "  1.0/in0  input bias, f32[3]",
        "  1.0/in1  input carry, f32[3]",
        "  1.0/in2  input x, f32[3]",
        "  1.0/0  reduce_sum, axes=(0,), f32[]",
        "  1.0/1  gt, bool[]",
        "  1.0/2  convert_element_type, new_dtype=int32, i32[]",
        "  1.0/3  cond, runs one of 2, f32[3], 2 eqns inside",
        "    1.0/3.1  if true, 1 eqn inside",
        "      1.0/3.1/in0  input x, f32[3]",
        "      1.0/3.1/in1  input bias, f32[3]",
        "      1.0/3.1/in2  input carry, f32[3]",
        "      1.0/3.1/0  add, f32[3]",
        "      1.0/3.1/out0  output result, f32[3]",
        "    1.0/3.0  if false, 1 eqn inside",
        "      1.0/3.0/in0  input x, f32[3]",
        "      1.0/3.0/in1  input bias, f32[3]",
        "      1.0/3.0/in2  input carry, f32[3]",
        "      1.0/3.0/0  mul, f32[3]",
        "      1.0/3.0/out0  output result, f32[3]",
        "  1.0/4  reduce_max, axes=(0,), f32[]",
        "  1.0/out0  output next carry, f32[3]",
        "  1.0/out1  output result[1], f32[]",
        "out0  output result[0], f32[3]",
        "out1  output result[1], f32[5]",
      ]
    `);
  });

  test('of many inputs gathers them by their pytree', () => {
    const graph = chain(['sin']);
    const layers = Array.from({ length: 12 }, (_, index) => `params['layers'][${index}].kernel`);
    graph.args = ['x', ...layers, "params['bias']"];
    graph.invars = graph.args.map(() => 0);
    const of = stage([graph]);
    expect(outlined(of, new Set())).toEqual([
      'in0  input x, f32[]',
      'in:params  params, 13 arrays inside',
      '0  sin, f32[]',
      'out0  output result, f32[]',
    ]);
    expect(outlined(of, new Set(['in:params'])).slice(1, 4)).toEqual([
      'in:params  params, 13 arrays inside',
      "  in:params%5B'layers'%5D  params['layers'], 12 arrays inside",
      "  in13  input params['bias'], f32[]",
    ]);
    const { open } = update(update(start(of), { type: 'collapse' }), { type: 'select', id: 'in5' });
    expect([...open]).toEqual(['in:params', "in:params%5B'layers'%5D"]);
  });

  test('tells each row its place among its siblings', () => {
    const of = stageOf('scan_sum');
    for (const row of rowsOf(of, everything(of))) {
      expect(row.size).toBe(children(of, row.parent ?? '').length);
      expect(children(of, row.parent ?? '')[row.position - 1]?.id).toBe(row.item.id);
    }
  });
});

describe('what is open', () => {
  const wide = stage([
    chain(['jit', 'jit', 'sin'], [[1], [2]]),
    chain(['a', 'b', 'c']),
    chain(['d']),
  ]);

  test('fits the budget, in program order', () => {
    expect([...openWithin(wide, 5)]).toEqual([]);
    expect([...openWithin(wide, 10)]).toEqual(['0']);
    expect([...openWithin(wide, 13)]).toEqual(['0', '1']);
  });

  test('of few boxes a wrapper opens whatever it costs', () => {
    const wrapped = stage([chain(['jit'], [[1]]), chain(['a', 'b', 'c'])]);
    expect([...firstView(wrapped, null, undefined, { boxes: 1 }).open]).toEqual(['0']);
  });

  test('a body that is shared 2^40 times counts once, and opens within bounds', () => {
    const graphs = Array.from({ length: 40 }, (_, level) =>
      chain(['jit', 'jit'], [[level + 1], [level + 1]]),
    );
    const shared = stage([...graphs, chain(['sin'])]);
    expect(allEqns(shared)).toBe(81);
    expect(rowsOf(shared, everything(shared)).length).toBeLessThan(25_000);
    expect(rowsOf(shared, firstView(shared).open).length).toBeLessThanOrEqual(45);
  });

  test('a body 1,000 levels deep is counted and opened without recursion', () => {
    const graphs = Array.from({ length: 1000 }, (_, level) => chain(['jit'], [[level + 1]]));
    const deep = stage([...graphs, chain(['sin'])]);
    expect(allEqns(deep)).toBe(1001);
    expect(everything(deep).size).toBe(1000);
  });

  test('selecting opens whatever hides it, in every instance of a shared body its own', () => {
    const of = stageOf('scan_with_cond');
    for (const row of rowsOf(of, everything(of))) {
      const closed = update(start(of), { type: 'collapse' });
      const { open, selected } = update(closed, { type: 'select', id: row.item.id });
      expect(selected).toBe(row.item.id);
      expect(rowsOf(of, open).some(({ item }) => item.id === row.item.id)).toBe(true);
      expect([...open].sort()).toEqual([...new Set(hiding(of, row.item.id))].sort());
    }
  });
});

describe('state', () => {
  const at = start(stageOf('lesson'));

  test('is a value: update leaves the old one as it was', () => {
    const before = JSON.stringify({ ...at, open: [...at.open] });
    update(at, { type: 'select', id: '0' });
    update(at, { type: 'expand' });
    expect(JSON.stringify({ ...at, open: [...at.open] })).toBe(before);
  });

  test('toggle opens and closes', () => {
    const opened = update(at, { type: 'toggle', id: '9' });
    expect([...opened.open]).toEqual(['9']);
    expect([...update(opened, { type: 'toggle', id: '9' }).open]).toEqual([]);
  });

  test('stepping through matches goes around, both ways', () => {
    let state = update(at, { type: 'find', query: 'f32[4]' });
    expect(state.matches).toEqual(['in0', '0', '1', '2']);
    expect(state.match).toBe(-1);
    const seen: (string | null)[] = [];
    for (const by of [1, 1, 1, 1, 1, -1, -1] as const) {
      state = update(state, { type: 'step', by });
      seen.push(state.selected);
    }
    expect(seen).toEqual(['in0', '0', '1', '2', 'in0', '2', '1']);
    const last = update(update(at, { type: 'find', query: 'f32[4]' }), { type: 'step', by: -1 });
    expect(last.selected).toBe('2');
  });

  test('stepping without matches changes nothing', () => {
    expect(update(at, { type: 'step', by: 1 })).toBe(at);
  });
});

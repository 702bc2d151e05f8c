import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isLink, linkTo, resolve } from '../src/facts/text/named-paths';
import type { Stage } from '../src/schema';
import { everything } from '../src/state/open-items';
import {
  type Action,
  LONGEST_HISTORY,
  left,
  NO_HISTORY,
  start,
  travel,
  update,
  type ViewState,
} from '../src/state/view-state';
import { afterGap, crumbs, nameOf } from '../src/words/fact-parts';
import { rowsOf } from '../src/words/outline-rows';
import { chain, stage, stageOf } from './fixtures';
import { stages } from './programs';

const run = (state: ViewState, ...actions: Action[]): ViewState => actions.reduce(update, state);
const select = (id: string): Action => ({ type: 'select', id });
const back: Action = { type: 'travel', by: -1 };
const forward: Action = { type: 'travel', by: 1 };

describe('back and forward', () => {
  const from = start(stageOf('scan_with_cond'));

  test('go through selections and what was open', () => {
    const there = run(from, select('0'), { type: 'expand' }, select('2'));
    const once = update(there, back);
    expect([once.selected, once.open]).toEqual(['0', everything(from.stage)]);
    const twice = update(once, back);
    expect([twice.selected, twice.open]).toEqual(['0', from.open]);
    expect(run(twice, forward, forward)).toMatchObject({ selected: '2', open: there.open });
    expect(update(update(twice, back), back).selected).toBeNull();
  });

  test('what is new forgets what was gone back from', () => {
    const there = run(from, select('0'), back, select('1'));
    expect(update(there, forward)).toBe(there);
  });

  test('hovering, and selecting the same again, leave no trace', () => {
    const there = run(from, select('0'), select('0'), { type: 'hover', id: '1' });
    expect(there.history.past).toHaveLength(1);
  });

  test('are bounded', () => {
    let history = { past: [] as number[], future: [] as number[] } as never;
    for (let place = 0; place < 3 * LONGEST_HISTORY; place++)
      history = left(history, place) as never;
    expect((history as { past: number[] }).past).toHaveLength(LONGEST_HISTORY);
    expect(travel(NO_HISTORY, 1, -1)).toBeNull();
  });
});

describe('the way to an item', () => {
  test('names all that encloses it', () => {
    const of = stageOf('scoped');
    const rows = rowsOf(of, everything(of));
    const deepest = rows.reduce((a, b) => (b.level > a.level ? b : a));
    const names = crumbs(of, deepest.item.id).map(({ text }) => text);
    expect(names[0]).toBe(of.graphs[0]?.name);
    expect(names).toHaveLength(deepest.level + 1);
    expect(names.at(-1)).toBe(deepest.item.label);
    expect(crumbs(of, null)).toEqual([{ id: '', text: of.graphs[0]?.name }]);
  });

  test('leaves out its middle where there is no room', () => {
    const labels = ['train_step', 'forward', 'layers[1]', 'attention', 'dot_general'];
    expect(afterGap(labels, 80)).toBe(1);
    expect(afterGap(labels, 50)).toBe(3);
    expect(afterGap(labels, 20)).toBe(4);
    expect(afterGap(['f', 'add'], 1)).toBe(1);
  });
});

describe('going round', () => {
  const from = update(start(stageOf('lesson')), select('2'));
  const along = (along: 'producers' | 'users' | 'calls', by: 1 | -1 = 1): Action => ({
    type: 'tour',
    along,
    by,
  });

  test('what makes the operands, from the first to the last and around', () => {
    const seen = [1, 2, 3].map((times) => run(from, ...Array(times).fill(along('producers'))));
    expect(seen.map(({ selected }) => selected)).toEqual(['0', '1', '0']);
    expect(run(from, along('producers', -1)).selected).toBe('1');
  });

  test('what uses the results, anew from wherever one goes', () => {
    expect(run(from, along('users')).selected).toBe('3');
    const input = run(from, select('in0'), along('users'), along('users'));
    expect([input.selected, input.tour?.at, input.tour?.ids.length]).toEqual(['1', 1, 2]);
    expect(run(input, select('0'), along('users')).selected).toBe('2');
  });

  test('those who call a shared body', () => {
    const shared = stage([chain(['jit', 'sin', 'jit'], [[1], [], [1]]), chain(['mul'])]);
    const state = run(start(shared), select('2.0/0'), along('calls'));
    expect(state.selected).toBe('0');
    expect(update(state, along('calls')).selected).toBe('2');
    expect(run(start(shared), select('1'), along('calls')).selected).toBe('1');
  });
});

describe('showing what is related alone', () => {
  const from = update(start(stageOf('lesson')), select('1'));

  test('is turned on and off, and turned by the other', () => {
    const up = update(from, { type: 'only', toward: 'up' });
    expect(up.only).toEqual({ id: '1', toward: 'up' });
    expect(update(up, { type: 'only', toward: 'down' }).only?.toward).toBe('down');
    expect(update(up, { type: 'only', toward: 'up' }).only).toBeNull();
    expect(update(up, { type: 'all' }).only).toBeNull();
    expect(update(up, back).only).toBeNull();
    expect(update(up, { type: 'select', id: null }).only).toBeNull();
  });

  test('gives way to a selection that it leaves out', () => {
    const up = update(from, { type: 'only', toward: 'up' });
    expect(update(up, select('in0')).only).not.toBeNull();
    expect(update(up, select('3')).only).toBeNull();
  });
});

describe('a link', () => {
  test('reads as a path by name', () => {
    const of = stageOf('scan_with_cond');
    const links = rowsOf(of, everything(of)).map(({ item }) => linkTo(of, item.id));
    expect(links).toMatchInlineSnapshot(`
      [
        "jaxviz:scan_with_cond/in:xs",
        "jaxviz:scan_with_cond/in:bias",
        "jaxviz:scan_with_cond/broadcast_in_dim",
        "jaxviz:scan_with_cond/scan",
        "jaxviz:scan_with_cond/scan/in:bias",
        "jaxviz:scan_with_cond/scan/in:carry",
        "jaxviz:scan_with_cond/scan/in:x",
        "jaxviz:scan_with_cond/scan/reduce_sum",
        "jaxviz:scan_with_cond/scan/gt",
        "jaxviz:scan_with_cond/scan/convert_element_type",
        "jaxviz:scan_with_cond/scan/cond",
        "jaxviz:scan_with_cond/scan/cond/if+true",
        "jaxviz:scan_with_cond/scan/cond/if+true/in:x",
        "jaxviz:scan_with_cond/scan/cond/if+true/in:bias",
        "jaxviz:scan_with_cond/scan/cond/if+true/in:carry",
        "jaxviz:scan_with_cond/scan/cond/if+true/add",
        "jaxviz:scan_with_cond/scan/cond/if+true/out:result",
        "jaxviz:scan_with_cond/scan/cond/if+false",
        "jaxviz:scan_with_cond/scan/cond/if+false/in:x",
        "jaxviz:scan_with_cond/scan/cond/if+false/in:bias",
        "jaxviz:scan_with_cond/scan/cond/if+false/in:carry",
        "jaxviz:scan_with_cond/scan/cond/if+false/mul",
        "jaxviz:scan_with_cond/scan/cond/if+false/out:result",
        "jaxviz:scan_with_cond/scan/reduce_max",
        "jaxviz:scan_with_cond/scan/out:next+carry",
        "jaxviz:scan_with_cond/scan/out:result[1]",
        "jaxviz:scan_with_cond/out:result[0]",
        "jaxviz:scan_with_cond/out:result[1]",
      ]
    `);
  });

  test('leads back to each item of any program', () => {
    fc.assert(
      fc.property(stages, (of) => {
        for (const { item } of rowsOf(of, everything(of)).slice(0, 40)) {
          const link = linkTo(of, item.id);
          expect(isLink(link)).toBe(true);
          expect(link).not.toMatch(/\s/);
          expect(resolve(of, link)).toBe(item.id);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('of a program that has changed, to the same place or the nearest around it', () => {
    const of = stage([chain(['add', 'jit', 'add'], [[], [1]]), chain(['mul', 'mul'])]);
    const edited: Stage = stage([chain(['neg', 'jit', 'add'], [[], [1]]), chain(['mul', 'sin'])]);
    const moved = (id: string) => resolve(edited, linkTo(of, id));
    expect(moved('2')).toBe('2');
    expect(moved('1.0/1')).toBe('1.0/0');
    expect(moved('0')).toBe('2');
    expect(resolve(edited, 'jaxviz:f/jit/tan')).toBe('1');
    expect(resolve(edited, 'jaxviz:f/nothing')).toBeNull();
  });

  test('pasted into find goes there', () => {
    const of = stageOf('scan_with_cond');
    const deep = rowsOf(of, everything(of)).at(-3)?.item.id as string;
    const state = update(start(of), { type: 'find', query: ` ${linkTo(of, deep)} ` });
    expect([state.selected, state.matches, nameOf(of, deep)]).toEqual([
      deep,
      [deep],
      nameOf(of, state.selected ?? ''),
    ]);
  });
});

/** The opening of a program: whose choice counts, and what is open down to a depth. */
import { describe, expect, test } from 'vitest';
import { differencesOf } from '../src/facts/differences';
import type { Opening } from '../src/schema';
import { expanded, expandedNote } from '../src/state/expand-all';
import { firstView } from '../src/state/first-view';
import { depthNote, everything } from '../src/state/open-items';
import { openingIn, openingOf } from '../src/state/preferences';
import { start, update } from '../src/state/view-state';
import { rowsOf } from '../src/words/outline-rows';
import { chain, golden, goldens, stage, stageOf } from './fixtures';

describe('what is read', () => {
  test('is what each member may be, and nothing else', () => {
    const whole = { stage: 'hlo', depth: 0, boxes: 40, colours: 'dtype', memory: 0.6 };
    expect(openingIn(whole)).toEqual(whole);
    expect(openingIn({ ...whole, stage: 'ast', depth: -1, boxes: 0.5 })).toEqual({
      colours: 'dtype',
      memory: 0.6,
    });
    for (const memory of ['16', 0, -16, 1e300, Number.NaN]) {
      expect(openingIn({ memory })).toEqual({});
    }
    expect(openingIn({ depth: '2', colours: 'change', boxes: 0, strip: true })).toEqual({});
    expect(openingIn({ depth: null, stage: undefined, boxes: 1e300 })).toEqual({});
  });

  test('of what is no opening is empty', () => {
    for (const data of [undefined, null, 3, 'stage', [], [{ depth: 1 }]]) {
      expect(openingIn(data)).toEqual({});
    }
  });
});

describe('the author’s choice goes before the reader’s preference', () => {
  const preferred: Opening = { stage: 'hlo', boxes: 30, colours: 'dtype' };

  test('member by member', () => {
    expect(openingOf({}, preferred)).toEqual(preferred);
    expect(openingOf({ stage: 'jaxpr' }, preferred)).toEqual({ ...preferred, stage: 'jaxpr' });
    expect(openingOf({ boxes: 60, colours: 'scope' }, {})).toEqual({ boxes: 60, colours: 'scope' });
  });

  test('a depth is not cut by the boxes that the reader prefers', () => {
    expect(openingOf({ depth: 2 }, preferred)).toEqual({
      stage: 'hlo',
      depth: 2,
      colours: 'dtype',
    });
  });
});

describe('down to a depth', () => {
  test('all is open, and nothing deeper, of every golden program', () => {
    for (const name of goldens) {
      const of = stageOf(name);
      const all = everything(of);
      for (const depth of [0, 1, 2, 3]) {
        const open = firstView(of, null, undefined, { depth }).open;
        const wanted = rowsOf(of, all).flatMap(({ item, level }) =>
          all.has(item.id) && level <= depth ? [item.id] : [],
        );
        expect([...open].sort()).toEqual(wanted.sort());
        expect(depthNote(of, open, { depth })).toBeNull();
      }
      expect(firstView(of, null, undefined, { depth: 10_000 }).open).toEqual(all);
    }
  });

  test('branches are a level of their own, as they are drawn', () => {
    const of = stageOf('scan_with_cond');
    const open = (depth: number) => [...firstView(of, null, undefined, { depth }).open];
    expect(open(0)).toEqual([]);
    expect(open(1)).toEqual(['1']);
    expect(open(2).length).toBe(2);
    expect(open(3).length).toBe(4);
  });

  test('the view’s room changes nothing', () => {
    const state = start(stageOf('train_step'), null, { depth: 1 });
    const view = { width: 200, height: 100 };
    expect(update(state, { type: 'view', view }).open).toEqual(state.open);
  });

  test('a strip below that goes once the reader has begun leaves the picture as it is', () => {
    const view = { width: 640, height: 780 };
    const shown = update(start(stageOf('train_step')), { type: 'view', view });
    const begun = update(shown, { type: 'expand' });
    expect(update(begun, { type: 'view', view: { ...view, height: 806 } })).toBe(begun);
    const tall = update(begun, { type: 'view', view: { ...view, height: 980 } });
    expect(tall.shape.tall).toBeGreaterThan(begun.shape.tall);
  });

  test('what is more than can be drawn stays closed, and one sentence says so', () => {
    const graphs = Array.from({ length: 40 }, (_, level) =>
      chain(['jit', 'jit'], [[level + 1], [level + 1]]),
    );
    const shared = stage([...graphs, chain(['sin'])]);
    const noteFor = (opening: Opening) =>
      depthNote(shared, firstView(shared, null, undefined, opening).open, opening);
    expect(noteFor({ depth: 3 })).toBeNull();
    expect(noteFor({ depth: 30 })).toBe(
      'Not everything down to depth 30 is open: at most 20,000 boxes are drawn.',
    );
    expect(noteFor({ depth: 3, boxes: 10 })).toBe(
      'Not everything down to depth 3 is open: at most 10 boxes are drawn.',
    );
  });
});

describe('expand all', () => {
  const expand = (of: ReturnType<typeof stage>, times: number) => {
    let state = update(start(of), { type: 'collapse' });
    for (let press = 0; press < times; press++) state = update(state, { type: 'expand' });
    return state;
  };
  const body = (eqns: number, called: number | null = null) =>
    chain(
      Array.from({ length: eqns }, (_, at) => (called !== null && at === 0 ? 'jit' : 'sin')),
      Array.from({ length: eqns }, (_, at) => (called !== null && at === 0 ? [called] : [])),
    );

  test('opens every golden program at once, as all are below 2,000 boxes', () => {
    for (const name of goldens) {
      const of = stageOf(name);
      const { open } = expand(of, 1);
      expect([...open].sort()).toEqual([...everything(of)].sort());
      expect(expandedNote(of, open)).toBeNull();
    }
  });

  test('opens one level after another of a larger program, and says what stays closed', () => {
    const layers = Array.from({ length: 8 }, () => 'jit');
    const deep = stage([
      chain(
        layers,
        layers.map(() => [1]),
      ),
      body(150, 2),
      body(200, 3),
      chain(['sin']),
    ]);
    const [one, two, three] = [1, 2, 3].map((times) => expand(deep, times).open);
    expect([one, two, three].map((open) => open?.size)).toEqual([8, 16, 24]);
    expect(expandedNote(deep, one!)).toBe(
      'Open down to depth 1: 8 groups stay closed. Expand all once more opens the next level.',
    );
    expect(expandedNote(deep, three!)).toBeNull();
    const state = expand(deep, 1);
    expect(state.expanded).toBe(state.open);
    expect(update(state, { type: 'toggle', id: '0' }).open).not.toBe(state.expanded);
  });

  test('opens the largest of a level that does not fit, and the others at the next press', () => {
    const sizes = [300, 900, 700, 800, 2500];
    const wide = stage([
      chain(
        sizes.map(() => 'jit'),
        sizes.map((_, at) => [at + 1]),
      ),
      ...sizes.map((eqns) => body(eqns)),
    ]);
    const opened = [1, 2, 3].map((times) => [...expand(wide, times).open].sort());
    expect(opened).toEqual([
      ['1', '3'],
      ['0', '1', '2', '3'],
      ['0', '1', '2', '3', '4'],
    ]);
    expect(expandedNote(wide, new Set(opened[0]))).toContain('depth 0: 3 groups stay closed');
  });

  test('stops where no more boxes are drawn', () => {
    const graphs = Array.from({ length: 40 }, (_, level) =>
      chain(['jit', 'jit'], [[level + 1], [level + 1]]),
    );
    const shared = stage([...graphs, chain(['sin'])]);
    const open = everything(shared);
    expect(expanded(shared, open)).toEqual(open);
    expect(expandedNote(shared, open)).toMatch(/closed\. At most 20,000 boxes are drawn\.$/);
  });
});

test('colours are those that were chosen, also of a comparison', () => {
  const compared = golden('compared/param');
  const of = compared.stages[0]!;
  const differences = differencesOf(compared);
  expect(start(of, differences).colours).toBe('change');
  expect(start(of, differences, { colours: 'dtype' }).colours).toBe('dtype');
  expect(start(stageOf('lesson')).colours).toBe('family');
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { children } from '../src/facts/outline';
import { carries, keeps, pathsBetween, reachTest, type Toward } from '../src/facts/reach';
import type { Graph, Stage } from '../src/schema';
import { everything } from '../src/state/open-items';
import { rowsOf } from '../src/words/outline-rows';
import { chain, stage, stageOf } from './fixtures';
import { stages } from './programs';

/** The rows of the whole program that are kept, by what they are called. */
function shown(of: Stage, id: string, toward: Toward): string[] {
  const keep = reachTest(of, id, toward);
  return rowsOf(of, everything(of)).flatMap(({ item }) =>
    keep(item) ? [`${item.id} ${item.label}`] : [],
  );
}

describe('what leads to an item, and what comes from it', () => {
  test('in one graph', () => {
    const lesson = stageOf('lesson');
    expect(shown(lesson, '1', 'up')).toEqual(['in0 x', '1 sin']);
    expect(shown(lesson, '1', 'down')).toEqual(['1 sin', '2 add', '3 reduce_sum', 'out0 result']);
    expect(shown(lesson, 'in0', 'down')).toHaveLength(6);
    expect(shown(lesson, 'out0', 'up')).toHaveLength(6);
  });

  test('among the values', () => {
    const lesson = stageOf('lesson');
    const led = (toward: Toward) =>
      lesson.graphs[0]?.vars.flatMap(({ name }, variable) =>
        carries(lesson, { id: '1', toward }, '', variable) ? [name] : [],
      );
    expect(led('up')).toEqual(['a']);
    expect(led('down')).toEqual(['c', 'd', 'e']);
  });

  test('out of the bodies that hold it, and into those on the way', () => {
    // f: a, jit { b, c }, d, jit { e }
    const nested = stage([
      chain(['a', 'jit', 'd', 'jit'], [[], [1], [], [2]]),
      chain(['b', 'c']),
      chain(['e']),
    ]);
    expect(shown(nested, '1.0/0', 'up')).toEqual(['in0 x', '0 a', '1 jit', '1.0/in0 x', '1.0/0 b']);
    expect(shown(nested, '1.0/1', 'down')).toEqual([
      '1 jit',
      '1.0/1 c',
      '1.0/out0 result',
      '2 d',
      '3 jit',
      '3.0/in0 x',
      '3.0/0 e',
      '3.0/out0 result',
      'out0 result',
    ]);
  });

  test('into a body only as far as the results that lead on', () => {
    const two: Graph = {
      ...chain(['sin', 'cos']),
      invars: [0],
      outvars: [1, 2],
      results: ['a', 'b'],
    };
    two.eqns.forEach((eqn) => {
      eqn.invars = [0];
    });
    const outer = chain(['jit', 'neg'], [[1]]);
    const [jit, neg] = outer.eqns as [Graph['eqns'][0], Graph['eqns'][0]];
    outer.vars.push({ name: 'second', aval: 0, literal: false });
    jit.outvars = [1, 3];
    jit.bodies = [{ label: 'jit', graph: 1, inputs: [0], outputs: [0, 1] }];
    neg.invars = [3];
    const of = stage([outer, two]);
    expect(shown(of, '1', 'up')).toEqual([
      'in0 x',
      '0 jit',
      '0.0/in0 x',
      '0.0/1 cos',
      '0.0/out1 b',
      '1 neg',
    ]);
  });

  test('all ways from one to another, through bodies, and nothing beside them', () => {
    const lessonInJit = stage([chain(['a', 'jit', 'd'], [[], [1], []]), chain(['b', 'c'])]);
    const { has, carries, at } = pathsBetween(lessonInJit, '1.0/0', 'out0');
    const on = rowsOf(lessonInJit, everything(lessonInJit)).filter(({ item }) => has(item));
    expect(on.map(({ item }) => item.id)).toEqual(['1', '1.0/0', '1.0/1', '1.0/out0', '2', 'out0']);
    expect(['', '1.0'].map((path) => carries?.(path, 0))).toEqual([false, false]);
    expect(at).toBe('1.0/0');
  });

  test('round a loop by its carry', () => {
    const scan = stageOf('scan_sum');
    const body = children(scan, '0').map((item) => item.id);
    expect(body.length).toBeGreaterThan(2);
    const up = reachTest(scan, 'out0', 'up');
    expect(children(scan, '0').filter(up).length).toBeGreaterThan(2);
  });

  test('other branches do not lead to what lies in one', () => {
    const cond = stageOf('cond_two');
    const bodies = rowsOf(cond, everything(cond)).filter(({ item }) => item.kind === 'body');
    const [first, second] = bodies.map(({ item }) => children(cond, item.id));
    const inFirst = first?.find((item) => item.kind === 'eqn')?.id as string;
    const up = reachTest(cond, inFirst, 'up');
    expect(second?.some(up)).toBe(false);
  });

  test('each way the other’s mirror, on any program', () => {
    fc.assert(
      fc.property(stages, fc.nat(), fc.nat(), (of, a, b) => {
        const eqns = children(of, '').filter(({ kind }) => kind === 'eqn');
        const one = eqns[a % Math.max(1, eqns.length)];
        const other = eqns[b % Math.max(1, eqns.length)];
        if (!one || !other) return;
        expect(reachTest(of, one.id, 'up')(other)).toBe(reachTest(of, other.id, 'down')(one));
        expect(keeps(of, { id: one.id, toward: 'up' }, other.id)).toBe(
          reachTest(of, one.id, 'up')(other),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('whatever holds something that is kept is kept, on any program', () => {
    fc.assert(
      fc.property(stages, fc.nat(), fc.constantFrom<Toward>('up', 'down'), (of, at, toward) => {
        const rows = rowsOf(of, everything(of)).slice(0, 150);
        const origin = rows[at % Math.max(1, rows.length)]?.item;
        if (!origin) return;
        const keep = reachTest(of, origin.id, toward);
        const byId = new Map(rows.map(({ item }) => [item.id, item]));
        for (const { item, parent } of rows) {
          const outer = byId.get(parent ?? '');
          if (keep(item) && outer) expect([item.id, keep(outer)]).toEqual([item.id, true]);
        }
        expect(keep(origin)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test('50,000 eqns in a row take no stack and little time', () => {
    const long = stage([chain(Array.from({ length: 50_000 }, () => 'sin'))]);
    const from = process.cpuUsage();
    const keep = reachTest(long, '25000', 'up');
    expect(children(long, '').filter(keep)).toHaveLength(25_002);
    expect(process.cpuUsage(from).user).toBeLessThan(1000_000); // µs, whatever else the machine does
  });
});

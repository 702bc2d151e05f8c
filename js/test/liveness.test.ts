import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { curveOf, eqnsIn, graphsAround, livenessOf } from '../src/facts/numbers/liveness';
import type { Aval, Graph, Stage } from '../src/schema';
import { chain, F32, golden, plainGroup, stage } from './fixtures';
import { stages } from './programs';

/** Avals of 1, 2, 4… bytes; one of a size that is not known behind them. */
const SIZES: Aval[] = [0, 1, 2, 3, 4].map((power) => ({ ...F32, bytes: 2 ** power }));
const sized = (graphs: Graph[]): Stage => ({
  ...stage(graphs),
  avals: [...SIZES, { ...F32, bytes: null }],
});

/** The avals of a graph's vars, in order. */
function avals(graph: Graph, numbers: readonly number[]): Graph {
  numbers.forEach((aval, index) => {
    graph.vars[index]!.aval = aval;
  });
  return graph;
}

const live = (of: Stage) => {
  const { bytes, peak, most, inputs, unknown } = livenessOf(of)[0]!;
  return { bytes: [...bytes], peak, most, inputs, unknown };
};

describe('live bytes', () => {
  test('inputs throughout, each value from its eqn to its last use', () => {
    const of = sized([avals(chain(['sin', 'cos', 'add']), [0, 4, 1, 2])]);
    expect(live(of)).toEqual({
      bytes: [1 + 16, 1 + 16 + 2, 1 + 2 + 4],
      peak: 1,
      most: 19,
      inputs: 1,
      unknown: 0,
    });
  });

  test('a value that is used again lives until then, one that is dropped only at its eqn', () => {
    const graph = avals(chain(['sin', 'cos', 'add']), [0, 4, 1, 2]);
    graph.eqns[2]!.invars = [1];
    expect(live(sized([graph])).bytes).toEqual([17, 19, 21]);
  });

  test('a call needs what its body needs, including its results', () => {
    const of = sized([
      avals(chain(['jit', 'sin'], [[1]]), [0, 1, 1]),
      avals(chain(['exp', 'neg']), [0, 4, 1]),
    ]);
    expect(live(of).bytes).toEqual([1 + 16 + 2, 1 + 2 + 2]);
  });

  test('a loop has its results beside what its body needs', () => {
    const of = sized([
      avals(chain(['scan'], [[1]]), [0, 1]),
      avals(chain(['exp', 'neg']), [0, 4, 1]),
    ]);
    expect(live(of).bytes).toEqual([1 + 2 + 16 + 2]);
  });

  test('a fusion keeps nothing of its body, and a tuple is what it holds', () => {
    const fused = sized([
      avals(chain(['fusion'], [[1]]), [0, 1]),
      avals(chain(['exp', 'neg']), [0, 4, 1]),
    ]);
    expect(live(fused).bytes).toEqual([1 + 2]);
    const names = sized([
      avals(chain(['exp', 'tuple', 'get-tuple-element', 'neg']), [0, 4, 4, 4, 1]),
    ]);
    expect(live(names).bytes).toEqual([17, 17, 17, 19]);
  });

  test('in optimized HLO a loop works where its operand lies', () => {
    const body = avals(chain(['exp', 'neg']), [1, 4, 1]);
    const of = sized([avals(chain(['copy', 'while', 'neg'], [[], [1]]), [1, 1, 1, 1]), body]);
    expect(live(of).bytes).toEqual([4, 4 + 2 + 18, 6]);
    expect(live({ ...of, kind: 'hlo' }).bytes).toEqual([4, 4 + 18, 6]);
  });

  test('what is of unknown size is counted, not its bytes', () => {
    expect(live(sized([avals(chain(['sin', 'cos']), [0, 5, 1])]))).toMatchObject({
      bytes: [1, 3],
      unknown: 1,
    });
  });

  test('of a program that was compiled it is no less than what XLA reserves for results', () => {
    for (const name of ['mlp', 'attention_step']) {
      const hlo = golden(`stages/${name}`).stages.find(({ kind }) => kind === 'hlo') as Stage;
      const { memory } = hlo;
      expect(live(hlo).most).toBeGreaterThanOrEqual(
        (memory?.arguments ?? 0) + (memory?.outputs ?? 0) - (memory?.aliased ?? 0),
      );
    }
  });

  test('never less than the operands and results of an eqn, in any program', () => {
    fc.assert(
      fc.property(stages, (of) => {
        const size = (graph: Graph, vars: readonly number[]) =>
          [...new Set(vars)]
            .filter((one) => !graph.vars[one]?.literal)
            .reduce((sum) => sum + 2048, 0);
        livenessOf(of).forEach(({ bytes, most, peak }, index) => {
          const graph = of.graphs[index] as Graph;
          graph.eqns.forEach(({ invars, outvars }, at) => {
            expect(bytes[at]).toBeGreaterThanOrEqual(size(graph, [...invars, ...outvars]));
            expect(bytes[at]).toBeLessThanOrEqual(most);
          });
          expect(peak).toBe(graph.eqns.length === 0 ? -1 : bytes.indexOf(most));
        });
      }),
    );
  });
});

describe('its curve', () => {
  test('keeps the largest of each column', () => {
    expect(curveOf(Float64Array.of(1, 9, 2, 3, 8, 1), 3)).toEqual({
      values: Float64Array.of(9, 3, 8),
      at: Int32Array.of(1, 3, 4),
    });
    expect([...curveOf(Float64Array.of(1, 2), 400).values]).toEqual([1, 2]);
  });

  test('has a selection where it lies in one of its eqns, or holds some', () => {
    const of = sized([chain(['scan', 'sin'], [[1]]), chain(['exp'])]);
    of.graphs[0]!.groups = [plainGroup(0, 2)];
    expect(['0.0/0', '0.0', '1', 'g0', 'in0'].map((id) => eqnsIn(of, '', id))).toEqual([
      { start: 0, stop: 1 },
      { start: 0, stop: 1 },
      { start: 1, stop: 2 },
      { start: 0, stop: 2 },
      null,
    ]);
    expect(eqnsIn(of, '0.0', '0.0/0')).toEqual({ start: 0, stop: 1 });
    expect(eqnsIn(of, '0.0', '1')).toBeNull();
  });

  test('is of the program, or of a graph around what is selected or in it', () => {
    const of = sized([chain(['scan', 'fusion'], [[1], [2]]), chain(['exp']), chain(['sin'])]);
    expect(graphsAround(of, null)).toEqual(['']);
    expect(graphsAround(of, '0')).toEqual(['', '0.0']);
    expect(graphsAround(of, '0.0/0')).toEqual(['', '0.0']);
    expect(graphsAround(of, '1')).toEqual(['']);
  });
});

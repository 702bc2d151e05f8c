import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { castsIn, outlierLayers } from '../src/facts/colours/casts';
import { byDtype } from '../src/facts/colours/colouring';
import { aliveAt, largestMade } from '../src/facts/numbers/alive';
import { livenessOf } from '../src/facts/numbers/liveness';
import { children } from '../src/facts/outline';
import type { Aval, Graph, Stage } from '../src/schema';
import { castRow, outlierText } from '../src/words/value-rows';
import { chain, F32, plainGroup, stage, stageOf } from './fixtures';
import { stages } from './programs';

const BF16: Aval = { ...F32, text: 'bf16[]', dtype: 'bfloat16', bytes: 2 };

/** Eqns in a row, each with the aval of its result: 0 is f32, 1 bf16. */
function row(eqns: readonly (readonly [string, 0 | 1])[]): Stage {
  const graph = chain(eqns.map(([op]) => op));
  eqns.forEach(([, aval], at) => {
    graph.vars[at + 1]!.aval = aval;
  });
  return { ...stage([graph]), avals: [F32, BF16] };
}

/** The colour class of each eqn of the first graph, by dtype. */
const classesOf = (of: Stage) => {
  const { classes, ofEqn } = byDtype(of);
  const eqns = children(of, '').filter(({ kind }) => kind === 'eqn');
  return eqns.map((item) => classes[ofEqn(item, of.graphs[0]!)]!.paint);
};

describe('casts', () => {
  test('those that no sibling layer has come first, in program order', () => {
    const of = row([
      ['sin', 1],
      ['convert_element_type', 0],
      ['convert_element_type', 1],
      ['convert_element_type', 0],
    ]);
    of.strays = [{ eqn: 3, layer: 'layers[2]', siblings: 3, shared: false }];
    const casts = castsIn(of);
    expect(casts.map(({ from, to, eqn }) => [from, to, eqn])).toEqual([
      ['bf16', 'f32', 3],
      ['bf16', 'f32', 1],
      ['f32', 'bf16', 2],
    ]);
    expect(casts.map((one) => castRow(of, one).badge)).toEqual([
      '≠ layers[2], not in 3 siblings',
      '',
      '',
    ]);
    expect(outlierLayers(of).map(outlierText)).toEqual([
      'layers[2] has 1 cast that its 3 siblings do not have',
    ]);
    expect(classesOf(of)).toEqual(['f16', 'retyped', 'retyped', 'removed']);
  });

  test('a change of the weak type alone is no cast', () => {
    expect(
      castsIn(
        row([
          ['sin', 1],
          ['convert_element_type', 1],
        ]),
      ),
    ).toEqual([]);
  });

  test('in any program each cast is listed once', () => {
    fc.assert(
      fc.property(stages, (of) => {
        const casts = castsIn(of);
        expect(new Set(casts.map(({ graph, eqn }) => `${graph} ${eqn}`)).size).toBe(casts.length);
      }),
    );
  });
});

describe('what is alive', () => {
  const sizes: Aval[] = [1, 16, 2].map((bytes) => ({ ...F32, bytes }));
  const sized = (graph: Graph, avals: readonly number[]): Stage => {
    avals.forEach((aval, at) => {
      graph.vars[at]!.aval = aval;
    });
    return { ...stage([graph]), avals: sizes };
  };

  test('at an eqn: each value, largest first, with why it is kept', () => {
    const of = sized(chain(['sin', 'cos', 'add']), [0, 1, 2, 0]);
    expect(aliveAt(of, 0, 1).map(({ reason, bytes, user }) => [reason, bytes, user])).toEqual([
      ['used', 16, 1],
      ['made', 2, 2],
      ['input', 1, 0],
    ]);
  });

  test('what the backward pass uses last is a residual', () => {
    const graph = chain(['sin', 'cos', 'mul']);
    graph.eqns[2]!.invars = [1, 2];
    graph.groups = [
      { ...plainGroup(0, 2), role: 'forward' },
      { ...plainGroup(2, 3), role: 'backward' },
    ];
    const found = aliveAt(sized(graph, [0, 1, 2, 0]), 0, 1);
    expect(found[0]).toMatchObject({ reason: 'residual', maker: 0, user: 2 });
  });

  test('adds up to the live bytes, at each eqn of any program', () => {
    fc.assert(
      fc.property(stages, (of) => {
        livenessOf(of).forEach(({ bytes }, number) => {
          bytes.forEach((live, at) => {
            const sum = aliveAt(of, number, at).reduce((all, one) => all + one.bytes, 0);
            expect(sum).toBe(live);
          });
        });
      }),
    );
  });

  test('the largest values are between inputs and results, each once', () => {
    const of = sized(chain(['sin', 'cos', 'add']), [1, 2, 1, 1]);
    expect(largestMade(of).map(({ eqn, bytes }) => [eqn, bytes])).toEqual([
      [1, 16],
      [0, 2],
    ]);
    const step = stageOf('train_step');
    const root = step.graphs[0]!;
    const results = new Set(root.outvars);
    for (const { graph, variable } of largestMade(step)) {
      expect(graph === 0 && results.has(variable)).toBe(false);
    }
  });
});

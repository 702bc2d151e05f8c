import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { castsIn, isStray, strayGroups } from '../src/facts/casts';
import { aliveAt, largestMade } from '../src/facts/numbers/alive';
import { livenessOf } from '../src/facts/numbers/liveness';
import { unlikeGroups } from '../src/facts/siblings';
import type { Aval, Graph, Stage } from '../src/schema';
import { castRow, unlikeText } from '../src/words/value-rows';
import { chain, F32, plainGroup, stage, stageOf } from './fixtures';
import { stages } from './programs';

const BF16: Aval = { ...F32, text: 'bf16[]', dtype: 'bfloat16', bytes: 2 };

/** Layers `[op, dtype]…`, each a group: those that are written alike repeat one another. */
function layered(layers: readonly (readonly (readonly [string, 0 | 1])[])[]): Stage {
  const graph = chain(layers.flat().map(([op]) => op));
  graph.vars[0]!.aval = 1;
  layers.flat().forEach(([, aval], at) => {
    graph.vars[at + 1]!.aval = aval;
  });
  const written = layers.map((layer) => JSON.stringify(layer));
  const again = (one: string | undefined) => written.filter((other) => other === one).length > 1;
  let start = 0;
  graph.groups = layers.map(({ length }, at) => {
    const alike = again(written[at]) ? written.indexOf(written[at]!) : -1;
    start += length;
    const name = `layers[${at}]`;
    return { ...plainGroup(start - length, start, name), alike };
  });
  return { ...stage([graph]), avals: [F32, BF16] };
}

const PLAIN = [
  ['mul', 1],
  ['exp', 1],
  ['neg', 1],
] as const;
const STRAY = [
  ['mul', 1],
  ['convert_element_type', 0],
  ['exp', 0],
  ['convert_element_type', 1],
  ['neg', 1],
] as const;
const NORM = [
  ['convert_element_type', 0],
  ['rsqrt', 0],
  ['convert_element_type', 1],
] as const;
const layerNames = (of: Stage) =>
  strayGroups(of).map(({ group }) => of.graphs[0]!.groups[group]!.name);

describe('casts', () => {
  test('those that no sibling layer has come first, in program order', () => {
    const of = layered([
      [...NORM, ...PLAIN],
      [...NORM, ...PLAIN],
      [...NORM, ...STRAY],
      [...NORM, ...PLAIN],
    ]);
    const casts = castsIn(of);
    expect(casts).toHaveLength(10);
    expect(
      casts.slice(0, 3).map(({ from, to, eqn, stray }) => [from, to, eqn, stray !== null]),
    ).toEqual([
      ['bf16', 'f32', 16, true],
      ['f32', 'bf16', 18, true],
      ['bf16', 'f32', 0, false],
    ]);
    expect(castRow(of, casts[0]!)).toMatchObject({
      id: '16',
      badge: '≠ only in layers[2]',
      about: 'layers[2]',
    });
    expect(isStray(of, 0, 17)).toBe(true);
    expect(isStray(of, 0, 13)).toBe(false);
    expect(unlikeText(of, strayGroups(of)[0]!)).toBe(
      'layers[2] has 3 ops that are narrower in its 3 siblings, or are not in them',
    );
  });

  test('a change of the weak type alone is no cast', () => {
    const of = layered([[['convert_element_type', 1]]]);
    expect(castsIn(of)).toEqual([]);
  });

  test('layers of which none repeats another, or only half do, have no siblings', () => {
    expect(layerNames(layered([[...PLAIN], [...STRAY]]))).toEqual([]);
    expect(layerNames(layered([[...PLAIN], [...PLAIN], [...STRAY]]))).toEqual(['layers[2]']);
    expect(layerNames(layered([[...PLAIN], [...STRAY], [...NORM]]))).toEqual([]);
  });

  test('a layer that does less, or is narrower, is unlike its siblings but has no strays', () => {
    const less = layered([[...STRAY], [...STRAY], [...PLAIN]]);
    expect(unlikeGroups(less).map(({ group }) => group)).toEqual([2]);
    expect(strayGroups(less)).toEqual([]);
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

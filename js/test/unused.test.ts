/** Eqns whose results nothing needs are labelled `unused`, and drawn as small chips. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { numberOf, REMOVED } from '../src/facts/differences';
import { unusedEqns } from '../src/facts/flow';
import { ROOT } from '../src/facts/ids';
import { children } from '../src/facts/outline';
import type { Cost, Graph, Program } from '../src/schema';
import { detailsOf } from '../src/words/item-details';
import { chain, GOLDEN, golden, goldens, readable, stage, stageOf } from './fixtures';

const NOTHING: Cost = { flops: 0, transcendentals: 0, bytes: 0, least: false };

/** The eqns of a graph that are unused, as ops. */
const unusedIn = (graph: Graph) => [...unusedEqns(graph)].map((at) => graph.eqns[at]?.op).sort();

describe('unused eqns', () => {
  test('of a gradient are those that only its loss needs', () => {
    const [graph] = stageOf('grad_loss').graphs as [Graph];
    expect(unusedIn(graph)).toEqual(['broadcast_in_dim', 'div', 'integer_pow', 'reduce_sum']);
  });

  test('are chips that say so, and details say why', () => {
    const one = stage([chain(['sin', 'cos', 'add'])]);
    const [graph] = one.graphs as [Graph];
    graph.outvars = [...graph.eqns[0]!.outvars];
    for (const at of [1, 2]) graph.eqns[at]!.cost = NOTHING;
    const items = children(one, ROOT).filter(({ kind }) => kind === 'eqn');
    expect(items.map(({ label, free }) => [label, free])).toEqual([
      ['sin', false],
      ['cos unused', true],
      ['add unused', true],
    ]);
    const facts = detailsOf(one, '2')?.facts.map(readable);
    expect(facts).toContain('unused: no result depends on it, so XLA removes it');
  });

  test('are none of those that are returned, have effects, cost something, or may cost something', () => {
    const graph = chain(['sin', 'debug_print', 'add', 'mul', 'cos']);
    const [, print, , mul] = graph.eqns;
    for (const eqn of graph.eqns) eqn.cost = NOTHING;
    print!.effects = ['debug'];
    mul!.cost = { ...NOTHING, bytes: 8 };
    graph.outvars = [...graph.eqns[4]!.outvars];
    expect(unusedIn(graph)).toEqual([]);
    const none = { ...graph, outvars: [] };
    expect(unusedIn(none)).toEqual(['cos']);
    expect(unusedIn({ ...none, eqns: graph.eqns.map((eqn) => ({ ...eqn, cost: null })) })).toEqual(
      [],
    );
  });

  test.each(goldens)('of %s cost nothing and are used by none but each other', (name) => {
    for (const one of golden(name).stages.filter(({ kind }) => kind === 'jaxpr')) {
      for (const graph of one.graphs) {
        const unused = unusedEqns(graph);
        const used = new Set([
          ...graph.outvars,
          ...graph.eqns.flatMap(({ invars }, at) => (unused.has(at) ? [] : invars)),
        ]);
        const made = [...unused].flatMap((at) => graph.eqns[at]!.outvars);
        expect(made.filter((one) => used.has(one))).toEqual([]);
      }
    }
  });

  const COMPARED = join(GOLDEN, 'compared');
  test.each(readdirSync(COMPARED))('of the comparison %s were not removed', (file) => {
    const { stages, compared } = JSON.parse(readFileSync(join(COMPARED, file), 'utf8')) as Program;
    const first = stages[0]!.graphs.map((_, at, all) =>
      all.slice(0, at).reduce((sum, { eqns }) => sum + eqns.length, 0),
    );
    const unused = stages[0]!.graphs.flatMap((graph, at) =>
      [...unusedEqns(graph)].map((eqn) => first[at]! + eqn),
    );
    const removed = compared!.marks.filter(({ kind }) => numberOf(kind) === REMOVED);
    expect(removed.filter(({ eqn }) => unused.includes(eqn))).toEqual([]);
  });
});

/** The words for the work of eqns: no view shows `0 flops` beside work, and no share is above 100 %. */
import { describe, expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { allText, measureOf } from '../src/facts/colours/heat';
import { workIn } from '../src/facts/linked/line-notes';
import { lineCosts, wholeOf } from '../src/facts/numbers/costs';
import { functionOfStage, lineFunctions, workTexts } from '../src/facts/numbers/work';
import { linePercentText, shareOf } from '../src/facts/text/describe';
import { sceneOf } from '../src/layout/scene';
import type { Cost, Frame, Graph, Stage } from '../src/schema';
import { columnsWithin } from '../src/words/cost-columns';
import { eqnRows } from '../src/words/cost-table';
import { costFacts } from '../src/words/item-details';
import { marginText } from '../src/words/margin-words';
import { chain, golden, goldens, readable, stage } from './fixtures';

/** Costs of 100 elements. XLA counts flops for some ops, values of functions for others, or nothing. */
const COSTS: Record<string, Cost> = {
  add: { flops: 100, transcendentals: 0, bytes: 800, least: false },
  sin: { flops: 0, transcendentals: 100, bytes: 800, least: false },
  exp: { flops: 0, transcendentals: 100, bytes: 800, least: false },
  logistic: { flops: 200, transcendentals: 100, bytes: 800, least: false },
  transpose: { flops: 0, transcendentals: 0, bytes: 800, least: false },
  reshape: { flops: 0, transcendentals: 0, bytes: 800, least: false },
};

const line = (number: number): Frame => ({
  ...golden('lesson').stages[0]!.frames[0]!,
  line: number,
  cell: 'a',
});

/** A program of eqns of 100 elements, one on each line. */
function of(...ops: string[]): Stage {
  const graph = chain(ops);
  const eqns = graph.eqns.map((eqn, frame) => ({ ...eqn, frame, cost: COSTS[eqn.op]! }));
  return { ...stage([{ ...graph, eqns }]), frames: ops.map((_, at) => line(at + 1)) };
}

function wordsOf(one: Stage) {
  const flops = columnsWithin(one, 9, null).find(({ column }) => column === 'flops')!;
  const share = columnsWithin(one, 9, null).find(({ column }) => column === 'share')!;
  const program = { ...golden('lesson'), stages: [one] };
  return {
    table: eqnRows(one)
      .map((row) => `${flops.text(row, one) || '–'} (${share.text(row, one)})`)
      .join('; '),
    details: costFacts(one, '0').map(readable).slice(0, 2).join('; '),
    total: workTexts(wholeOf(one), functionOfStage(one)).join(' + ') || '–',
    legend: allText(one, measureOf(one)),
    margin: workIn(program, 'a')
      .map((note) => `${note.by} ${marginText(note)}`)
      .join('; '),
  };
}

const PROGRAMS = [
  ['sin'],
  ['sin', 'sin'],
  ['sin', 'exp'],
  ['sin', 'add'],
  ['logistic'],
  ['logistic', 'sin'],
  ['transpose'],
  ['transpose', 'reshape'],
  ['transpose', 'sin'],
  ['transpose', 'add', 'add'],
];

describe('of 100 elements', () => {
  test('the words say what is counted', async () => {
    const text = PROGRAMS.map((ops) => {
      const words = Object.entries(wordsOf(of(...ops)));
      return [ops.join(', '), ...words.map(([place, found]) => `  ${place}: ${found}`)].join('\n');
    });
    await expect(`${text.join('\n\n')}\n`).toMatchFileSnapshot('words/work.txt');
  });

  test('a line has the name of its function', () => {
    const one = of('sin', 'exp', 'add');
    one.graphs[0]!.eqns[1]!.frame = 0;
    expect([...lineFunctions(one)]).toEqual([[expect.any(String), '']]);
    expect([...lineFunctions(of('exp', 'add')).values()]).toEqual(['exp']);
  });

  test('boxes that only move data have a colour of their own', () => {
    const one = of('transpose', 'sin');
    const { classes, of: heat } = colour(one, sceneOf(one, new Set()).boxes, 'flops');
    const found = [...heat].map((at) => classes[at]?.label);
    expect(found).toEqual(expect.arrayContaining(['no arithmetic', '≥ 50 %']));
  });
});

describe('shares', () => {
  const percent = (text: string) => Number.parseFloat(text.replace('<', '')) || 0;

  test.each(goldens)('of the lines of %s add up to at most 100 %', (name) => {
    for (const one of golden(name).stages.filter(({ error }) => error === null)) {
      for (const by of ['flops', 'bytes'] as const) {
        const shares = [...lineCosts(one).values()].map((cost) =>
          shareOf(cost[by], wholeOf(one)[by]),
        );
        const shown = shares.map((share) => (share === null ? 0 : percent(linePercentText(share))));
        expect(shown.reduce((sum, part) => sum + part, 0)).toBeLessThanOrEqual(100.0001);
      }
    }
  });

  test('are rounded down', () => {
    const texts = [1, 0.999, 0.505, 0.29, 0.0079, 0.0004].map(linePercentText);
    expect(texts).toEqual(['100 %', '99 %', '50 %', '29 %', '0.7 %', '<0.1 %']);
  });

  test('of a function in both branches of a choice are those of one run', () => {
    const called = (): Graph => chain(['call'], [[3]]);
    const both = stage([chain(['cond'], [[1, 2]]), called(), called(), chain(['add'])]);
    for (const eqn of both.graphs.flatMap(({ eqns }) => eqns)) eqn.cost = COSTS.add!;
    expect(eqnRows(both).map(({ share, runs }) => [share, runs])).toEqual(Array(4).fill([1, 1]));
  });

  test('are left out for a body that the total does not include', () => {
    const [solve] = golden('linear_solve').stages as [Stage];
    const facts = costFacts(solve, '0.0/0').map(readable);
    expect(facts.filter((one) => one.includes('of the program'))).toEqual([]);
  });
});

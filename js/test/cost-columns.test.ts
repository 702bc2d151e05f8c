import { expect, test } from 'vitest';
import { columnsWithin } from '../src/words/cost-columns';
import { eqnRows } from '../src/words/cost-table';
import { stageOf } from './fixtures';

test('the flops of a function such as sin are the number of its values, not 0', () => {
  const stage = structuredClone(stageOf('lesson'));
  for (const eqn of stage.graphs[0]!.eqns) {
    const isSin = eqn.op === 'sin';
    eqn.cost = { flops: isSin ? 0 : 4, transcendentals: isSin ? 4 : 0, bytes: 32, least: false };
  }
  const flops = columnsWithin(stage, 9, null).find(({ column }) => column === 'flops')!;
  const rows = eqnRows(stage);
  expect(rows.map((row) => `${row.label}: ${flops.text(row, stage)}`)).toEqual([
    'integer_pow: 4',
    'sin: 4 sin',
    'add: 4',
    'reduce_sum: 4',
  ]);
});

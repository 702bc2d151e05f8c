import { expect, test } from 'vitest';
import { find } from '../src/model/find';
import { graphPath } from '../src/model/ids';
import { children } from '../src/model/outline';
import type { Stage } from '../src/schema';
import { stageOf } from './fixtures';

/** What is found, by label. */
function found(stage: Stage, query: string): string[] {
  return find(stage, query).map((id) => {
    const step = id.slice(id.lastIndexOf('/') + 1);
    const path = graphPath(id);
    const graph = children(stage, path).find((item) => item.id === id);
    return `${id} ${graph?.label ?? step}`;
  });
}

test('by primitive, in bodies too', () => {
  expect(found(stageOf('scan_with_cond'), 'cond')).toEqual(['1.0/3 cond']);
  expect(found(stageOf('scan_with_cond'), 'mul')).toHaveLength(1);
});

test('by the name of a variable, whole where it is short', () => {
  expect(found(stageOf('lesson'), 'd')).toEqual(['2 add']);
  expect(found(stageOf('lesson'), 'a')).toEqual(['in0 x']);
});

test("by the argument's path", () => {
  expect(found(stageOf('grad_loss'), 'batch[1]')).toEqual(['in2 batch[1]']);
  expect(found(stageOf('grad_loss'), "params['layers']")).toEqual(["in0 params['layers'][0]"]);
});

test('by type and by shape, with * for any dimension', () => {
  const stage = stageOf('lesson');
  expect(found(stage, 'f32[]')).toEqual(['3 reduce_sum', 'out0 result']);
  expect(found(stage, '[*]')).toEqual(['in0 x', '0 integer_pow', '1 sin', '2 add']);
  expect(found(stage, '[*,4]')).toEqual([]);
  expect(found(stage, 'f32[4')).toEqual(['in0 x', '0 integer_pow', '1 sin', '2 add']);
});

test('nothing for nothing, and what a regular expression would take is text', () => {
  expect(found(stageOf('lesson'), '  ')).toEqual([]);
  expect(found(stageOf('lesson'), '.*(')).toEqual([]);
});

/** A choice among the layers of a pass: the edge to it from the row above says that it picks the branch. */
import { expect, test } from 'vitest';
import { sceneOf } from '../../src/layout/scene';
import { firstView } from '../../src/state/first-view';
import { stageOf } from '../fixtures';

test('the condition of a choice in a lane says that it picks the branch', () => {
  const stage = stageOf('grad_of_cond');
  const { open, shape } = firstView(stage);
  const { boxes } = sceneOf(stage, open, shape);
  expect(boxes.flatMap(({ label, type }) => (type.includes('picks') ? [label, type] : []))).toEqual(
    ['convert_element_type', 'i32[] picks the branch'],
  );
});

/** `jax.grad` of a jitted function: each pass is one call, whose eqns stand in the lane itself. */
import { expect, test } from 'vitest';
import type { Id } from '../../src/facts/ids';
import { sceneOf } from '../../src/layout/scene';
import { boxShowing } from '../../src/layout/scene-walk';
import { firstView } from '../../src/state/first-view';
import { stageOf } from '../fixtures';

const stage = stageOf('grad_of_jit');
const { open, shape } = firstView(stage);
const scene = sceneOf(stage, open, shape);
const inside = (id: string) =>
  scene.boxes.flatMap(({ label, parent }) => (scene.boxes[parent]?.item.id === id ? [label] : []));

test('the lanes show the eqns of both calls, without boxes of the calls', () => {
  expect(scene.boxes.map(({ label }) => label)).not.toContain('energy');
  expect(inside('g0')).toMatchInlineSnapshot(`
    [
      "tanh",
      "1.0 - …",
      "integer_pow",
      "* 2.0",
      "reduce_sum",
    ]
  `);
  expect(inside('g1')).toMatchInlineSnapshot(`
    [
      "broadcast_in_dim",
      "mul",
      "mul",
      "mul",
      "add_any",
    ]
  `);
});

test('values cross from lane to lane', () => {
  const ends = scene.edges
    .filter(({ arrow, cut }) => arrow && !cut)
    .map(({ source, target }) => `${scene.boxes[source]?.label} → ${scene.boxes[target]?.label}`);
  expect(ends).toMatchInlineSnapshot(`
    [
      "tanh → 1.0 - …",
      "tanh → integer_pow",
      "tanh → * 2.0",
      "integer_pow → reduce_sum",
      "forward → tanh",
      "broadcast_in_dim → mul",
      "mul → mul",
      "mul → mul",
      "mul → add_any",
      "mul → add_any",
      "backward → broadcast_in_dim",
      "backward → mul",
      "backward → mul",
      "backward → mul",
      "forward → backward",
      "forward → backward",
      "forward → backward",
      "x → forward",
      "backward → result",
    ]
  `);
});

test('the lane is the box of its call', () => {
  const lane = scene.boxes.findIndex(({ item }) => item.id === 'g0');
  expect(boxShowing(stage, scene, '0' as Id)).toBe(lane);
});

test('a closed call has its box', () => {
  const some = new Set([...open].filter((id) => id !== '1'));
  const closed = sceneOf(stage, some, shape).boxes.filter(({ label }) => label === 'energy');
  expect(closed.map(({ item, open: isOpen }) => [item.id, isOpen])).toEqual([['1', false]]);
});

test('without lanes, the call is a box with its inputs and results', () => {
  const some = new Set([...open].filter((id) => id !== 'g1'));
  const { boxes, index } = sceneOf(stage, some, shape);
  const inCall = boxes.filter(({ parent }) => parent === index.get('0'));
  expect(inCall.map(({ item }) => item.kind)).toEqual(expect.arrayContaining(['input', 'output']));
});

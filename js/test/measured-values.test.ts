/** Measured values, beside the edges of the graph and in details. */
import { expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import type { Stage } from '../src/schema';
import { detailsOf } from '../src/words/item-details';
import { chain, plainGroup, readable, stage } from './fixtures';

/** A run reported `exp` and `log`, but not `neg`. */
function measuredStage(): Stage {
  const values = [
    { eqn: 0, largest: ['6.18e+04'], nan: [0], inf: [0], written: [], spread: [''] },
    { eqn: 1, largest: ['6.91'], nan: [3], inf: [1], written: [], spread: ['-2.1…6.91'] },
  ];
  return { ...stage([{ ...chain(['exp', 'log', 'neg']), groups: [plainGroup(0, 1)] }]), values };
}

test('what flows out of a box has its largest magnitude, or what of it is not finite', () => {
  const { boxes } = sceneOf(measuredStage(), new Set());
  expect(boxes.filter(({ item }) => item.stop > item.start).map(({ type }) => type)).toEqual([
    'f32[] max|x| 61,800',
    'f32[] 3 NaN, 1 inf',
    'f32[]',
  ]);
});

test('details have it of results and of operands', () => {
  const facts = (id: string) => detailsOf(measuredStage(), id)?.facts.map(readable);
  expect(facts('1')).toEqual([
    'in v1: f32[] largest finite 61,800 ← [exp]',
    'out v2: f32[] largest finite 6.91 3 NaN 1 inf → [neg]',
  ]);
  expect(facts('2')?.at(-1)).toMatch(/^out v3: f32\[\] → /);
});

test('if its distribution was reported, an edge shows the range of its value', () => {
  const values = [
    { eqn: 0, largest: ['6.18e+04'], nan: [0], inf: [0], written: [], spread: ['-6.18e+04…0.25'] },
  ];
  const { boxes } = sceneOf({ ...measuredStage(), values }, new Set());
  expect(boxes.map(({ type }) => type)).toContain('f32[] -61,800…0.25');
});

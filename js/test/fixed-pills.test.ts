import { expect, test } from 'vitest';
import { SMALL, textWidth } from '../src/layout/measure';
import { sceneOf } from '../src/layout/scene';
import type { Stage } from '../src/schema';
import { chain, stage } from './fixtures';

/** A chain so long that it stands in columns, whose eqns also take the first input or an earlier result. */
function folded(): Stage {
  const { eqns: own, ...graph } = chain(Array<string>(16).fill('add'));
  const also: Record<number, number> = { 4: 4, 10: 7, 12: 3, 14: 9 };
  const eqns = own.slice(1).map((eqn, at) => ({ ...eqn, invars: [at + 1, also[at + 1] ?? 0] }));
  const fixed = [0, 1].map(() => ({ path: 'mode', text: '', kind: 'static' as const }));
  const call = { consts: [], donated: [], shardings: [], results: [], mesh: [], fixed };
  return { ...stage([{ ...graph, invars: [0, 1], args: ['x', 'y'], eqns }]), call };
}

test('the text under a fixed argument stands clear of the names of values', () => {
  const shape = { beside: false, aspect: 0.3125, tall: 320, wide: 100, rowGap: 32, tight: false };
  const { boxes, mentions } = sceneOf(folded(), new Set(), shape);
  const under = boxes.filter(({ item }) => item.kind === 'fixed');
  expect(under).toHaveLength(2);
  for (const { type, typeX, typeY } of under) {
    const right = typeX + textWidth(type, SMALL);
    const near = mentions.filter(({ y, h }) => y < typeY + SMALL && typeY < y + h);
    expect(near.filter(({ x, w }) => x < right && typeX < x + w)).toEqual([]);
  }
});

import { expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import { anchorNear } from '../src/render/scene-change';
import { everything } from '../src/state/budget';
import { stageOf } from './fixtures';

const stage = stageOf('scan_with_cond');
const closed = sceneOf(stage, new Set());
const open = sceneOf(stage, everything(stage));

test('what is nearest of what changed stays where it is', () => {
  const [one, other] = [closed.boxes[0]!, closed.boxes[closed.boxes.length - 1]!];
  const ids = [one.item.id, other.item.id];
  const near = (box: typeof one) => anchorNear(closed, open, ids, { x: box.x, y: box.y });
  expect(near(one)?.from).toBe(one);
  expect(near(other)?.from).toBe(other);
  expect(near(other)?.to.item.id).toBe(other.item.id);
});

test('what only one of both shows cannot stay', () => {
  const inner = open.boxes.find(({ item }) => !closed.index.has(item.id));
  expect(anchorNear(open, closed, [inner?.item.id ?? ''], { x: 0, y: 0 })).toBeNull();
});

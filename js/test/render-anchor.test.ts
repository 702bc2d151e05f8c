import { expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import { anchorNear, landed, whole } from '../src/render/camera';
import { everything } from '../src/state/open-items';
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

test('what opens or closes never leaves empty ground, wherever the reader was', () => {
  const view = { width: 300, height: 200 };
  for (const [before, after] of [
    [closed, open],
    [open, closed],
  ] as const) {
    for (const from of before.boxes) {
      const to = after.boxes[after.index.get(from.item.id) ?? -1];
      if (!to) continue;
      for (const zoom of [0.2, 0.45, 1, 3]) {
        const camera = landed({ x: from.x - 10, y: from.y - 10, zoom }, { from, to }, after, view);
        const seen = after.boxes.filter(
          (box) =>
            !box.open &&
            box.x < camera.x + view.width / camera.zoom &&
            box.x + box.w > camera.x &&
            box.y < camera.y + view.height / camera.zoom &&
            box.y + box.h > camera.y,
        );
        expect(seen).not.toEqual([]);
        expect(camera.zoom).toBeGreaterThanOrEqual(Math.min(zoom, whole(after, view).zoom));
      }
    }
  }
});

test('what was opened stays where it is where that leaves no empty ground', () => {
  const [from] = closed.boxes.filter(({ item }) => open.index.has(item.id));
  const to = open.boxes[open.index.get(from?.item.id ?? '') ?? -1];
  if (!from || !to) throw new Error('Both show it.');
  const view = { width: open.width / 2, height: open.height / 2 };
  const camera = landed({ x: from.x - 10, y: from.y - 10, zoom: 1 }, { from, to }, open, view);
  expect([to.x - camera.x, to.y - camera.y]).toEqual([10, 10]);
});

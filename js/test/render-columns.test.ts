import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scene, sceneOf } from '../src/layout/scene';
import {
  boxAt,
  boxesIn,
  columnsOf,
  edgesIn,
  Indices,
  motion,
  sceneAt,
} from '../src/render/scene-columns';
import { everything, openWithin } from '../src/state/open-items';
import { stageOf } from './fixtures';
import { stages } from './programs';

const listed = (indices: Indices) =>
  Array.from({ length: indices.length }, (_, position) => indices.at(position));

const bounds = fc.record({
  left: fc.integer({ min: -200, max: 2000 }),
  top: fc.integer({ min: -200, max: 2000 }),
  width: fc.integer({ min: 1, max: 900 }),
  height: fc.integer({ min: 1, max: 900 }),
});

describe('what is in view', () => {
  test('is every box and edge that meets the view, in order', () => {
    fc.assert(
      fc.property(stages, bounds, (stage, { left, top, width, height }) => {
        const scene = sceneOf(stage, openWithin(stage, 80));
        const view = { left, top, right: left + width, bottom: top + height };
        const found = new Indices();
        boxesIn(columnsOf(scene), view, found);
        expect(listed(found)).toEqual(
          scene.boxes.flatMap(({ x, y, w, h }, index) =>
            x <= view.right && x + w >= left && y <= view.bottom && y + h + 24 >= top
              ? [index]
              : [],
          ),
        );
        edgesIn(columnsOf(scene), view, found);
        const meets = (points: readonly number[]) => {
          const xs = points.filter((_, sceneAt) => sceneAt % 2 === 0);
          const ys = points.filter((_, sceneAt) => sceneAt % 2 === 1);
          const across = Math.min(...xs) <= view.right && Math.max(...xs) >= left;
          return across && Math.min(...ys) <= view.bottom && Math.max(...ys) >= top;
        };
        expect(listed(found)).toEqual(
          scene.edges.flatMap(({ points }, index) => (meets(points) ? [index] : [])),
        );
      }),
      { numRuns: 40 },
    );
  });

  test('of boxes over one another the inner one is hit', () => {
    const stage = stageOf('scan_with_cond');
    const scene = sceneOf(stage, everything(stage));
    scene.boxes.forEach(({ x, y, w, h, open }, index) => {
      if (!open) expect(boxAt(columnsOf(scene), x + w / 2, y + h / 2)).toBe(index);
    });
    expect(boxAt(columnsOf(scene), -1, -1)).toBe(-1);
  });
});

describe('opening a box', () => {
  const stage = stageOf('scan_with_cond');
  const closed = sceneOf(stage, new Set());
  const open = sceneOf(stage, new Set([closed.boxes.find((box) => box.item.foldable)!.item.id]));
  const corner = (scene: Scene, id: string) => {
    const index = scene.index.get(id) as number;
    const { x, y } = columnsOf(scene);
    return [x[index], y[index]];
  };

  test('moves every box from where it was to where it is', () => {
    const moving = motion(closed, open, { x: 5, y: 7 });
    const start = sceneAt(moving, 1000) as Scene;
    for (const { item, x, y } of closed.boxes) {
      expect(corner(start, item.id)).toEqual([x + 5, y + 7]);
    }
    const half = sceneAt(moving, 1075) as Scene;
    for (const { item, x } of closed.boxes) {
      const [now] = corner(half, item.id) as [number];
      const to = open.boxes[open.index.get(item.id) as number]?.x as number;
      expect(now).toBeGreaterThanOrEqual(Math.min(x + 5, to));
      expect(now).toBeLessThanOrEqual(Math.max(x + 5, to));
    }
    expect(sceneAt(moving, 1150)).toBeNull();
  });

  test('shows what was not there only at the end', () => {
    const scene = sceneAt(motion(closed, open, { x: 0, y: 0 }), 0) as Scene;
    const seen = new Indices();
    const all = { left: -1e6, top: -1e6, right: 1e6, bottom: 1e6 };
    boxesIn(columnsOf(scene), all, seen);
    expect(listed(seen).map((index) => open.boxes[index]?.item.id)).toEqual(
      open.boxes.map(({ item }) => item.id).filter((id) => closed.index.has(id)),
    );
    expect(scene.edges).toEqual([]);
  });
});

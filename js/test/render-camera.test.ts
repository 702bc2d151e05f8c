import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sceneOf } from '../src/layout/scene';
import {
  type Camera,
  centre,
  filled,
  first,
  follow,
  hold,
  LEAST_ZOOM,
  MOST_ZOOM,
  pan,
  reveal,
  toScene,
  whole,
  zoomAbout,
} from '../src/render/camera';
import { hit } from '../src/render/scene-columns';
import { stages } from './programs';

const VIEW = { width: 800, height: 600 };
const START: Camera = { x: 0, y: 0, zoom: 1 };

describe('the camera', () => {
  test('zooms about the pointer', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 20, noNaN: true }),
        fc.integer({ min: 0, max: 800 }),
        fc.integer({ min: 0, max: 600 }),
        (factor, x, y) => {
          const camera = { x: 37, y: -5, zoom: 0.7 };
          const zoomed = zoomAbout(camera, factor, x, y);
          expect(zoomed.zoom).toBeGreaterThanOrEqual(LEAST_ZOOM);
          expect(zoomed.zoom).toBeLessThanOrEqual(MOST_ZOOM);
          expect(toScene(zoomed, x, y).x).toBeCloseTo(toScene(camera, x, y).x, 6);
          expect(toScene(zoomed, x, y).y).toBeCloseTo(toScene(camera, x, y).y, 6);
        },
      ),
    );
  });

  test('leaves no room empty when the view of a taller picture grows', () => {
    const scene = { width: 800, height: 640 };
    const grown = filled({ x: 0, y: 300, zoom: 1 }, scene, VIEW);
    expect(grown).toEqual({ x: 0, y: 40, zoom: 1 });
  });

  test('shows all of a picture that was made as small as it gets', () => {
    const all = whole({ width: 9000, height: 3000 }, VIEW);
    const near = zoomAbout(START, 0.5, 10, 590, all);
    expect(near).not.toEqual(all);
    expect(zoomAbout(near, 0.1, 10, 590, all)).toEqual(all);
  });

  test('follows the pointer while it drags', () => {
    expect(pan({ x: 10, y: 10, zoom: 2 }, 20, -4)).toEqual({ x: 0, y: 12, zoom: 2 });
  });

  test('shows a small picture whole, in the middle and not blown up', () => {
    expect(first({ width: 400, height: 300 }, VIEW, 0)).toEqual({ x: -200, y: -150, zoom: 1 });
  });

  test('shows the top of a large picture where it can be read', () => {
    expect(first({ width: 9000, height: 30_000 }, VIEW, 4000)).toEqual({
      x: 4000 - 400 / 0.85,
      y: 0,
      zoom: 0.85,
    });
    expect(first({ width: 700, height: 30_000 }, VIEW, 0)).toEqual({ x: -50, y: 0, zoom: 1 });
  });

  test('shows all of a large picture when asked to', () => {
    expect(whole({ width: 8000, height: 1000 }, VIEW).zoom).toBeCloseTo(0.1);
  });

  test('stays where what is revealed can be seen, else brings it to the middle', () => {
    const box = { x: 100, y: 100, w: 50, h: 26 };
    const scene = { width: 3000, height: 9000 };
    expect(reveal(START, scene, VIEW, box)).toBe(START);
    expect(reveal(START, scene, VIEW, { x: -3000, y: 300, w: 9000, h: 9000 })).toBe(START);
    expect(reveal(START, scene, VIEW, { x: 795, y: 300, w: 90, h: 26 })).not.toBe(START);
    const away = reveal(START, scene, VIEW, { x: 2000, y: 5000, w: 50, h: 26 });
    expect(toScene(away, 400, 300)).toEqual({ x: 2025, y: 5013 });
  });

  test('moves as little as can be for what is cut at an edge', () => {
    const scene = { width: 3000, height: 9000 };
    const cut = { x: 750, y: 300, w: 90, h: 26 };
    const moved = reveal(START, scene, VIEW, cut);
    expect(moved).toEqual({ x: 48, y: 0, zoom: 1 });
    expect(reveal(moved, scene, VIEW, cut)).toBe(moved);
    expect(reveal(moved, scene, VIEW, { ...cut, x: 0 })).toEqual({ x: 0, y: 0, zoom: 1 });
  });

  test('reveals without looking past the edges, or along an axis where there is no need', () => {
    const scene = { width: 3000, height: 9000 };
    const end = { x: 100, y: 8960, w: 50, h: 26 };
    expect(reveal(START, scene, VIEW, end)).toEqual({ x: 0, y: 8400, zoom: 1 });
    const wide = { width: 3000, height: 200 };
    expect(reveal(START, wide, VIEW, { x: 2900, y: 20, w: 50, h: 26 })).toEqual({
      x: 2200,
      y: 0,
      zoom: 1,
    });
  });

  test('shows the corner of what is larger than the view', () => {
    const camera = centre(START, VIEW, { x: 1000, y: 2000, w: 5000, h: 5000 });
    expect(camera).toEqual({ x: 960, y: 1970, zoom: 1 });
  });

  test('never loses the picture', () => {
    const scene = { width: 300, height: 200 };
    const held = hold({ x: 1e6, y: -1e6, zoom: 1 }, scene, VIEW);
    expect(held).toEqual({ x: 240, y: -540, zoom: 1 });
  });

  test('keeps a corner where it was on the screen', () => {
    const before = { x: 50, y: 80, w: 10, h: 10 };
    const camera = follow({ x: 5, y: 6, zoom: 3 }, before, { x: 70, y: 60, w: 90, h: 90 });
    expect(camera).toEqual({ x: 25, y: -14, zoom: 3 });
  });
});

describe('what is at a point', () => {
  test('is the innermost box there', () => {
    fc.assert(
      fc.property(stages, (stage) => {
        const shut = sceneOf(stage, new Set());
        const open = new Set(shut.boxes.flatMap(({ item }) => (item.foldable ? [item.id] : [])));
        const scene = sceneOf(stage, open);
        scene.boxes.forEach((box, index) => {
          const found = hit(scene, box.x + 1, box.y + 1, 0);
          expect(found?.box).toBe(index);
          expect(found?.fold).toBe(box.item.foldable);
          expect(hit(scene, box.x + box.w - 1, box.y + 1, 0)?.box).toBe(index);
        });
        expect(hit(scene, -5, -5, 0)).toBeNull();
      }),
      { numRuns: 50 },
    );
  });
});

import { describe, expect, test } from 'vitest';
import type { Scene } from '../src/layout/scene';
import { sceneOf } from '../src/layout/scene';
import { NO_MARKS } from '../src/picture/looks';
import { mapSize, wantsMap } from '../src/render/overview';
import type { Shown } from '../src/render/shown-picture';
import { themeOf } from '../src/render/theme';
import { stageOf } from './fixtures';

const scene: Scene = sceneOf(stageOf('lesson'), new Set());

const shown = (zoom: number, width: number, height: number): Shown => ({
  scene,
  camera: { x: 0, y: 0, zoom },
  view: { width, height },
  theme: themeOf(document.body),
  marks: NO_MARKS,
});

describe('the minimap', () => {
  test('is there where part of the scene is out of view', () => {
    expect(wantsMap(shown(0.5, 800, 600))).toBe(false);
    expect(wantsMap(shown(4, 800, 600))).toBe(true);
  });

  test('is not in the way of a small view', () => {
    expect(wantsMap(shown(4, 300, 600))).toBe(false);
    expect(wantsMap(shown(4, 800, 200))).toBe(false);
  });

  test('has the shape of the scene, and can be hit where that is long and thin', () => {
    expect(mapSize({ width: 3000, height: 1500 })).toEqual({ width: 150, height: 75 });
    expect(mapSize({ width: 100, height: 100_000 })).toEqual({ width: 12, height: 110 });
  });
});

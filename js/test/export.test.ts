

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scene, sceneOf } from '../src/layout/scene';
import { everything } from '../src/model/budget';
import { densityFor, type Shown, svgOf, whole } from '../src/render/export';
import { SvgInk } from '../src/render/export-svg';
import { NO_MARKS } from '../src/render/paint';
import { themeOf } from '../src/render/theme';
import type { Stage } from '../src/schema';
import { goldens, stageOf } from './fixtures';

function shown(scene: Scene, part: Partial<Shown> = {}): Shown {
  return {
    scene,
    camera: { x: 0, y: 0, zoom: 1 },
    view: { width: 400, height: 200 },
    theme: themeOf(document.body),
    marks: NO_MARKS,
    ...part,
  };
}

const opened = (stage: Stage): Scene => sceneOf(stage, everything(stage));

/** The elements of an SVG, if it is one, and the texts. Throws where it is not well formed. */
function read(svg: string): { tags: string[]; texts: string[] } {
  const parsed = new DOMParser().parseFromString(svg, 'image/svg+xml');
  if (parsed.querySelector('parsererror')) throw new Error(parsed.textContent ?? '');
  const elements = [...parsed.querySelectorAll('*')];
  return {
    tags: [...new Set(elements.map((element) => element.tagName))].sort(),
    texts: elements.flatMap((one) => (one.tagName === 'text' ? [one.textContent ?? ''] : [])),
  };
}

describe('the picture as SVG', () => {
  test('all of it, as a person reads it', async () => {
    const svg = svgOf(whole(shown(opened(stageOf('scan_with_cond')))), 'scan_with_cond', 'all');
    await expect(svg).toMatchFileSnapshot('pictures/all.svg');
  });

  test('what is seen of it', async () => {
    const seen = shown(opened(stageOf('scan_with_cond')), {
      camera: { x: 30, y: 40, zoom: 0.5 },
      marks: { ...NO_MARKS, selected: 1, matches: new Set([0, 2]), match: 0, lit: new Set([0, 1]) },
    });
    await expect(svgOf(seen, 'scan', 'seen')).toMatchFileSnapshot('pictures/seen.svg');
  });

  test.each(goldens)('%s says each label once, at every zoom', (name) => {
    const scene = opened(stageOf(name));
    const labels = scene.boxes.map((box) => box.label).sort();
    const { tags, texts } = read(svgOf(whole(shown(scene)), name, ''));
    expect(tags.filter((tag) => !/^(svg|g|title|desc|rect|path|text)$/.test(tag))).toEqual([]);
    for (const label of labels) expect(texts).toContain(label);
    for (const zoom of [0.01, 0.3, 4]) {
      read(svgOf(shown(scene, { camera: { x: 0, y: 0, zoom } }), name, ''));
    }
  });
});

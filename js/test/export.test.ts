import { describe, expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { fileName } from '../src/facts/text/describe';
import { sceneOf } from '../src/layout/scene';
import { NO_MARKS } from '../src/picture/appearance';
import { headingOf } from '../src/picture/heading';
import { picture, ROOM } from '../src/picture/picture';
import { densityFor, type Shown, seen, whole } from '../src/render/shown-picture';
import { themeOf } from '../src/render/theme';
import type { NanOrigin, NanOrigins } from '../src/schema';
import { type FirstView, firstView } from '../src/state/first-view';
import { everything } from '../src/state/open-items';
import { marksOfReport } from '../src/tools/marks';
import { golden, goldens, stageOf } from './fixtures';
import { parsed, textsOf } from './svg';

const heading = (name: string) => headingOf(golden(name), stageOf(name), null);

/** A program with all of it open, in the colours of the families. */
function shown(name: string, part: Partial<Shown> = {}, first?: FirstView): Shown {
  const stage = stageOf(name);
  const scene = sceneOf(stage, first?.open ?? everything(stage), first?.shape);
  return {
    scene,
    camera: { x: 0, y: 0, zoom: 1 },
    view: { width: 400, height: 200 },
    theme: themeOf(document.body),
    marks: { ...NO_MARKS, colours: colour(stage, scene.boxes, 'family') },
    ...part,
  };
}

/** The same with all the marks that there are. */
function marked(name: string, part: Partial<Shown> = {}): Shown {
  const plain = shown(name, part);
  const marks = {
    ...plain.marks,
    selected: 1,
    hovered: 2,
    matches: new Set([0, 2]),
    match: 0,
    linked: new Set([1, 2]),
    guesses: new Set([2]),
    lit: new Set([0, 1]),
    near: new Set([0, 1, 2]),
  };
  return { ...plain, marks };
}

describe('the picture as SVG', () => {
  test('all of it, as a person sees it', async () => {
    const { svg } = whole(shown('lesson'), heading('lesson'));
    await expect(svg).toMatchFileSnapshot('pictures/all.svg');
  });

  test('what is seen of it, with what is selected, found and linked', async () => {
    const part = marked('scan_with_cond', { camera: { x: -60, y: 40, zoom: 0.5 } });
    const { svg } = seen(part, heading('scan_with_cond'));
    await expect(svg).toMatchFileSnapshot('pictures/seen.svg');
  });

  test.each(['lesson', 'cond_two', 'scan_with_cond'])(
    'of %s is what a notebook saves, but for the size and the themes',
    (name) => {
      const svg = whole(shown(name, {}, firstView(stageOf(name), null, ROOM)), heading(name)).svg;
      const drawn = (of: string) => of.slice(of.indexOf('</style>'));
      expect(drawn(svg)).toBe(drawn(picture(golden(name))));
    },
  );

  test('all of it keeps the paths from the origin of a NaN, as a saved notebook does', () => {
    const all = shown('lesson', {}, firstView(stageOf('lesson'), null, ROOM));
    const origins = [{ at: '1', to: 'out0' } as NanOrigin];
    const report: NanOrigins = { tool: 'find_nan', origins, left_out: [], run_again: false };
    const marks = {
      ...all.marks,
      ...marksOfReport(report).marks?.(stageOf('lesson'), all.scene),
      nanPaths: true,
    };
    const drawn = (of: string) => of.slice(of.indexOf('</style>'));
    const saved = drawn(picture(golden('lesson'), {}, undefined, marksOfReport(report)));
    expect(drawn(whole({ ...all, marks }, heading('lesson')).svg)).toBe(saved);
    expect(saved).not.toBe(drawn(picture(golden('lesson'))));
  });

  test.each(goldens)('%s shows every label as text, and is SVG at every zoom', (name) => {
    const all = shown(name);
    const found = textsOf(whole(all, heading(name)).svg).join('\n');
    for (const { label } of all.scene.boxes) expect(found).toContain(label);
    for (const zoom of [0.01, 0.3, 0.5, 4]) {
      parsed(seen(marked(name, { camera: { x: 0, y: 0, zoom } }), heading(name)).svg);
    }
  });

  test('a text is there once, with its halo', () => {
    const found = textsOf(whole(shown('lesson'), heading('lesson')).svg);
    expect(found.filter((text) => text === 'sin')).toHaveLength(1);
    expect(found.filter((text) => text === 'f32[4]')).toHaveLength(4);
  });
});

describe('what is seen', () => {
  const { scene } = shown('lesson');
  const inner = (part: Partial<Shown>) =>
    parsed(seen(shown('lesson', part), heading('lesson')).svg).querySelector('svg svg');

  test('ends where the picture ends', () => {
    const found = inner({
      camera: { x: -100, y: -50, zoom: 0.5 },
      view: { width: 900, height: 900 },
    });
    expect(found?.getAttribute('viewBox')).toBe(`0 0 ${scene.width} ${scene.height}`);
    expect(Number(found?.getAttribute('width'))).toBeCloseTo(scene.width / 2, 0);
  });

  test('is the view where the picture fills it, and nothing far from it', () => {
    const found = inner({ camera: { x: 10, y: 20, zoom: 4 } });
    expect(found?.getAttribute('viewBox')).toBe('10 20 100 50');
    expect(found?.getAttribute('width')).toBe('400');
    expect(found?.textContent).not.toContain('reduce_sum');
  });
});

test('a bitmap has two pixels for one, and no more than a browser makes', () => {
  expect(densityFor({ width: 800, height: 600 })).toBe(2);
  for (const [width, height] of [
    [40_000, 100],
    [100, 900_000],
    [20_000, 20_000],
  ] as const) {
    const density = densityFor({ width, height });
    expect(Math.max(width, height) * density).toBeLessThanOrEqual(16_384);
    expect(width * height * density ** 2).toBeLessThanOrEqual(64_000_001);
  }
});

test('a file has the name of its program, and no other place', () => {
  expect(fileName('grad(loss)')).toBe('grad(loss)');
  expect(fileName('손실')).toBe('손실');
  expect(fileName('../../etc/passwd\0.exe\u202egnp')).toBe('etc_passwd_.exe_gnp');
  expect(fileName('<lambda>')).toBe('lambda');
  expect(fileName('...')).toBe('program');
  expect(fileName('x'.repeat(500))).toHaveLength(60);
});

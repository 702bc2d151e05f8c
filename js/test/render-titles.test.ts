import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Scene, sceneOf } from '../src/layout/scene';
import { NO_MARKS } from '../src/picture/appearance';
import { paintTitles } from '../src/render/paint-far';
import { boxesIn, columnsOf, hit, Indices } from '../src/render/scene-columns';
import { brushOf, sheetOf } from '../src/render/sheet';
import { themeOf } from '../src/render/theme';
import { everything, openWithin } from '../src/state/open-items';
import { stageOf } from './fixtures';
import { stages } from './programs';

const VIEW = { width: 900, height: 500 };
const theme = themeOf(document.body);

interface Title {
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The titles that are written over a scene at a zoom. */
function titles(scene: Scene, zoom: number, x = 0, y = 0): Title[] {
  const found: Title[] = [];
  const pen = {
    fillRect: (x: number, y: number, w: number, h: number) => found.push({ text: '', x, y, w, h }),
    fillText: (text: string) => Object.assign(found[found.length - 1] as Title, { text }),
  };
  const ctx = pen as unknown as CanvasRenderingContext2D;
  const brush = brushOf(ctx, { x, y, zoom }, VIEW, theme);
  const seen = new Indices();
  boxesIn(columnsOf(scene), brush, seen);
  paintTitles(brush, sheetOf(scene, theme, NO_MARKS), seen);
  return found;
}

describe('titles in an overview', () => {
  test('name what is open, from the outside in', () => {
    const stage = stageOf('scan_with_cond');
    const scene = sceneOf(stage, everything(stage));
    expect(titles(scene, 0.5).map(({ text }) => text)).toEqual([
      'scan',
      'cond',
      'if true',
      'if false',
    ]);
    expect(titles(scene, 0.02)).toEqual([]);
  });

  test('say where one is, where what encloses the view begins out of it', () => {
    const stage = stageOf('scan_with_cond');
    const scene = sceneOf(stage, everything(stage));
    const inner = scene.boxes.find(({ label }) => label === 'if true');
    const at = titles(scene, 0.6, inner!.x + 5, inner!.y + 40);
    expect(at.slice(0, 3).map(({ text }) => text)).toEqual(['scan', 'cond', 'if true']);
    for (const { y } of at.slice(0, 3)) expect(y).toBe(inner!.y + 40);
  });

  test('stand for their box where they are pointed at', () => {
    const stage = stageOf('scan_with_cond');
    const scene = sceneOf(stage, everything(stage));
    const box = scene.boxes.findIndex(({ label }) => label === 'cond');
    const title = { x: 10, y: 10, w: 60, h: 20, box };
    expect(hit(scene, 30, 20, 0, [title])).toEqual({ box, fold: false });
    expect(hit(scene, 90, 20, 0, [title])?.box).not.toBe(box);
  });

  test('are never over one another, nor out of the view', () => {
    fc.assert(
      fc.property(
        stages,
        fc.double({ min: 0.05, max: 0.6, noNaN: true }),
        fc.nat(600),
        fc.nat(600),
        (stage, zoom, x, y) => {
          const found = titles(sceneOf(stage, openWithin(stage, 80)), zoom, x, y);
          found.forEach((one, index) => {
            expect(one.x).toBeGreaterThanOrEqual(x);
            expect(one.y).toBeGreaterThanOrEqual(y);
            expect(one.x + one.w).toBeLessThanOrEqual(x + VIEW.width / zoom + 1e-6);
            for (const other of found.slice(index + 1)) {
              const apart =
                one.x + one.w <= other.x + 1e-6 ||
                other.x + other.w <= one.x + 1e-6 ||
                one.y + one.h <= other.y + 1e-6 ||
                other.y + other.h <= one.y + 1e-6;
              expect(apart, `${one.text} and ${other.text}`).toBe(true);
            }
          });
        },
      ),
      { numRuns: 60 },
    );
  });
});

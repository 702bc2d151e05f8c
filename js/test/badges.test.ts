import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { colour, signsOf } from '../src/facts/colours/colouring';
import { DIFFERENCE_KINDS, differencesOf } from '../src/facts/differences';
import { type Rect, SMALL, textWidth, type View } from '../src/layout/measure';
import { type Scene, sceneOf } from '../src/layout/scene';
import { BADGE, badgeAt, badgeWidth } from '../src/picture/appearance';
import type { Mark, Program, Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { golden, goldensIn } from './fixtures';
import { stages } from './programs';

/** A box at (100, 100), 60 px wide, and texts above it, each from `x` on and 40 px wide. */
const scene = (...texts: number[]): Scene =>
  ({
    boxes: [{ x: 100, y: 100, w: 60, h: 26, type: '', typeX: 0, typeY: 0 }],
    edges: [],
    mentions: texts.map((x) => ({ x, y: 90, w: 40, h: 10 })),
  }) as never;

test('a badge is over the upper left corner of its box', () => {
  expect(badgeAt(scene(), 0, ['+'])).toEqual({ x: 97, y: 90 });
  expect(badgeAt(scene(130), 0, ['+'])).toEqual({ x: 97, y: 90 });
});

test('a badge lies on no text: it is right of it, at the other corner, or beside the box', () => {
  expect(badgeAt(scene(90), 0, ['+']).x).toBe(132);
  expect(badgeAt(scene(60), 0, ['+']).x).toBe(102);
  expect(badgeAt(scene(90, 133), 0, ['+'])).toEqual({ x: 90, y: 106.5 });
});

test('a text of another row moves no badge', () => {
  const far = scene(90);
  far.mentions.forEach((one) => {
    one.y = 60;
  });
  expect(badgeAt(far, 0, ['+']).x).toBe(97);
});

/** The room of a graph in cells of 600, 900 and 1,400 px. */
const ROOMS: readonly View[] = [
  { width: 598, height: 572 },
  { width: 898, height: 572 },
  { width: 922, height: 808 },
];

describe('in the first view of a comparison no badge lies on a text', () => {
  test.each(goldensIn('compared'))('of %s', (name) => {
    for (const room of ROOMS) expect(covered(golden(`compared/${name}`), room)).toEqual([]);
  });

  test('of any program', () => {
    const kinds = fc.infiniteStream(fc.constantFrom(...DIFFERENCE_KINDS.map(({ kind }) => kind)));
    fc.assert(
      fc.property(stages, kinds, fc.constantFrom(...ROOMS), (stage, kind, room) => {
        const eqns = stage.graphs.reduce((sum, graph) => sum + graph.eqns.length, 0);
        const marks = Array.from({ length: eqns }, (_, eqn): Mark => {
          return { eqn, kind: kind.next().value as string, before: '', after: '' };
        });
        const compared = { before: '', after: '', inputs: [], marks, unknown: [] };
        expect(covered({ ...golden('lesson'), stages: [stage], compared }, room)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });
});

/** The texts beside boxes and edges that a badge covers. */
function covered(program: Program, room: View): string[] {
  const stage = program.stages[0] as Stage;
  const differences = differencesOf(program);
  const { open, shape } = firstView(stage, differences, room);
  const scene = sceneOf(stage, open, shape);
  const colours = colour(stage, scene.boxes, 'change', differences);
  const texts = textsIn(scene);
  return scene.boxes.flatMap((_, box) => {
    const signs = signsOf(colours, box).map(({ text }) => text);
    if (signs.length === 0) return [];
    const w = signs.reduce((sum, text) => sum + badgeWidth(text) + 1, -1);
    const badge = { ...badgeAt(scene, box, signs), w, h: BADGE.height };
    return texts.filter((one) => meet(one, badge)).map(({ text }) => text);
  });
}

const textsIn = ({ boxes, edges, mentions }: Scene): (Rect & { text: string })[] => [
  ...boxes
    .filter(({ type }) => type !== '')
    .map(({ type: text, typeX: x, typeY: y }) => ({ text, x, y, ...sizeOf(text) })),
  ...edges
    .filter(({ cut, label }) => !cut && label !== '')
    .map(({ label: text, labelX, labelY }) => {
      const { w, h } = sizeOf(text);
      return { text, x: labelX - w / 2, y: labelY - 9 - h / 2, w, h };
    }),
  ...mentions,
];

const sizeOf = (text: string) => ({ w: textWidth(text, SMALL), h: SMALL });

const meet = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

import { expect, test } from 'vitest';
import type { Scene } from '../src/layout/scene';
import { badgeStart } from '../src/picture/appearance';

/** A box at (100, 100), 60 px wide, and texts above it, each from `x` on and 40 px wide. */
const scene = (...texts: number[]): Scene =>
  ({
    boxes: [{ x: 100, y: 100, w: 60, h: 26, type: '', typeX: 0, typeY: 0 }],
    mentions: texts.map((x) => ({ x, y: 90, w: 40, h: 10 })),
  }) as never;

test('a badge is over the upper left corner of its box', () => {
  expect(badgeStart(scene(), 0, ['+'])).toBe(-3);
  expect(badgeStart(scene(130), 0, ['+'])).toBe(-3);
});

test('a badge lies on no text: it is right of it, or at the other corner', () => {
  expect(badgeStart(scene(90), 0, ['+'])).toBe(32);
  expect(badgeStart(scene(60), 0, ['+'])).toBe(2);
  expect(badgeStart(scene(90, 133), 0, ['+'])).toBe(-3);
});

test('a text of another row moves no badge', () => {
  const far = scene(90);
  far.mentions.forEach((one) => {
    one.y = 60;
  });
  expect(badgeStart(far, 0, ['+'])).toBe(-3);
});

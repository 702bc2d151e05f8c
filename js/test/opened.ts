/** Programs with some open parts, for the properties of every picture. */
import fc from 'fast-check';
import type { Id } from '../src/facts/ids';
import { type Shape, shapeOf } from '../src/layout/measure';
import type { Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { openWithin } from '../src/state/open-items';
import { anyStage } from './arbitrary';

/** Boxes of a picture in these tests, so that each takes milliseconds. */
const MANY = 300;

export interface Opened {
  stage: Stage;
  open: ReadonlySet<Id>;
  shape: Shape;
}

const ROOMS = [
  { width: 1200, height: 400 },
  { width: 600, height: 600 },
  { width: 300, height: 900 },
  { width: 120, height: 300 },
];

/** A program, the view's shape, and what is open: all, what is open at first, or any part. */
export const opened: fc.Arbitrary<Opened> = fc
  .tuple(anyStage, fc.array(fc.nat(3), { maxLength: 8 }), fc.constantFrom(...ROOMS))
  .map(([stage, choice, room]) => {
    if (choice.length === 1) return { stage, ...firstView(stage, null, room) };
    const shape = shapeOf(room.width, room.height);
    const all = [...openWithin(stage, MANY)];
    if (choice.length === 0) return { stage, shape, open: new Set(all) };
    return { stage, shape, open: new Set(all.filter((_, at) => choice[at % choice.length] !== 0)) };
  });

/** The first view of a program: all of it is visible, and the most important items are open. */
import { describe, expect, test } from 'vitest';
import { couldOpen } from '../../gallery/could-open';
import { differencesOf } from '../src/facts/differences';
import type { Id } from '../src/facts/ids';
import { FLOOR, type View } from '../src/layout/measure';
import { type Scene, sceneOf } from '../src/layout/scene';
import { first } from '../src/render/camera';
import type { Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { everything, opened, openWithin } from '../src/state/open-items';
import { golden, goldens, goldensIn, stageOf } from './fixtures';

/** The room of a graph in cells of 600, 900 and 1,400 px. */
const ROOMS: readonly View[] = [
  { width: 598, height: 597 },
  { width: 592, height: 808 },
  { width: 922, height: 808 },
];
const STEPS = ['steps/gpt', 'steps/mlp_adam', 'steps/remat'];

const seen = (stage: Stage, room: View): Scene => {
  const { open, shape } = firstView(stage, null, room);
  return sceneOf(stage, open, shape);
};

const labels = (scene: Scene, isOpen: boolean): string[] =>
  scene.boxes.filter(({ open }) => open === isOpen).map(({ label }) => label);

/** True for the forward pass, then for the backward pass of a step, if it is open. */
const passesIn = (stage: Stage, open: ReadonlySet<Id>): boolean[] =>
  ['forward', 'backward'].map((role) => {
    const index = stage.graphs[0]!.groups.findIndex((group) => group.role === role);
    return open.has(`g${index}` as Id);
  });

describe('a first view', () => {
  test.each([...goldens, ...STEPS])('of %s holds all of it, legibly, at three widths', (name) => {
    for (const room of ROOMS) {
      const scene = seen(stageOf(name), room);
      const camera = first(scene, room, 0);
      expect(camera.zoom).toBeGreaterThanOrEqual(FLOOR);
      for (const { x, y, w, h, item } of scene.boxes) {
        const [left, top] = [(x - camera.x) * camera.zoom, (y - camera.y) * camera.zoom];
        const inView =
          left >= 0 &&
          top >= 0 &&
          left + w * camera.zoom <= room.width &&
          top + h * camera.zoom <= room.height;
        expect(`${item.id} ${inView}`).toBe(`${item.id} true`);
      }
    }
  });

  test.each([...goldens, ...STEPS])('of %s leaves nothing closed that has room', (name) => {
    const stage = stageOf(name);
    const found = ROOMS.flatMap((room) =>
      couldOpen(stage, firstView(stage, null, room).open, room),
    );
    expect(found).toEqual([]);
  });

  test.each(goldensIn('compared'))(
    'of the comparison %s leaves nothing closed that has room',
    (name) => {
      const program = golden(`compared/${name}`);
      const stage = program.stages[0]!;
      const found = ROOMS.flatMap((room) =>
        couldOpen(stage, firstView(stage, differencesOf(program), room).open, room),
      );
      expect(found).toEqual([]);
    },
  );

  test.each(STEPS)('of %s shows the passes of the step open', (name) => {
    for (const room of ROOMS) {
      const scene = seen(stageOf(name), room);
      expect(labels(scene, true)).toEqual(expect.arrayContaining(['forward', 'backward']));
    }
  });

  test.each(['grad_loss', 'relu_slope', 'train_step'])(
    'of the small %s stands closer in a narrow cell, and shows both passes',
    (name) => {
      const [narrow, , wide] = ROOMS.map((room) => firstView(stageOf(name), null, room).shape);
      expect([narrow?.tight, wide?.tight]).toEqual([true, false]);
      const scene = seen(stageOf(name), ROOMS[0]!);
      expect(labels(scene, true)).toEqual(expect.arrayContaining(['forward', 'backward']));
    },
  );

  test('of what does not fit folds, and does not shrink', () => {
    const stage = stageOf('while_newton');
    const [small, large] = [200, 1600].map((side) => seen(stage, { width: side, height: side }));
    expect(small!.boxes.length).toBeLessThan(large!.boxes.length);
    expect(labels(small!, true)).toEqual([]);
  });

  test('opens a forward pass alone where its backward pass has no room, and else both', () => {
    const stage = stageOf('steps/mlp_adam');
    const openIn = (most: number, opensAlone: boolean) => {
      const open = opened(stage, {
        order: () => [0],
        worth: ({ level }) => level === 0,
        admits: (all) => all.size <= most,
        opensAlone,
      });
      return passesIn(stage, open);
    };
    expect(openIn(1, true)).toEqual([true, false]);
    expect(openIn(1, false)).toEqual([false, false]);
    expect(openIn(2, true)).toEqual([true, true]);
  });

  test('opens a backward pass only with its forward pass, in every room', () => {
    const stage = stageOf('steps/mlp_adam');
    for (let height = 200; height <= 800; height += 50) {
      const { open } = firstView(stage, null, { width: 592, height });
      const [forward, backward] = passesIn(stage, open);
      expect(forward || !backward).toBe(true);
    }
  });

  test('of Expand all opens both passes or none, whatever its limit', () => {
    const stage = stageOf('steps/mlp_adam');
    const seenIn = new Set<string>();
    for (let most = 1; most <= 200; most += 1) {
      seenIn.add(passesIn(stage, openWithin(stage, most)).join());
    }
    expect([...seenIn]).toEqual(['false,false', 'true,true']);
  });

  test('opens what was asked for, whatever the room', () => {
    const stage = stageOf('scan_with_cond');
    const { open } = firstView(stage, null, { width: 200, height: 200 }, { depth: 10 });
    expect(open).toEqual(everything(stage));
  });
});

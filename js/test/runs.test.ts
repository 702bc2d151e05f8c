/** Runs of equal layers, and the layer that differs from them, in the outline and in both pictures. */
import { expect, test } from 'vitest';
import { children } from '../src/facts/outline';
import { captionOf, LANE_COLUMNS } from '../src/layout/caption';
import { sceneOf } from '../src/layout/scene';
import { isOdd, NO_MARKS, sheetsBehind } from '../src/picture/appearance';
import { LIGHT } from '../src/picture/colours';
import { drawn, wholeOf } from '../src/picture/drawing';
import { pageSentence } from '../src/words/kernel-text';
import { chain, plainGroup, stage } from './fixtures';

/** `layers[0…2] ×3`, then `layers[3] ≠ f32 weights`. */
function layered() {
  const run = { ...plainGroup(0, 6), kind: 'repeat', name: 'layers[0…2]' };
  const layers = [0, 1, 2].map((at) => ({
    ...plainGroup(2 * at, 2 * at + 2, `layers[${at}]`),
    parent: 0,
  }));
  const odd = { ...plainGroup(6, 9, 'layers[3]'), unlike: pageSentence('f32 weights') };
  const eqns = ['sin', 'cos', 'sin', 'cos', 'sin', 'cos', 'sin', 'exp', 'cos'];
  return stage([{ ...chain(eqns), groups: [run, ...layers, odd] }]);
}

const groupsOf = (of: ReturnType<typeof layered>) =>
  children(of, '').filter(({ kind }) => kind === 'group');

test('the label of a run has its number of layers, that of the odd one a word', () => {
  const texts = groupsOf(layered()).map(({ label, detail }) => `${label} ${detail}`);
  expect(texts).toEqual(['layers[0…2] ×3', 'layers[3] ≠ f32 weights']);
});

test('the box of a run has the number of eqns in each layer', () => {
  const of = layered();
  const counts = groupsOf(of).map((item) => captionOf(of, of.graphs[0]!, item).count);
  expect(counts).toEqual(['· 2 each', '3']);
});

test('the word is not cut in a lane', () => {
  const of = layered();
  const [, odd] = groupsOf(of);
  expect(captionOf(of, of.graphs[0]!, odd!, LANE_COLUMNS).note).toBe('≠ f32 weights');
});

test('a closed run is drawn as a stack, and the odd layer has a border of its own', () => {
  const scene = sceneOf(layered(), new Set());
  const boxes = scene.boxes.filter(({ item }) => item.kind === 'group');
  expect(boxes.map((box) => [sheetsBehind(box).length, isOdd(box)])).toEqual([
    [2, false],
    [0, true],
  ]);
  const heading = { name: 'f', about: '', count: '', differs: null };
  const { svg } = drawn({
    ...{ scene, heading, marks: NO_MARKS, part: wholeOf(scene) },
    ...{ colours: LIGHT, dark: null, widest: 900 },
  });
  expect(svg.match(/<rect class="group q"/g)).toHaveLength(1);
  expect(svg).toContain(`.q:not(.h){stroke:${LIGHT.odd}}`);
});

test('an open run shows its layers, and no stack', () => {
  const of = layered();
  const run = groupsOf(of)[0]!;
  const scene = sceneOf(of, new Set([run.id]));
  expect(scene.boxes.flatMap(sheetsBehind)).toEqual([]);
  expect(scene.boxes.map(({ label }) => label)).toContain('layers[1]');
});

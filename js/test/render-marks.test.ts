import { describe, expect, test } from 'vitest';
import { colour } from '../src/facts/colours/colouring';
import { sceneOf } from '../src/layout/scene';
import { isPale, type Marks, NO_MARKS } from '../src/picture/appearance';
import { headingOf } from '../src/picture/heading';
import { seen } from '../src/render/shown-picture';
import { themeOf } from '../src/render/theme';
import { golden, stageOf } from './fixtures';
import { parsed } from './svg';

const stage = stageOf('lesson');
const scene = sceneOf(stage, new Set());
const theme = themeOf(document.body);
const of = (label: string) => scene.boxes.findIndex((box) => box.label === label);
const faint = (marks: Partial<Marks>) =>
  scene.boxes.flatMap(({ label }, index) =>
    isPale({ ...NO_MARKS, ...marks }, index) ? [label] : [],
  );

describe('what is beside the matter is faint', () => {
  test('all that neither leads to the selection nor comes from it', () => {
    expect(faint({})).toEqual([]);
    const near = new Set([of('sin'), of('add')]);
    expect(faint({ near })).not.toContain('sin');
    expect(faint({ near })).toHaveLength(scene.boxes.length - 2);
  });

  test('all but one class of the legend', () => {
    const colours = colour(stage, scene.boxes, 'family');
    const only = colours.classes.findIndex(({ label }) => label === 'reduction');
    expect(faint({ colours, only })).not.toContain('reduce_sum');
    expect(faint({ colours, only })).toContain('sin');
  });

  test('but nothing that differs between two programs: what was removed leads nowhere', () => {
    const removed = of('sin');
    const family = colour(stage, scene.boxes, 'family');
    const colours = {
      ...family,
      classes: [...family.classes, { paint: 'removed', label: 'removed', about: '', loud: true }],
      of: family.of.map((one, box) => (box === removed ? family.classes.length : one)),
    };
    const near = new Set([of('add')]);
    expect(faint({ near, colours })).not.toContain('sin');
    expect(faint({ near, colours })).toHaveLength(scene.boxes.length - 2);
  });

  test('and is drawn so, in text and line', () => {
    const camera = { x: 0, y: 0, zoom: 1 };
    const marks = { ...NO_MARKS, near: new Set([of('sin')]) };
    const heading = headingOf(golden('lesson'), stage, null);
    const page = parsed(seen({ scene, camera, view: scene, theme, marks }, heading).svg);
    const looks = (label: string) => {
      const text = [...page.querySelectorAll('text')].find((one) => one.textContent === label);
      return [text, text?.previousElementSibling].map((one) => one?.classList.contains('p'));
    };
    expect(looks('sin')).toEqual([false, false]);
    expect(looks('add')).toEqual([true, true]);
  });
});

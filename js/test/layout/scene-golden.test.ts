// @vitest-environment node

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Shape, shapeOf } from '../../src/layout/measure';
import { type Box, type Edge, type Mention, type Scene, sceneOf } from '../../src/layout/scene';
import type { Program, Stage } from '../../src/schema';
import { firstView } from '../../src/state/first-view';
import { everything } from '../../src/state/open-items';

const TESTS = new URL('../../../tests/', import.meta.url);
const SCENES = join(import.meta.dirname, 'scenes');
const OPEN: Record<string, (stage: Stage) => ReadonlySet<string>> = {
  'first view': (stage) => firstView(stage).open,
  everything,
};
const SHAPES: Record<string, Shape> = {
  wide: shapeOf(900, 500),
  even: shapeOf(900, 900),
  narrow: shapeOf(300, 900),
};

/** The scene of the first line of a golden file: `lesson, everything, wide`, or
 * `stages/mlp hlo, first view, even`. */
function drawn(head: string): Scene {
  const [program = '', open = '', shape = ''] = head.split(', ');
  const [name, kind = 'jaxpr'] = program.split(' ');
  const text = readFileSync(new URL(`golden/${name}.json`, TESTS), 'utf8');
  const { stages } = JSON.parse(text) as Program;
  const stage = stages.find((one) => one.kind === kind) as Stage;
  return sceneOf(stage, OPEN[open]!(stage), SHAPES[shape]);
}

/** A scene as a person reads it, all lengths to the 64th of a px. */
function written(head: string, { width, height, boxes, edges, mentions }: Scene): string {
  const name = (box: number) => boxes[box]?.item.id ?? 'border';
  const lines = [
    head,
    `${px(width)} × ${px(height)}`,
    '',
    ...boxes.map(boxLine),
    '',
    ...edges.map((edge) => edgeLine(edge, name)),
    ...mentions.map((mention) => mentionLine(mention, name)),
  ];
  return `${lines.join('\n')}\n`;
}

function boxLine({ item, label, note, count, type, typeX, typeY, x, y, w, h, ...box }: Box) {
  const mark = box.open ? '▾ ' : item.foldable ? '▸ ' : '';
  const texts = [label, note, count && `(${count})`].filter(Boolean).join(' ');
  const place = `${px(x)},${px(y)} ${px(w)}×${px(h)}`;
  const flows = type === '' ? '' : `, ${type} at ${px(typeX)},${px(typeY)}`;
  return `${'  '.repeat(box.depth)}${item.id}: ${mark}${texts} at ${place}${flows}`;
}

function edgeLine(edge: Edge, name: (box: number) => string): string {
  const kind = edge.cut ? 'cut' : edge.dashed ? 'returns' : edge.direction;
  const ends = `${name(edge.source)} ${edge.arrow ? '→' : '—'} ${name(edge.target)}`;
  const points = edge.points
    .map(px)
    .join(' ')
    .replace(/(\S+) (\S+)/g, '$1,$2');
  const label = [edge.label, edge.note].filter(Boolean).join(', ');
  const beside = label === '' ? '' : ` "${label}" at ${px(edge.labelX)},${px(edge.labelY)}`;
  return `${ends} ${kind} [${edge.vars}] ${points}${beside}`;
}

function mentionLine({ text, source, target, x, y, w, h }: Mention, name: (box: number) => string) {
  const place = `${px(x)},${px(y)} ${px(w)}×${px(h)}`;
  return `"${text}" of ${name(source)} before ${name(target)} at ${place}`;
}

function px(length: number): string {
  const whole = Math.trunc(length * 64 + (length >= 0 ? 0.5 : -0.5));
  return String(whole === 0 ? 0 : whole / 64);
}

describe('sceneOf puts everything where it was when a person looked', () => {
  for (const file of readdirSync(SCENES)) {
    const path = join(SCENES, file);
    const [head = ''] = readFileSync(path, 'utf8').split('\n');
    it(head, async () => {
      await expect(written(head, drawn(head))).toMatchFileSnapshot(path);
    });
  }
});

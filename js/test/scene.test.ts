import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphAt } from '../src/facts/graph';
import { enclosingEqns, parse } from '../src/facts/ids';
import { SMALL, shapeOf, textWidth } from '../src/layout/measure';
import { type Box, type Scene, sceneOf } from '../src/layout/scene';
import { along, beside, boxShowing, edgesOf, walk } from '../src/layout/scene-walk';
import { Strokes } from '../src/layout/texts/strokes';
import type { Stage } from '../src/schema';
import { firstView } from '../src/state/first-view';
import { everything, openWithin } from '../src/state/open-items';
import { chain, golden, goldens, goldensIn, stage, stageOf } from './fixtures';
import { stages } from './programs';

/** A scene as a person reads it: boxes with their place, and what flows from where to where. */
function written({ width, height, boxes, edges, mentions }: Scene): string {
  const whole = (value: number) => Math.round(value);
  const name = (box: number) => boxes[box]?.item.id ?? 'border';
  const lines = [`${whole(width)} × ${whole(height)}`, ''];
  for (const box of boxes) {
    const text = [box.label, box.note, box.count && `(${box.count})`, box.type && `→ ${box.type}`];
    const place = `${whole(box.x)},${whole(box.y)} ${whole(box.w)}×${whole(box.h)}`;
    const indent = '  '.repeat(box.depth);
    const mark = box.open ? '▾ ' : box.item.foldable ? '▸ ' : '';
    lines.push(`${indent}${box.item.id}: ${mark}${text.filter(Boolean).join(' ')} at ${place}`);
  }
  lines.push('');
  for (const edge of edges) {
    const points = edge.points.map(whole).join(' ');
    const kind = edge.cut ? 'cut' : edge.arrow ? '-->' : '---';
    const label = edge.label && ` "${edge.label}"`;
    lines.push(
      `${name(edge.source)} ${kind} ${name(edge.target)} [${edge.vars}] ${points}${label}`,
    );
  }
  for (const { text, target, x, y } of mentions) {
    lines.push(`"${text}" before ${name(target)} at ${whole(x)},${whole(y)}`);
  }
  return `${lines.join('\n')}\n`;
}

describe('the scene of a program', () => {
  test.each([
    'lesson',
    'scan_with_cond',
    'switch_three',
    'scan_sum',
    'grad_loss',
    'gathered',
    'identity',
    'while_newton',
  ])('%s, with all of it open', async (name) => {
    const stage = stageOf(name);
    await expect(written(sceneOf(stage, everything(stage)))).toMatchFileSnapshot(
      `scenes/${name}.txt`,
    );
  });

  test.each([
    ['cond_two', '0', '1'],
    ['scan_with_cond', '1.0/2', '1.0/3'],
  ])(
    'of %s leads the condition to the side of the choice, without its cast',
    (name, cast, choice) => {
      const stage = stageOf(name);
      for (const open of [everything(stage), new Set(enclosingEqns(choice))]) {
        const scene = sceneOf(stage, open);
        const box = scene.boxes[scene.index.get(choice) as number] as Box;
        const [pick, ...others] = scene.edges.filter(({ label }) => label === 'picks the branch');
        expect(others).toEqual([]);
        expect(pick).toMatchObject({ target: scene.boxes.indexOf(box), direction: 'right' });
        expect(pick!.points.slice(-2)[0]).toBeCloseTo(box.x);
        expect(scene.index.has(cast)).toBe(false);
        expect(boxShowing(stage, scene, cast)).toBe(pick!.target);
      }
    },
  );

  test('of a stage that could not be made is empty', () => {
    const scene = sceneOf({ ...stageOf('lesson'), graphs: [] }, new Set());
    expect(scene).toMatchObject({ width: 0, height: 0, boxes: [], edges: [] });
  });

  test('of a chain in columns numbers them, in the order in which they are read', () => {
    const ops = Array.from({ length: 40 }, () => 'sin');
    const { boxes, mentions } = sceneOf(stage([chain(ops)]), new Set(), shapeOf(900, 500));
    const lefts = [...new Set(boxes.map(({ x, w }) => x + w / 2))];
    expect(lefts.length).toBeGreaterThan(2);
    expect(mentions.map(({ text }) => text)).toEqual(lefts.map((_, at) => `${at + 1}`));
    for (const { target, x, y, w, h } of mentions) {
      const head = boxes[target] as Box;
      expect(boxes.filter((box) => box.x === head.x && box.y < head.y)).toEqual([]);
      const over = boxes.filter(
        (box) => x < box.x + box.w && box.x < x + w && y < box.y + box.h && box.y < y + h,
      );
      expect(over).toEqual([]);
    }
    const last = boxes.at(-1) as Box;
    expect(last.item.kind).toBe('output');
    expect(last.x + last.w / 2).toBe(Math.max(...lefts));
  });

  test('keeps what did not change', () => {
    const stage = stageOf('scan_with_cond');
    const open = everything(stage);
    const [inner] = [...open].sort((a, b) => b.length - a.length);
    const before = sceneOf(stage, open);
    sceneOf(stage, new Set([...open].filter((id) => id !== inner)));
    expect(sceneOf(stage, open)).toEqual(before);
  });
});

const closed = (boxes: Box[]): Box[] => boxes.filter((box) => !box.open);
const overlap = (
  a: { x: number; y: number; w: number; h: number },
  b: { x: number; y: number; w: number; h: number },
): boolean =>
  a.x < b.x + b.w - 0.01 &&
  b.x < a.x + a.w - 0.01 &&
  a.y < b.y + b.h - 0.01 &&
  b.y < a.y + a.h - 0.01;

/** Boxes that cover another with the same parent, as a list of pairs that a failure prints. */
function overlaps({ boxes }: Scene): string[] {
  return boxes.flatMap((a, i) =>
    boxes
      .slice(i + 1)
      .filter((b) => a.parent === b.parent && overlap(a, b))
      .map((b) => `${a.item.id} and ${b.item.id}`),
  );
}

function outside({ boxes, width, height }: Scene): string[] {
  return boxes
    .filter(({ x, y, w, h, parent }) => {
      const frame = boxes[parent] ?? { x: 0, y: 0, w: width, h: height };
      return x < frame.x || y < frame.y || x + w > frame.x + frame.w || y + h > frame.y + frame.h;
    })
    .map((box) => box.item.id);
}

function coveredLabels({ boxes }: Scene): string[] {
  return boxes
    .filter((box) => {
      const label = { x: box.typeX, y: box.y + box.h + 4, w: textWidth(box.type, SMALL), h: SMALL };
      return box.type !== '' && boxes.some((b) => b.parent === box.parent && overlap(label, b));
    })
    .map((box) => box.item.id);
}

/** Operands of closed boxes that no edge, port or mention shows. */
function undrawn(stage: Stage, scene: Scene): string[] {
  return closed(scene.boxes).flatMap(({ item }) => {
    if (item.kind !== 'eqn') return [];
    const { path } = parse(item.id);
    const graph = graphAt(stage, path);
    const box = scene.index.get(item.id);
    const operands = graph?.eqns[item.start]?.invars ?? [];
    return operands
      .filter((operand) => !graph?.vars[operand]?.literal)
      .filter((operand) => {
        const here = (one: { path: string; vars: readonly number[]; target: number }) =>
          one.path === path && one.target === box && one.vars.includes(operand);
        const shown = scene.edges.some((edge) => here(edge) && !edge.cut);
        return !shown && !scene.mentions.some(here);
      })
      .map((operand) => `${item.id} ${operand}`);
  });
}

const MANY = 300;

describe('any program', () => {
  test('is drawn whole, within its frames, without overlap, the same twice', () => {
    fc.assert(
      fc.property(stages, (stage) => {
        const open = openWithin(stage, MANY);
        const scene = sceneOf(stage, open);
        expect(overlaps(scene)).toEqual([]);
        expect(outside(scene)).toEqual([]);
        expect(coveredLabels(scene)).toEqual([]);
        expect(undrawn(stage, scene)).toEqual([]);
        expect(sceneOf(structuredClone(stage), open)).toEqual(scene);
      }),
      { numRuns: 100 },
    );
  });

  test('is drawn with any part of it open', () => {
    fc.assert(
      fc.property(stages, fc.array(fc.boolean(), { minLength: 8 }), (stage, choice) => {
        const all = [...openWithin(stage, MANY)];
        const open = new Set(all.filter((_, at) => choice[at % choice.length]));
        const scene = sceneOf(stage, open);
        expect(overlaps(scene)).toEqual([]);
        expect(outside(scene)).toEqual([]);
        expect(undrawn(stage, scene)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test.each(['stages/attention_step', 'stages/mlp', 'steps/gpt', 'steps/mlp_adam', 'steps/remat'])(
    'of %s has no edge through what is written between its lanes',
    (name) => {
      const written = golden(name).stages.flatMap((stage) =>
        [
          { width: 640, height: 780 },
          { width: 1200, height: 900 },
        ].flatMap((room) => {
          const { open, shape } = firstView(stage, null, room);
          const scene = sceneOf(stage, open, shape);
          const strokes = new Strokes(scene);
          return scene.edges
            .filter(({ cut }) => !cut)
            .flatMap(({ label, note, labelX, labelY }) => [
              { text: label, x: labelX, y: labelY - SMALL - 3 },
              { text: note, x: labelX, y: labelY + 3 },
            ])
            .filter(({ text }) => text !== '')
            .map(({ text, x, y }) => {
              const w = textWidth(text, SMALL);
              return { text, isCrossed: strokes.cross({ x: x - w / 2, y, w, h: SMALL }) };
            });
        }),
      );
      expect(written.length).toBeGreaterThan(0);
      expect(written.filter(({ isCrossed }) => isCrossed)).toEqual([]);
    },
  );

  const steps = goldensIn('steps').map((name) => `steps/${name}`);
  test.each([...goldens, ...steps])('no edge of %s runs through a type', (name) => {
    const stage = stageOf(name);
    const rooms = [
      { width: 598, height: 572 },
      { width: 898, height: 572 },
      { width: 922, height: 808 },
    ];
    const crossed = rooms.flatMap((room) => {
      const { open, shape } = firstView(stage, null, room);
      const scene = sceneOf(stage, open, shape);
      const strokes = new Strokes(scene);
      const isCrossed = ({ type, typeX: x, typeY: y }: Box) =>
        type !== '' && strokes.cross({ x, y, w: textWidth(type, SMALL), h: SMALL });
      return scene.boxes.filter(isCrossed).map(({ label, type }) => `${label}: ${type}`);
    });
    expect(crossed).toEqual([]);
  });

  test('a thousand levels deep needs no stack', () => {
    const stage = stageOf('nested_jit');
    const [graph] = stage.graphs;
    const held = stage.graphs.find((one) => one.eqns.some((eqn) => eqn.bodies.length === 1));
    const eqn = held?.eqns.find((one) => one.bodies.length === 1);
    if (!graph || !held || !eqn) throw new Error('nested_jit holds no body');
    const levels = 1000;
    const graphs = Array.from({ length: levels }, (_, level) => {
      const next = level + 1 === levels ? [] : [{ ...eqn.bodies[0]!, graph: level + 1 }];
      return { ...held, eqns: [{ ...eqn, bodies: next }], groups: [] };
    });
    const deep = { ...stage, graphs };
    expect(sceneOf(deep, everything(deep)).boxes.at(-1)?.depth).toBeGreaterThan(990);
  });
});

describe('from box to box', () => {
  const stage = stageOf('lesson');
  const nested = stageOf('scan_with_cond');
  const scene = sceneOf(stage, new Set());
  const at = (id: string) => scene.index.get(id) as number;
  const id = (box: number) => scene.boxes[box]?.item.id;

  test('down to the first user, up to the first producer, sideways on the rank', () => {
    expect(id(along(scene, at('in0'), 1))).toBe('0');
    expect(id(along(scene, at('2'), 1))).toBe('3');
    expect(id(along(scene, at('2'), -1))).toBe('0');
    expect(along(scene, at('out0'), 1)).toBe(-1);
    expect(id(beside(scene, at('0'), 1))).toBe('1');
    expect(beside(scene, at('0'), -1)).toBe(-1);
  });

  test('down into what is open and out of it at its end, up to what holds it', () => {
    const whole = sceneOf(nested, everything(nested));
    const down: string[] = [];
    for (let box = 0; box >= 0; box = walk(whole, box, 1)) {
      down.push(whole.boxes[box]?.item.id ?? '');
    }
    expect(down.join(' ')).toBe(
      'in0 1 1.0/in0 1.0/3 1.0/3.1 1.0/3.1/in0 1.0/3.1/0 1.0/3.1/out0 1.0/4 1.0/out1 out0',
    );
    expect(walk(whole, whole.index.get('1.0/in0') as number, -1)).toBe(whole.index.get('1'));
  });

  test('what leads to and from a box', () => {
    const lit = [...edgesOf(stage, scene, at('2'))].map((edge) => {
      const { source, target } = scene.edges[edge] as Scene['edges'][number];
      return `${id(source)} ${id(target)}`;
    });
    expect(lit.sort()).toEqual(['0 2', '1 2', '2 3']);
  });

  test('what hides an id shows it', () => {
    const shut = sceneOf(nested, new Set());
    const deepest = [...everything(nested)].sort((a, b) => b.length - a.length)[0] as string;
    const shown = shut.boxes[boxShowing(nested, shut, deepest)];
    expect(shown?.item.label).toContain('scan');
    expect(boxShowing(nested, shut, null)).toBe(-1);
  });
});

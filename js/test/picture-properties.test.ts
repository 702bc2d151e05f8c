import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { graphAt } from '../src/facts/graph';
import { type Id, parse } from '../src/facts/ids';
import { literalsOf } from '../src/facts/text/literals';
import { FONT, FRAME, SMALL, shapeOf, textWidth } from '../src/layout/measure';
import { type Box, type Edge, type Scene, sceneOf } from '../src/layout/scene';
import { isOutput, usedBy } from '../src/layout/wires';
import { LABEL_APART, STRIP, textsOf } from '../src/picture/appearance';
import { type Opened, opened } from './opened';

/** Properties of every picture: of any program, with any part of it open. */

/** Lengths are whole 64ths of a px. */
const SLACK = 0.05;

/** Checks what a picture's faults are: none, whatever the program. */
function never(faults: (scene: Scene, of: Opened) => string[]): void {
  fc.assert(
    fc.property(opened, (of) => {
      expect(faults(sceneOf(of.stage, of.open, of.shape), of)).toEqual([]);
    }),
    { numRuns: 150 },
  );
}

interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

const meet = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w - SLACK &&
  b.x < a.x + a.w - SLACK &&
  a.y < b.y + b.h - SLACK &&
  b.y < a.y + a.h - SLACK;

const holds = (outer: Rect, { x, y, w, h }: Rect): boolean =>
  outer.x <= x + SLACK &&
  outer.y <= y + SLACK &&
  x + w <= outer.x + outer.w + SLACK &&
  y + h <= outer.y + outer.h + SLACK;

/** A point is within a rectangle or on its side. */
const touches = ({ x, y, w, h }: Rect, [px, py]: readonly number[]): boolean =>
  holds({ x, y, w, h }, { x: px!, y: py!, w: 0, h: 0 });

const nameOf = ({ boxes }: Scene, box: number): string => boxes[box]?.item.id ?? 'border';

const edgeName = (scene: Scene, { source, target, vars, cut }: Edge): string =>
  `${nameOf(scene, source)} ${cut ? '·>' : '->'} ${nameOf(scene, target)} [${vars}]`;

describe('in any picture', () => {
  test('boxes side by side do not meet', () => {
    never(({ boxes }) =>
      boxes.flatMap((one, at) =>
        boxes
          .slice(at + 1)
          .filter((other) => other.parent === one.parent && meet(one, other))
          .map((other) => `${one.item.id} meets ${other.item.id}`),
      ),
    );
  });

  test('a box lies within the one that holds it, below its title', () => {
    never(({ boxes, width, height }) =>
      boxes
        .filter((box) => {
          const parent = boxes[box.parent] ?? { x: 0, y: 0, w: width, h: height };
          return !holds(parent, box);
        })
        .map((box) => `${box.item.id} leaves ${boxes[box.parent]?.item.id ?? 'the picture'}`),
    );
  });

  test('all that is drawn has a place', () => {
    never((scene) => {
      const numbers = [
        ...scene.boxes.flatMap(({ x, y, w, h, typeX, typeY }) => [x, y, w, h, typeX, typeY]),
        ...scene.edges.flatMap(({ points, labelX, labelY }) => [...points, labelX, labelY]),
        ...scene.mentions.flatMap(({ x, y, w, h }) => [x, y, w, h]),
      ];
      return numbers.every(Number.isFinite) ? [] : ['a length is no number'];
    });
  });

  test('an edge begins at its source and ends at its target', () => {
    never((scene) =>
      scene.edges.flatMap((edge) => {
        const { points, source, target } = edge;
        if (points.length < 4) return [`${edgeName(scene, edge)} has ${points.length} numbers`];
        const from = scene.boxes[source];
        const to = scene.boxes[target];
        const mentioned = scene.mentions.some((one) => touches(one, points));
        const begins = !from || touches(from, points) || mentioned;
        const ends = !to || touches(to, points.slice(-2)) || edge.cut;
        return begins && ends ? [] : [`${edgeName(scene, edge)} is loose`];
      }),
    );
  });

  test('data flows one way: from what comes earlier in the program, and enters as the edge says', () => {
    never((scene) =>
      scene.edges.flatMap((edge) => {
        const { points, direction, cut } = edge;
        const source = scene.boxes[edge.source]?.item;
        const target = scene.boxes[edge.target]?.item;
        const works = [source, target].every((one) => one?.kind === 'eqn' || one?.kind === 'group');
        const apart = works && source && target && !encloses(scene, edge.source, edge.target);
        if (apart && source.stop > target.start) return [`${edgeName(scene, edge)} goes back`];
        if (cut) return [];
        const [x0, y0, x, y] = points.slice(-4) as [number, number, number, number];
        const ahead = new Map([
          ['down', y - y0],
          ['up', y0 - y],
          ['right', x - x0],
          ['left', x0 - x],
        ]);
        return ahead.get(direction)! >= -SLACK
          ? []
          : [`${edgeName(scene, edge)} does not enter ${direction}`];
      }),
    );
  });

  test('every operand of what is shown is drawn, named or written on it', () => {
    never((scene, { stage }) =>
      scene.boxes.flatMap((box, at) => {
        const { path } = parse(box.item.id);
        const graph = graphAt(stage, path);
        if (!graph || box.open || box.item.kind === 'body') return [];
        if (isOutput(box.item) && box.note !== '') return [];
        return usedBy(graph, box.item)
          .filter((one) => !literalsOf(stage, graph).has(one) && !isShown(scene, path, one, at))
          .map((one) => `${box.item.id} uses ${graph.vars[one]?.name}`);
      }),
    );
  });

  test('the same is drawn the same, whatever was open before', () => {
    fc.assert(
      fc.property(opened, opened, ({ stage, open, shape }, other) => {
        const scene = sceneOf(structuredClone(stage), open, shape);
        sceneOf(stage, other.open, other.shape);
        sceneOf(stage, new Set(), shape);
        expect(sceneOf(stage, open, shape)).toEqual(scene);
      }),
      { numRuns: 60 },
    );
  });

  test('no text covers a box', () => {
    never((scene) => {
      const shut = scene.boxes.filter(({ open }) => !open);
      const texts = [...typesOf(scene), ...labelsOf(scene), ...scene.mentions.map(named)];
      return texts.flatMap(([text, rect]) =>
        shut.filter((box) => meet(box, rect)).map((box) => `${text} covers ${box.item.id}`),
      );
    });
  });
});

describe('the texts of any picture', () => {
  test('are never on one another', () => {
    never((scene) => {
      const texts = textsIn(scene);
      return texts.flatMap(([one, rect], at) =>
        texts
          .slice(at + 1)
          .filter(([, other]) => meet(rect, other))
          .map(([other]) => `${one} meets ${other}`),
      );
    });
  });

  test('stand in their boxes, clear of borders and strips', () => {
    never(({ boxes }) =>
      boxes.flatMap((box) => {
        const { x, y, w, h, open, item } = box;
        const strip = item.foldable && !item.free && !open;
        const bottom = strip ? h - STRIP.bottom - STRIP.height : h - 1;
        const room = { x: x + 1, y: y + 1, w: w - 2, h: bottom - 1 };
        return ownTexts(box)
          .filter(([, rect]) => !holds(room, rect))
          .map(([text]) => `${text} touches the border`);
      }),
    );
  });
});

/** All texts of a picture at rest, and the rectangle that each takes. */
const textsIn = (scene: Scene): [string, Rect][] => [
  ...scene.boxes.flatMap(ownTexts),
  ...typesOf(scene),
  ...labelsOf(scene),
  ...scene.mentions.map(named),
];

/** The label, the note and the count of a box. */
function ownTexts(box: Box): [string, Rect][] {
  const { item, label, note, count, open, x, y, w, h } = box;
  const at = textsOf(box, w);
  const y0 = y + ((open ? FRAME.title : h) - at.size) / 2;
  const rect = (text: string, left: number, size: number): [string, Rect] => [
    `${text} of ${item.id}`,
    { x: x + left, y: y0, w: textWidth(text, size), h: at.size },
  ];
  return [
    rect(label, at.label, at.size),
    ...(note === '' ? [] : [rect(note, at.note, FONT)]),
    ...(count === '' || open ? [] : [rect(count, at.count - textWidth(count), FONT)]),
  ];
}

const named = ({ text, x, y, w, h }: Rect & { text: string }): [string, Rect] => {
  const wide = textWidth(text, SMALL);
  return [text, { x: x + (w - wide) / 2, y: y + (h - SMALL) / 2, w: wide, h: SMALL }];
};

function typesOf({ boxes }: Scene): [string, Rect][] {
  return boxes.flatMap((box): [string, Rect][] => {
    const { item, type, typeX: x, typeY: y } = box;
    const rect = { x, y, w: textWidth(type, SMALL), h: SMALL };
    return type === '' ? [] : [[`${type} of ${item.id}`, rect]];
  });
}

/** The texts above and below edges. */
function labelsOf({ edges }: Scene): [string, Rect][] {
  return edges.flatMap(({ label, note, labelX, labelY }) =>
    [
      { text: label, y: labelY - LABEL_APART },
      { text: note, y: labelY + LABEL_APART },
    ].flatMap(({ text, y }): [string, Rect][] => {
      const w = textWidth(text, SMALL);
      return text === '' ? [] : [[text, { x: labelX - w / 2, y: y - SMALL / 2, w, h: SMALL }]];
    }),
  );
}

/** True if one of two boxes contains the other, or they are the same. */
function encloses(scene: Scene, one: number, other: number): boolean {
  const around = (box: number, wanted: number): boolean => {
    for (let at = box; at >= 0; at = scene.boxes[at]?.parent ?? -1) if (at === wanted) return true;
    return false;
  };
  return around(one, other) || around(other, one);
}

/** True if a value visibly reaches a box: by an edge to it or to a box around it, by its name beside
 * it, or from an input that says where it goes. (An output says on itself what comes from afar.) */
function isShown(scene: Scene, path: Id, variable: number, box: number): boolean {
  const carries = (one: Edge | Scene['mentions'][number]) =>
    one.path === path && one.vars.includes(variable);
  const reaches = ({ target }: { target: number }): boolean =>
    target === box || (scene.boxes[target]?.open === true && encloses(scene, target, box));
  return (
    scene.edges.some((edge) => carries(edge) && !edge.cut && reaches(edge)) ||
    scene.mentions.some((mention) => reaches(mention) && (carries(mention) || counts(mention))) ||
    scene.edges.some((edge) => carries(edge) && reaches(edge) && tells(scene.boxes[edge.source]))
  );
}

/** `layer 2 +3` stands for three more. */
const counts = ({ text }: { text: string }): boolean => / \+\d+$/.test(text);

const tells = (source: Box | undefined): boolean => source?.type.includes('→') ?? false;

test('what is kept of other widths is what would be laid out anew', () => {
  fc.assert(
    fc.property(opened, ({ stage, open }) => {
      for (const width of [1200, 700, 300, 120, 700, 1200]) {
        for (const beside of [true, false]) {
          const shape = shapeOf(width, 600, beside);
          const kept = sceneOf(stage, open, shape);
          expect(kept).toEqual(sceneOf({ ...stage }, open, shape));
        }
      }
    }),
    { numRuns: 40 },
  );
});

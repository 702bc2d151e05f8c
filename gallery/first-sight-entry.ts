/** Measures a first view for `first-sight.mjs`. */
import type { Program, Stage } from '../js/src/schema';
import { type View, BESIDE_LINE, FLOOR, textWidth, SMALL, FRAME } from '../js/src/layout/measure';
import { type Scene, sceneOf } from '../js/src/layout/scene';
import { Strokes } from '../js/src/layout/texts/strokes';
import { colour } from '../js/src/facts/colours/colouring';
import { NO_MARKS } from '../js/src/picture/appearance';
import { headingOf } from '../js/src/picture/heading';
import { wholeOf, drawn } from '../js/src/picture/drawing';
import { LIGHT, DARK } from '../js/src/picture/colours';
import { type Id, ROOT } from '../js/src/facts/ids';
import { regionOf } from '../js/src/state/open-items';
import { firstView } from '../js/src/state/first-view';
import { weightOf } from '../js/src/state/worth-opening';
import { differencesOf } from '../js/src/facts/differences';
import { sizeOf } from '../js/src/layout/caption';
import { couldOpen } from './could-open';

interface Rect {
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The side of the squares in which empty ground is counted, and how near a box ground is not empty, px. */
const SQUARE = 8;
const NEAR = 24;

export function measured(program: Program, room: View) {
  const { stage, scene, open } = seen(program, room);
  const zoom = Math.min(1, room.width / scene.width, room.height / scene.height);
  const rects = [...closedOf(scene), ...textsOf(scene)];
  return {
    zoom: Math.max(FLOOR, zoom),
    told: told(stage, scene),
    all: zoom >= FLOOR,
    overlaps: rects.reduce(
      (sum, one, at) => sum + rects.slice(at + 1).filter((other) => meet(one, other)).length,
      0,
    ),
    empty: emptyIn(scene),
    could: couldOpen(stage, open, room),
    ...typesIn(scene),
  };
}

/** Counts the types of values, and those with an edge through them. */
function typesIn(scene: Scene): { types: number; crossed: number } {
  const strokes = new Strokes(scene);
  const typed = scene.boxes.filter(({ type }) => type !== '');
  const isCrossed = ({ type, typeX, typeY }: Scene['boxes'][number]) =>
    strokes.cross({ x: typeX, y: typeY, w: textWidth(type, SMALL), h: SMALL });
  return { types: typed.length, crossed: typed.filter(isCrossed).length };
}

export function drawnAs(program: Program, room: View): string {
  const { stage, scene } = seen(program, room);
  const colours = colour(stage, scene.boxes, 'family', null);
  const marks = { ...NO_MARKS, colours };
  const heading = headingOf(program, stage, null);
  const part = wholeOf(scene);
  return drawn({ scene, heading, marks, part, colours: LIGHT, dark: DARK, widest: 1000 }).svg;
}

/** Lists the boxes that are open at first and their contents, with names and numbers of eqns: `forward (layers 9, loss 4), …`. */
export function outlined(program: Program, room: View): string {
  const { stage, scene } = seen(program, room);
  const within = (id: Id): string =>
    regionOf(stage, id)
      .items.filter(({ kind, foldable }) => foldable && kind !== 'gathered')
      .map(({ id, label, count }) => {
        const isOpen = scene.boxes[scene.index.get(id) ?? -1]?.open;
        return isOpen ? `${label} (${within(id)})` : `${label} ${count}`;
      })
      .join(', ');
  return within(ROOT);
}

function seen(
  program: Program,
  room: View,
): { stage: Stage; scene: Scene; open: ReadonlySet<Id> } {
  const stage = program.stages[0] as Stage;
  const { open, shape } = firstView(stage, differencesOf(program), room);
  return { stage, scene: sceneOf(stage, open, shape), open };
}

/** The share of the program's work in boxes that are visible one by one. */
function told(stage: Stage, scene: Scene): number {
  const region = regionOf(stage, '');
  const sum = (all: readonly number[]) => all.reduce((total, one) => total + one, 0);
  const whole = sum(region.items.map((item) => weightOf(stage, region, item)));
  const closed = region.items.filter(({ id, foldable, kind }) => {
    const box = scene.boxes[scene.index.get(id) ?? -1];
    return foldable && kind !== 'gathered' && !box?.open;
  });
  return whole === 0 ? 1 : 1 - sum(closed.map((item) => weightOf(stage, region, item))) / whole;
}

const closedOf = ({ boxes }: Scene): Rect[] => boxes.filter(({ open }) => !open);

/** The titles of open boxes. */
const titlesOf = ({ boxes }: Scene): Rect[] =>
  boxes
    .filter(({ open }) => open)
    .map((box) => ({ ...box, w: sizeOf(box.item, box).width, h: FRAME.title }));

/** The types under boxes, the names of cut edges, and what is written above and below edges. */
const textsOf = ({ boxes, mentions, edges }: Scene): Rect[] => [
  ...edges.flatMap(({ cut, label, note, labelX, labelY }) =>
    [label, note].flatMap((text, below): Rect[] => {
      const w = textWidth(text, SMALL);
      const y = below ? labelY + BESIDE_LINE : labelY - BESIDE_LINE - SMALL;
      return cut || text === '' ? [] : [{ x: labelX - w / 2, y, w, h: SMALL }];
    }),
  ),
  ...boxes
    .filter(({ type }) => type !== '')
    .map(({ type, typeX: x, typeY: y }) => ({ x, y, w: textWidth(type, SMALL), h: SMALL })),
  ...mentions,
];

const meet = (a: Rect, b: Rect): boolean =>
  a.x < b.x + b.w - 0.1 && b.x < a.x + a.w - 0.1 && a.y < b.y + b.h - 0.1 && b.y < a.y + a.h - 0.1;

/** Points along the edges that are drawn. */
const linesOf = ({ edges }: Scene): Rect[] =>
  edges
    .filter(({ cut }) => !cut)
    .flatMap(({ points }) =>
      Array.from({ length: points.length / 2 - 1 }, (_, at) => {
        const [x0, y0, x1, y1] = points.slice(2 * at, 2 * at + 4) as [number, number, number, number];
        const steps = Math.ceil(Math.hypot(x1 - x0, y1 - y0) / SQUARE) + 1;
        return Array.from({ length: steps + 1 }, (_, step) => ({
          x: x0 + ((x1 - x0) * step) / steps,
          y: y0 + ((y1 - y0) * step) / steps,
          w: 0,
          h: 0,
        }));
      }).flat(),
    );

/** The share of the scene that is far from all boxes, texts and edges. */
function emptyIn(scene: Scene): number {
  const [across, down] = [scene.width, scene.height].map((side) => Math.ceil(side / SQUARE)) as [
    number,
    number,
  ];
  const full = new Uint8Array(across * down);
  for (const { x, y, w, h } of [...closedOf(scene), ...titlesOf(scene), ...textsOf(scene), ...linesOf(scene)]) {
    const [left, top] = [x, y].map((side) => Math.max(0, Math.floor((side - NEAR) / SQUARE)));
    const right = Math.min(across, Math.ceil((x + w + NEAR) / SQUARE));
    const bottom = Math.min(down, Math.ceil((y + h + NEAR) / SQUARE));
    for (let row = top!; row < bottom; row++) full.fill(1, row * across + left!, row * across + right);
  }
  return full.length === 0 ? 0 : 1 - full.reduce((sum, one) => sum + one, 0) / full.length;
}

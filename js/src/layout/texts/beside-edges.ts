/** Moves the types of values that edges run through to a place at their box where none does. */
import {
  BESIDE_EDGE,
  BESIDE_LINE,
  FRAME,
  type Rect,
  SMALL,
  textWidth,
  type View,
} from '../measure';
import { Grid, Strokes } from './strokes';

/** Px between a box and the text beside it. */
const BESIDE_BOX = 5;
/** Px between a moved text and edges, and between it and other boxes and texts. Beside its box it needs more room, or
 * it seems to belong to the next box. */
export const CLEAR = { edges: 3, below: 5, beside: 12 };

/** The places of a type besides its first one, right of the point where edges leave its box: left of that point,
 * at the ends of that side of the box, and beside the box. */
export function placesOf({ x, y, w, h }: Rect, text: Rect): Rect[] {
  const stem = text.x - BESIDE_EDGE;
  const middle = y + (h - text.h) / 2;
  return [
    { ...text, x: stem - BESIDE_EDGE - text.w },
    ...(w / 2 > text.w + BESIDE_EDGE
      ? [
          { ...text, x: x + w - text.w },
          { ...text, x },
        ]
      : []),
    { ...text, x: x + w + BESIDE_BOX, y: middle },
    { ...text, x: x - BESIDE_BOX - text.w, y: middle },
  ];
}

/** A rectangle made wider by `by` px on both sides. */
export const widened = ({ x, y, w, h }: Rect, by: number): Rect => ({
  x: x - by,
  y,
  w: w + 2 * by,
  h,
});

/** The parts of a box and of a picture that this file reads and writes; `scene.ts` describes them. */
interface Box extends Rect {
  type: string;
  typeX: number;
  typeY: number;
  open: boolean;
  parent: number;
}

interface Picture extends View {
  boxes: Box[];
  edges: readonly Edge[];
  mentions: readonly Rect[];
}

interface Edge {
  points: readonly number[];
  cut: boolean;
  label: string;
  note: string;
  labelX: number;
  labelY: number;
}

/** Moves each type that an edge runs through to the first free place at its box, in place. */
export function besideEdges(scene: Picture): void {
  const strokes = new Strokes(scene);
  let solids: Solids | null = null;
  scene.boxes.forEach((box, index) => {
    const text = textOf(box);
    if (box.type === '' || !strokes.cross(text)) return;
    solids ??= solidsOf(scene);
    const inside = insideOf(scene, box);
    const isFree = (place: Rect): boolean =>
      holds(inside, place) &&
      !strokes.cross(widened(place, CLEAR.edges)) &&
      !solids!.meet(widened(place, place.y === text.y ? CLEAR.below : CLEAR.beside), index);
    const free = placesOf(box, text).find(isFree);
    if (!free) return;
    [box.typeX, box.typeY] = [free.x, free.y];
    solids.add(free, index);
  });
}

const textOf = ({ type, typeX, typeY }: Box): Rect => ({
  x: typeX,
  y: typeY,
  w: textWidth(type, SMALL),
  h: SMALL,
});

/** The part of the picture in which the texts of a box are written: the inside of the box around it. */
function insideOf({ boxes, width, height }: Picture, { parent }: Box): Rect {
  const around = boxes[parent];
  if (!around) return { x: 0, y: 0, w: width, h: height };
  const { x, y, w, h } = around;
  return { x, y: y + FRAME.title, w, h: h - FRAME.title };
}

const holds = (outer: Rect, { x, y, w, h }: Rect): boolean =>
  outer.x <= x && outer.y <= y && x + w <= outer.x + outer.w && y + h <= outer.y + outer.h;

/** All that nothing may be written on: closed boxes, the titles of open ones, and texts. */
function solidsOf(scene: Picture): Solids {
  const solids = new Solids(scene);
  scene.boxes.forEach((box, index) => {
    solids.add(box.open ? { ...box, h: FRAME.title } : box, index);
    if (box.type !== '') solids.add(textOf(box), index);
  });
  for (const mention of scene.mentions) solids.add(mention, -1);
  for (const { cut, label, note, labelX, labelY } of scene.edges) {
    if (cut || label === '') continue;
    const w = Math.max(textWidth(label, SMALL), textWidth(note, SMALL));
    const h = 2 * (SMALL + BESIDE_LINE);
    solids.add({ x: labelX - w / 2, y: labelY - h / 2, w, h }, -1);
  }
  return solids;
}

/** Rectangles that nothing may be written on, and the boxes (by index) that they belong to. */
class Solids {
  private readonly grid: Grid;
  private readonly of: number[] = [];

  constructor(picture: View) {
    this.grid = new Grid(picture);
  }

  add({ x, y, w, h }: Rect, of: number): void {
    this.grid.add(x, y, x + w, y + h);
    this.of.push(of);
  }

  /** True if a rectangle meets any of them, except for those of `own`. */
  meet(rect: Rect, own: number): boolean {
    const { x, y, w, h } = rect;
    return this.grid.some(
      rect,
      (number, x0, y0, x1, y1) =>
        this.of[number] !== own && x0 < x + w && x < x1 && y0 < y + h && y < y1,
    );
  }
}

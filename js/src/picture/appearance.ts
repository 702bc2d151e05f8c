/** The appearance of a picture, the same on a canvas and as SVG: the marks, and the shape, border, strip and text
 * positions of a box. */
import type { ColourClass } from '../facts/colours/colour-schemes';
import { type Colouring, holds } from '../facts/colours/colouring';
import { cached } from '../facts/maps';
import type { Item } from '../facts/outline';
import type { Bright } from '../facts/reach';
import { isPill } from '../layout/caption';
import type { Rect } from '../layout/measure';
import { APART, BOX, CHIP, FOLD, FONT, PILL, SMALL, textWidth } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';

/** The corner radius of a box, px. */
export const ROUND = 4;

/** The dashes of the border of a closed call, px. */
const CALL_DASHES: readonly number[] = [4, 3];

/** The dashes of an edge to the next iteration of a loop or of a removed value, and of the ring of a guessed link, px. */
export const DASHES: readonly number[] = [5, 4];

/** The sheets behind a closed run of equal groups: their largest number, and the px from one to the next, to the right
 * and down. */
const STACK = { most: 2, apart: 2 };

/** The rectangles behind a closed run, the farthest first. */
export function sheetsBehind({ item, open, x, y, w, h }: Box): Rect[] {
  const count = open ? 0 : Math.min(STACK.most, item.members - 1);
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const out = (count - at) * STACK.apart;
    return { x: x + out, y: y + out, w, h };
  });
}

/** True if a layer differs from its siblings; its border is thick and has a colour of its own. */
export const isOdd = ({ item }: Box): boolean => item.unlike !== '';

/** Px between an edge and the middle of a text above or below it. */
export const LABEL_APART = 9;

/** Arrowheads of the selection are larger by this factor. */
export const LIT_SCALE = 1.5;

/** The strip along the bottom of a closed box, px: clear of the border below and of the letters above. */
export const STRIP = { height: 3, side: 5, bottom: 1.5 };

/** A badge, px: its height and least width, and the space beside its text. */
export const BADGE = { height: 13, side: 3 };

/** The distance, px, that a badge begins left of its box and overlaps it vertically. It does not reach the box's
 * text. */
const LAP = { left: 3, down: 3 };

export function roundOf({ item, open }: Box): number {
  if (open) return ROUND;
  return isPill(item) ? PILL.height / 2 : item.free ? CHIP.height / 2 : ROUND;
}

/** The dashes of a box's border: those of its colour class, else those of a closed call. */
export const dashOf = ({ item, open }: Box, own: ColourClass | undefined): readonly number[] =>
  own?.dash ?? ((item.family === 'call' && !open) || isQuiet(item) ? CALL_DASHES : []);

/** True if the texts of a box are faint: it is an argument that is not an input. */
export const isQuiet = ({ kind }: Item): boolean => kind === 'fixed';

/** A part of a strip: its colour class by number, its start and its length, px of the box. */
export interface Part {
  class: number;
  from: number;
  length: number;
}

/** The parts of the strip in a closed box of this width, px: its share of the whole, or the number of eqns of each
 * class in it. The small box of an op that does nothing has no room for one. */
export function stripOf({ item }: Box, colours: Colouring, box: number, width: number): Part[] {
  if (item.free) return [];
  const whole = width - 2 * STRIP.side;
  if (colours.lengths) {
    const length = whole * (colours.lengths[box] ?? 0);
    return length >= 2 ? [{ class: colours.of[box] ?? 0, from: STRIP.side, length }] : [];
  }
  const counts = [...(colours.within[box] ?? [])];
  const all = counts.reduce((sum, count) => sum + count, 0);
  let from = STRIP.side;
  return counts.flatMap((count, one) => {
    const part = { class: one, from, length: (whole * count) / all };
    if (count > 0) from += part.length;
    return count > 0 ? [part] : [];
  });
}

/** The positions of the texts in a box, px from its left side. */
export interface Texts {
  /** The font size of the label, px. */
  size: number;
  /** The start of its triangle; null if it has nothing to open. */
  triangle: number | null;
  label: number;
  note: number;
  /** The end of its count. */
  count: number;
}

export function textsOf({ item, label, note, count }: Box, width: number): Texts {
  const { side } = isPill(item) ? PILL : item.free ? CHIP : BOX;
  const size = item.free ? SMALL : FONT;
  const wide = textWidth(label, size);
  const whole = wide + (note === '' ? 0 : APART + textWidth(note));
  const aligned = item.foldable || count !== '';
  const fold = item.foldable ? FOLD : 0;
  const begin = fold + (aligned ? side : Math.max(side, (width - whole) / 2));
  return {
    size,
    triangle: item.foldable ? side : null,
    label: begin,
    note: begin + wide + APART,
    count: width - side,
  };
}

/** The px of a box that its title keeps, however far the box is scrolled out of view. */
const TITLE_LEAST = 200;

/** The x of an open box's title: the left side of the box, or of the view (`left`) if that is inside the box. */
export function titleStart(open: boolean, x: number, w: number, left: number): number {
  return open ? Math.max(x, Math.min(left, x + w - TITLE_LEAST)) : x;
}

/** The marks in a scene. Boxes and edges are referred to by index. */
export interface Marks {
  selected: number;
  hovered: number;
  matches: ReadonlySet<number>;
  /** The current match; -1 if there is none. */
  match: number;
  /** Boxes linked to a selection elsewhere, and those of them that are only guessed. */
  linked: ReadonlySet<number>;
  guesses: ReadonlySet<number>;
  /** Edges of the selected box, and of the hovered one. */
  lit: ReadonlySet<number>;
  /** The boxes on a path to or from the selected one. All others but loud ones are faint. Null if nothing is
   * selected. */
  near: ReadonlySet<number> | null;
  /** True if `near` contains the paths from the origin of a NaN. */
  nanPaths: boolean;
  /** The colours of the boxes; null until they are computed. */
  colours: Colouring | null;
  /** The only colour class that is not faint; -1 for none. */
  only: number;
}

/** The class of all boxes until their colours are computed. */
export const UNKNOWN_CLASS: ColourClass = { paint: 'group', label: '', about: '' };

export const NO_MARKS: Marks = {
  selected: -1,
  hovered: -1,
  matches: new Set(),
  match: -1,
  linked: new Set(),
  guesses: new Set(),
  lit: new Set(),
  near: null,
  nanPaths: false,
  colours: null,
  only: -1,
};

/** The colour class of a box; undefined until the colours are computed. */
export const classOf = ({ colours }: Marks, box: number): ColourClass | undefined =>
  colours?.classes[colours.of[box] ?? 0];

/** True if a box is faint. A box that differs between two programs keeps its colour even without a path to the
 * selection, because nothing comes from a removed eqn. */
export function isPale(marks: Marks, box: number): boolean {
  const { near, only, colours } = marks;
  if (near && !near.has(box) && !classOf(marks, box)?.loud) return true;
  return only >= 0 && colours !== null && !holds(colours, box, only);
}

/** True if anything but colours is shown. */
export const isMarked = ({ selected, only, near, matches, linked, lit }: Marks): boolean =>
  selected >= 0 || only >= 0 || near !== null || matches.size + linked.size + lit.size > 0;

/** The boxes that keep their colour while the rest is dimmed. */
export const boxesIn = ({ boxes }: Scene, { has }: Bright): Set<number> =>
  new Set(boxes.flatMap(({ item }, box) => (has(item) ? [box] : [])));

/** The edges that keep their colour while the rest is dimmed; null if edges are not concerned. */
export function edgesIn({ boxes, edges }: Scene, bright: Bright | null): Set<number> | null {
  const { carries, has } = bright ?? {};
  if (!carries || !has) return null;
  const isOn = (box: number) => boxes[box] !== undefined && has(boxes[box].item);
  return new Set(
    edges.flatMap(({ path, vars, source, target }, edge) =>
      isOn(source) && isOn(target) && vars.some((one) => carries(path, one)) ? [edge] : [],
    ),
  );
}

// Badges: over the upper side of a box, or at another side if texts are all along it.

/** Px between a badge and a text beside it. */
const CLEAR = 2;

export const badgeWidth = (text: string, font = SMALL): number => {
  const scale = font / SMALL;
  return Math.max(BADGE.height * scale, textWidth(text, font) + 2 * BADGE.side * scale);
};

/** The upper left corner of the first badge of a box, px of the scene. `texts` are those of its badges. The first place
 * without a text is taken: the upper left corner, another place on the upper side, the middle of the left or the right
 * side, the lower left corner. */
export function badgeAt(
  scene: Scene,
  index: number,
  texts: readonly string[],
  font = SMALL,
): { x: number; y: number } {
  const { x, y, w, h } = scene.boxes[index]!;
  const scale = font / SMALL;
  const height = BADGE.height * scale;
  const width = texts.reduce((sum, one) => sum + badgeWidth(one, font) + scale, -scale);
  const [first, last] = [x - LAP.left, x + w + LAP.left - width];
  const top = y + LAP.down - height;
  const ends = textsBetween(scene, top, top + height).map((one) => one.x + one.w + CLEAR);
  const along = ends.filter((left) => left > first && left < last).sort((a, b) => a - b);
  const middle = y + (h - height) / 2;
  const places = [
    ...[first, ...along, Math.max(first, last)].map((left) => ({ x: left, y: top })),
    { x: x + LAP.left - width, y: middle },
    { x: x + w - LAP.left, y: middle },
    { x: first, y: y + h - LAP.down },
  ];
  const isFree = (at: { x: number; y: number }) =>
    textsBetween(scene, at.y, at.y + height).every(
      (one) => at.x >= one.x + one.w + CLEAR || at.x + width + CLEAR <= one.x,
    );
  return places.find(isFree) ?? places[0]!;
}

/** The texts beside boxes and edges, by their tops. */
const textsBeside = cached((scene: Scene): readonly Rect[] => {
  const types = scene.boxes.flatMap(({ type, typeX, typeY }) =>
    type === '' ? [] : { x: typeX, y: typeY, w: textWidth(type, SMALL), h: SMALL },
  );
  const labels = scene.edges.flatMap(({ cut, label, note, labelX, labelY }) => {
    const at = (text: string, y: number): Rect[] => {
      const w = textWidth(text, SMALL);
      return cut || text === '' ? [] : [{ x: labelX - w / 2, y: y - SMALL / 2, w, h: SMALL }];
    };
    return [...at(label, labelY - LABEL_APART), ...at(note, labelY + LABEL_APART)];
  });
  return [...types, ...labels, ...scene.mentions].sort((one, other) => one.y - other.y);
});

/** The most height of such a text, px. */
const TALLEST = 24;

/** The texts that overlap a band of the scene. */
function textsBetween(scene: Scene, top: number, bottom: number): readonly Rect[] {
  const texts = textsBeside(scene);
  let [low, high] = [0, texts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (texts[middle]!.y < top - TALLEST) low = middle + 1;
    else high = middle;
  }
  const found: Rect[] = [];
  for (let at = low; at < texts.length && texts[at]!.y < bottom; at++) {
    if (texts[at]!.y + texts[at]!.h > top) found.push(texts[at]!);
  }
  return found;
}

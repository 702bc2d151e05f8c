/** Writes the boxes of a picture as SVG, with their texts, signs and rings. */
import { signsOf } from '../facts/colours/colouring';
import type { Rect } from '../layout/measure';
import { APART, FRAME } from '../layout/measure';
import type { Box, Scene } from '../layout/scene';
import {
  badgeAt,
  badgeWidth,
  classOf,
  DASHES,
  dashOf,
  isOdd,
  isPale,
  isQuiet,
  type Marks,
  ROUND,
  roundOf,
  STRIP,
  sheetsBehind,
  stripOf,
  textsOf,
  titleStart,
} from './appearance';
import { broken, escaped, foldTriangle, hatch, oneLined, pathOf, px, text } from './pen';

/** A box to be written as SVG. Its colours come from the style sheet, by the name of its colour
 * class. */
export interface Drawn {
  box: Box;
  index: number;
  marks: Marks;
  /** The x at which the drawn part of the scene begins, px of the scene. */
  left: number;
}

/** The name of the colour class of a box. */
const paintOf = ({ index, marks }: Drawn): string => classOf(marks, index)?.paint ?? 'group';

/** The SVG classes of a box: that of its colours, what it is, and `p` where it is faint. */
const classes = (drawn: Drawn, ...kinds: readonly string[]): string =>
  [paintOf(drawn), ...kinds, ...(isPale(drawn.marks, drawn.index) ? ['p'] : [])].join(' ');

/** The class of the border of a layer that differs from its siblings. */
const oddClass = ({ box }: Drawn): string[] => (isOdd(box) ? ['q'] : []);

/** An open box: its border, and a band behind its title. */
export function openBox(drawn: Drawn): string {
  const { x, y, w } = drawn.box;
  const selected = drawn.index === drawn.marks.selected ? ['h'] : [];
  const band =
    `<path class="${classes(drawn, ...selected, 'k')}" d="M${px(x + 0.5)} ${px(y + FRAME.title)}v-20` +
    `q0-3.5 3.5-3.5h${px(w - 8)}q3.5 0 3.5 3.5v20z"/>`;
  const border = rect(classes(drawn, ...oddClass(drawn), ...selected, 'o'), drawn.box, ROUND);
  return border + band + texts(drawn);
}

/** A closed box: its border, its strip and its texts. */
export function closedBox(drawn: Drawn): string {
  const { box, index, marks } = drawn;
  const dash = dashOf(box, classOf(marks, index));
  const kind = classes(drawn, ...oddClass(drawn), ...(index === marks.selected ? ['h'] : []));
  const behind = sheetsBehind(box).map((one) => rect(classes(drawn), one, ROUND));
  return behind.join('') + rect(kind, box, roundOf(box), dash) + strip(drawn) + texts(drawn);
}

/** The strip of a closed box: its classes, or its share of the whole; slanting lines if nothing is reported about it. */
function strip(drawn: Drawn): string {
  const { box, index, marks } = drawn;
  const { x, y, w, h } = box;
  if (paintOf(drawn) === 'unreported') {
    const lines = pathOf((pen) => hatch(pen, box));
    return `<path class="${classes(drawn, 'u')}" d="${lines}"/>`;
  }
  const { colours } = marks;
  const middle = px(y + h - STRIP.bottom - STRIP.height / 2);
  const pale = isPale(marks, index) ? ' p' : '';
  return (colours ? stripOf(box, colours, index, w) : [])
    .map(({ class: one, from, length }) => {
      const { paint } = colours!.classes[one]!;
      return `<path class="${paint} x${pale}" d="M${px(x + from)} ${middle}h${px(length)}"/>`;
    })
    .join('');
}

const rect = (kind: string, { x, y, w, h }: Rect, round: number, dash = UNBROKEN): string =>
  `<rect class="${kind}" x="${px(x)}" y="${px(y)}" width="${px(w)}" height="${px(h)}"` +
  ` rx="${px(round)}"${broken(dash)}/>`;

/** A line without dashes. */
const UNBROKEN: readonly number[] = [];

/** The triangle, the label, the note and the count of a box. */
function texts({ box, index, marks, left }: Drawn): string {
  const { item, label, note, count, open, x, y, w, h } = box;
  const middle = y + (open ? FRAME.title : h) / 2 + 0.5;
  const begin = titleStart(open, x, w, left);
  const at = textsOf(box, w);
  const pale = isPale(marks, index) ? ' p' : '';
  const fold = at.triangle;
  const folds = fold === null ? '' : pathOf((pen) => foldTriangle(pen, begin + fold, middle, open));
  const faint = `<tspan class="n" dx="${APART}">${oneLined(note)}</tspan>`;
  const kind = `${item.free ? 's' : isQuiet(item) ? 'n' : ''}${pale}`.trim();
  return [
    fold === null ? '' : `<path class="f${pale}" d="${folds}"/>`,
    `<text${kind && ` class="${kind}"`} x="${px(begin + at.label)}" y="${px(middle + 3.5)}">`,
    `${oneLined(label)}${note === '' ? '' : faint}</text>`,
    open || count === '' ? '' : text(`n c${pale}`, x + at.count, middle + 3.5, count),
  ].join('');
}

/** The type of what flows out of a box, beside where it leaves. */
export function typeOf({ box: { type, typeX, typeY }, index, marks }: Drawn): string[] {
  if (type === '') return [];
  return [text(isPale(marks, index) ? 't p' : 't', typeX, typeY + 8, type)];
}

/** The signs at a side of a box. */
export function signsAt({ index, marks: { colours } }: Drawn, scene: Scene): string[] {
  const signs = colours ? signsOf(colours, index) : [];
  const badges = signs.map((one) => ({
    paint: colours!.classes[one.class]!.paint,
    text: one.text,
  }));
  if (badges.length === 0) return [];
  const texts = badges.map((one) => one.text);
  const { x, y } = badgeAt(scene, index, texts);
  return badgesAt(badges, x, y);
}

/** A sign in the colours of a class. Its text may contain a count. */
export interface Badge {
  paint: string;
  text: string;
}

/** Draws badges side by side; the upper left corner of the first is at (x, y). */
export function badgesAt(badges: readonly Badge[], x: number, y: number): string[] {
  let left = x;
  return badges.map((badge) => {
    const w = badgeWidth(badge.text);
    const drawn =
      `<path class="v ${badge.paint}" d="M${px(left + 3)} ${px(y)}h${px(w - 6)}q3 0 3 3v7q0 3-3 3` +
      `h${px(6 - w)}q-3 0-3-3v-7q0-3 3-3z"/>` +
      `<text class="w" x="${px(left + w / 2)}" y="${px(y + 10)}">${escaped(badge.text)}</text>`;
    left += w + 1;
    return drawn;
  });
}

/** Rings around matches of a search, and around boxes linked to a selection elsewhere. */
export function ringsAround({ box, index, marks }: Drawn): string[] {
  const { matches, linked, guesses } = marks;
  const around = { x: box.x - 3, y: box.y - 3, w: box.w + 6, h: box.h + 6 };
  return [
    ...(matches.has(index) ? [rect('i', around, ROUND + 3)] : []),
    ...(linked.has(index)
      ? [rect('j', around, ROUND + 3, guesses.has(index) ? DASHES : UNBROKEN)]
      : []),
  ];
}

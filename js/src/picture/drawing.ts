/** Writes a whole picture as SVG: the heading, and a part of the scene below it. */
import type { Edge, Mention, Scene } from '../layout/scene';
import { closedBox, type Drawn, openBox, ringsAround, signsAt, typeOf } from './box';
import type { Colours } from './colours';
import { type Heading, headingParts, heightOf, widthOf } from './heading';
import { DASHES, isPale, LABEL_APART, LIT, type Marks } from './looks';
import { arrowhead, broken, curve, escaped, pathOf, px, text } from './pen';
import { styleOf } from './style';

/** A part of a scene, in px of the scene, and how large it is drawn. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
  zoom: number;
}

/** All of a scene, at its own size. */
export const wholeOf = ({ width, height }: Scene): Part => ({ x: 0, y: 0, width, height, zoom: 1 });

/** All that a picture is made from. It is the same picture that the page exports and notebooks
 * save. */
export interface Drawing {
  scene: Scene;
  heading: Heading;
  marks: Marks;
  part: Part;
  /** The colours on a light ground; and those on a dark one, where the reader's system chooses
   * between both. */
  colours: Colours;
  dark: Colours | null;
  /** The most px of width; a wider picture is scaled down. */
  widest: number;
}

/** A finished picture: an SVG on a ground of its own, and its size, px. */
export interface Picture {
  svg: string;
  width: number;
  height: number;
}

/** The picture as SVG. It holds only shapes, escaped text and one style sheet, so it runs nothing
 * and requests nothing. */
export function drawn({ scene, heading, marks, part, colours, dark, widest }: Drawing): Picture {
  const inner = { width: part.width * part.zoom, height: part.height * part.zoom };
  const width = Math.ceil(Math.max(inner.width, widthOf(heading)));
  const top = heightOf(heading);
  const height = Math.ceil(inner.height + top);
  const scale = Math.min(1, widest / width);
  const size = { width: Math.min(width, widest), height: Math.ceil(height * scale) };
  const view = `${px(part.x)} ${px(part.y)} ${px(part.width)} ${px(part.height)}`;
  const { name, about, count, differs } = heading;
  const signs = differs?.told.flatMap(({ kind }) => kind ?? []) ?? [];
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" ${sides(size)} viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(name)}</title><desc>${escaped(`${name}${about}: ${count}`)}</desc>`,
    `<style>${styleOf(marks, signs, colours, dark)}</style>`,
    `<rect class="g" x=".5" y=".5" ${sides({ width: width - 1, height: height - 1 })} rx="8"/>`,
    ...headingParts(heading, width),
    `<svg x="${px((width - inner.width) / 2)}" y="${top}" ${sides(inner)} viewBox="${view}">`,
    ...sceneParts(scene, marks, part),
    '</svg></svg>\n',
  ].join('\n');
  return { svg, ...size };
}

const sides = ({ width, height }: { width: number; height: number }): string =>
  `width="${px(width)}" height="${px(height)}"`;

/** The parts of the scene, from behind to the front: open boxes, edges, closed boxes, and what is
 * written beside them. */
function sceneParts({ boxes, edges, mentions }: Scene, marks: Marks, part: Part): string[] {
  const all = boxes.flatMap((box, index): Drawn[] => {
    return meets(part, box.x, box.y, box.x + box.w, box.y + box.h)
      ? [{ box, index, marks, left: part.x }]
      : [];
  });
  const seen = edges.flatMap((edge, index) => (isSeen(edge, part) ? [{ edge, index }] : []));
  const isNear = (one: Mention) => meets(part, one.x, one.y, one.x + one.w, one.y + one.h);
  return [
    ...all.filter(({ box }) => box.open).map(openBox),
    ...edgeParts(seen, marks),
    ...all.filter(({ box }) => !box.open).map(closedBox),
    ...all.flatMap(ringsAround),
    ...all.flatMap(signsAt),
    ...all.flatMap(typeOf),
    ...mentions
      .filter(isNear)
      .map(({ x, y, w, h, text: own }) => text('m', x + w / 2, y + h / 2 + 3, own)),
    ...seen.flatMap(({ edge }) => labels(edge)),
  ];
}

/** How far texts beside a box reach about it, px. */
const TEXT_REACH = 24;

/** Whether a rectangle lies in the part, or so near that its texts may. */
const meets = (part: Part, left: number, top: number, right: number, bottom: number): boolean =>
  left <= part.x + part.width + TEXT_REACH &&
  right >= part.x - TEXT_REACH &&
  top <= part.y + part.height + TEXT_REACH &&
  bottom >= part.y - TEXT_REACH;

/** Whether an edge may cross the part. */
function isSeen({ points }: Edge, part: Part): boolean {
  const [xs, ys] = [0, 1].map((side) => points.filter((_, at) => at % 2 === side)) as [
    number[],
    number[],
  ];
  return meets(part, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

/** An edge that may be seen, and its index in the scene. */
interface Seen {
  edge: Edge;
  index: number;
}

/** The edges and their arrowheads: first those of faint boxes, then the others, in front those of
 * what is selected. A cut edge is drawn only if it belongs to the selection; else its name stands
 * for it. */
function edgeParts(seen: readonly Seen[], marks: Marks): string[] {
  const quiet = seen.filter(({ edge, index }) => !edge.cut && !marks.lit.has(index));
  const isFaint = ({ edge }: Seen) => isPale(marks, edge.source) || isPale(marks, edge.target);
  const lit = seen.filter(({ index }) => marks.lit.has(index));
  return [
    ...strokes(quiet.filter(isFaint), ' p'),
    ...strokes(
      quiet.filter((one) => !isFaint(one)),
      '',
    ),
    ...strokes(lit, ' l', LIT),
  ];
}

/** The paths of some edges: whole lines, dashed lines, and arrowheads. */
function strokes(seen: readonly Seen[], look: string, scale = 1): string[] {
  const some = (dashed: boolean) =>
    seen.filter(({ edge }) => (edge.returns || edge.cut) === dashed);
  const pointed = seen.filter(({ edge }) => edge.arrow && !edge.cut);
  const path = (kind: string, edges: readonly Seen[], draw: typeof curveOf, dash = '') =>
    edges.length === 0
      ? []
      : [`<path class="${kind}${look}"${dash} d="${edges.map(draw).join('')}"/>`];
  return [
    ...path('e', some(false), curveOf),
    ...path('e', some(true), curveOf, broken(DASHES)),
    ...path('a', pointed, ({ edge }) => pathOf((pen) => arrowhead(pen, edge, scale))),
  ];
}

const curveOf = ({ edge }: Seen): string => pathOf((pen) => curve(pen, edge.points));

/** The texts above and below an edge between lanes: what it carries. */
function labels({ label, note, labelX, labelY }: Edge): string[] {
  const y = labelY + 3;
  return [
    ...(label === '' ? [] : [text('m', labelX, y - LABEL_APART, label)]),
    ...(note === '' ? [] : [text('m', labelX, y + LABEL_APART, note)]),
  ];
}

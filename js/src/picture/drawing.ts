import type { Edge, Mention, Scene } from '../layout/scene';
import { closedBox, type Drawn, openBox, ringsAround, signsAt, typeOf } from './box';
import type { Colours } from './colours';
import { type Heading, headingParts, heightOf, widthOf } from './heading';
import { DASHES, LIT } from './looks';
import { isPale, type Marks } from './marks';
import { broken, escaped, px, text } from './markup';
import { arrowhead, curve, pathOf } from './pen';
import { styleOf } from './style';

/** A part of a scene, px of it, and how large it is drawn. */
export interface Part {
  x: number;
  y: number;
  width: number;
  height: number;
  zoom: number;
}

export const wholeOf = ({ width, height }: Scene): Part => ({ x: 0, y: 0, width, height, zoom: 1 });

/** What is drawn of a program: the one picture that pages export and notebooks save. */
export interface Drawing {
  scene: Scene;
  heading: Heading;
  marks: Marks;
  part: Part;
  /** For a light ground, and for a dark one where the reader's system decides. */
  colours: Colours;
  dark: Colours | null;
  /** Px: a wider picture is made smaller. */
  widest: number;
}

/** An SVG on a ground of its own, and how large it is, px. */
export interface Picture {
  svg: string;
  width: number;
  height: number;
}

/** Between the middle of an edge's label and its line, px. */
const OFF = 9;

/** Shapes, escaped text and one style: it runs nothing, and asks for nothing. */
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

/** From behind to the front: open boxes, edges, closed boxes, and what is written beside them. */
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

/** What is written beside a box reaches about as far as this, px. */
const AROUND = 24;

const meets = (part: Part, left: number, top: number, right: number, bottom: number): boolean =>
  left <= part.x + part.width + AROUND &&
  right >= part.x - AROUND &&
  top <= part.y + part.height + AROUND &&
  bottom >= part.y - AROUND;

function isSeen({ points }: Edge, part: Part): boolean {
  const [xs, ys] = [0, 1].map((side) => points.filter((_, at) => at % 2 === side)) as [
    number[],
    number[],
  ];
  return meets(part, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

interface Seen {
  edge: Edge;
  index: number;
}

/** What flows on, what returns, and all arrowheads: those between faint boxes, the others, and in
 * front those of what is selected. Of the rest, cut edges are not drawn: mentions are. */
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

/** What is carried from lane to lane, above and below the edge. */
function labels({ label, note, labelX, labelY }: Edge): string[] {
  const y = labelY + 3;
  return [
    ...(label === '' ? [] : [text('m', labelX, y - OFF, label)]),
    ...(note === '' ? [] : [text('m', labelX, y + OFF, note)]),
  ];
}

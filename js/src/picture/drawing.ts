/** Writes a whole picture as SVG: the style sheet, the heading, and a part of the scene below it. */
import type { ColourClass } from '../facts/colours/colour-schemes';
import type { Colouring } from '../facts/colours/colouring';
import type { DifferenceKind } from '../facts/differences';
import { FONT, SMALL } from '../layout/measure';
import type { Edge, Mention, Scene } from '../layout/scene';
import {
  DASHES,
  isMarked,
  isOdd,
  isPale,
  LABEL_APART,
  LIT_SCALE,
  type Marks,
  STRIP,
  UNKNOWN_CLASS,
} from './appearance';
import { closedBox, type Drawn, openBox, ringsAround, signsAt, typeOf } from './box';
import type { Colours, Paint } from './colours';
import { type Heading, headingParts, heightOf, widthOf } from './heading';
import { arrowhead, broken, curve, escaped, FAMILY, pathOf, px, text } from './pen';

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

/** Everything a picture is made from. The export of the page and the saved notebook use the same. */
export interface Drawing {
  scene: Scene;
  heading: Heading;
  marks: Marks;
  part: Part;
  /** The colours on a light ground, and those on a dark one if the reader's system chooses between both. */
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

/** The picture as SVG. It contains only shapes, escaped text and one style sheet, so it runs nothing and requests
 * nothing. */
export function drawn({ scene, heading, marks, part, colours, dark, widest }: Drawing): Picture {
  const inner = { width: part.width * part.zoom, height: part.height * part.zoom };
  const width = Math.ceil(Math.max(inner.width, widthOf(heading)));
  const top = heightOf(heading);
  const height = Math.ceil(inner.height + top);
  const scale = Math.min(1, widest / width);
  const size = { width: Math.min(width, widest), height: Math.ceil(height * scale) };
  const view = `${px(part.x)} ${px(part.y)} ${px(part.width)} ${px(part.height)}`;
  const { name, about, count, differs } = heading;
  const signs = differs?.summary.flatMap(({ kind }) => kind ?? []) ?? [];
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" ${sides(size)} viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(name)}</title><desc>${escaped(`${name}${about}: ${count}`)}</desc>`,
    `<style>${styleOf(marks, signs, colours, dark, scene.boxes.some(isOdd))}</style>`,
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

/** The parts of the scene, from back to front: open boxes, edges, closed boxes, and the texts beside them. */
function sceneParts(scene: Scene, marks: Marks, part: Part): string[] {
  const { boxes, edges, mentions } = scene;
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
    ...all.flatMap((one) => signsAt(one, scene)),
    ...all.flatMap(typeOf),
    ...mentions
      .filter(isNear)
      .map(({ x, y, w, h, text: own }) => text('m', x + w / 2, y + h / 2 + 3, own)),
    ...seen.flatMap(({ edge }) => labels(edge)),
  ];
}

/** The distance, px, that texts beside a box extend beyond it. */
const TEXT_REACH = 24;

/** True if a rectangle overlaps the part, or is so near that its texts may. */
const meets = (part: Part, left: number, top: number, right: number, bottom: number): boolean =>
  left <= part.x + part.width + TEXT_REACH &&
  right >= part.x - TEXT_REACH &&
  top <= part.y + part.height + TEXT_REACH &&
  bottom >= part.y - TEXT_REACH;

/** True if an edge may cross the part. */
function isSeen({ points }: Edge, part: Part): boolean {
  const [xs, ys] = [0, 1].map((side) => points.filter((_, at) => at % 2 === side)) as [
    number[],
    number[],
  ];
  return meets(part, Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
}

/** An edge that may be visible, and its index in the scene. */
interface Seen {
  edge: Edge;
  index: number;
}

/** The edges and their arrowheads: first those of faint boxes, then the others, then those of the selection. A cut
 * edge is drawn only if it belongs to the selection; otherwise its name replaces it. */
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
    ...strokes(lit, ' l', LIT_SCALE),
  ];
}

/** The paths of some edges: solid lines, dashed lines, and arrowheads. */
function strokes(seen: readonly Seen[], look: string, scale = 1): string[] {
  const some = (dashed: boolean) => seen.filter(({ edge }) => (edge.dashed || edge.cut) === dashed);
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

/** Fonts and lines that every picture has. */
const SHAPES = `svg{font:${FONT}px ${FAMILY}}
.m,.t,.s,.w{font-size:${SMALL}px}
.m,.w{text-anchor:middle}
.t{paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.c{text-anchor:end}
.b,.w{font-weight:bold}
.g,.r{stroke-opacity:.4}`;

/** Parts in the colours of a class that are only filled, or only a line. */
const PARTS = `.k,.v{stroke:none}
.e,.x,.u,.i,.j{fill:none}
.x{stroke-width:${STRIP.height}px}
.u{stroke-width:.75px;stroke-opacity:.6}`;

/** The selection, matches, links, and faint parts. */
const MARKED = `.h,.i,.j,.l{stroke-width:2px}
.p{opacity:.3}`;

/** The style sheet of one theme, or of a light and a dark one between which the reader's system chooses. `signs` are
 * those in the heading. */
function styleOf(
  marks: Marks,
  signs: readonly DifferenceKind[],
  colours: Colours,
  dark: Colours | null,
  hasOdd: boolean,
): string {
  const themed = (one: Colours) =>
    themeOf(one, marks, signs) + (hasOdd ? `\n.q:not(.h){stroke:${one.odd}}` : '');
  return [
    SHAPES,
    themed(colours),
    ...(dark ? [`@media (prefers-color-scheme:dark){${themed(dark)}}`] : []),
    PARTS,
    ...(hasOdd ? ['.q{stroke-width:2px}'] : []),
    ...(isMarked(marks) ? [MARKED] : []),
  ].join('\n');
}

/** The colours of one theme. The classes are, `n`: notes; `m`, `t`: names and types
 * beside edges and boxes; `s`: ops that do nothing when they run; `w`: signs. Of lines and
 * areas, `f`: triangles; `e`, `a`: edges and arrowheads; `g`, `r`: the ground and a line on it;
 * `o`, `k`: open boxes, and the band behind their titles; `x`, `u`: strips and slanting lines;
 * `v`: the ground of signs; `q`: the border of
 * a layer that differs; `h`, `l`: what is selected, and its edges; `i`, `j`: rings; `p`:
 * what is faint. */
function themeOf(colours: Colours, marks: Marks, signs: readonly DifferenceKind[]): string {
  const { ground, ink, faint, edge, paints } = colours;
  const classes = marks.colours ? usedClasses(marks.colours) : [UNKNOWN_CLASS];
  const signed = new Set([...signs, ...classes.flatMap((one) => (one.sign ? [one.paint] : []))]);
  return [
    `text{fill:${ink}}`,
    `.n,.m,.t,.f{fill:${faint}}`,
    `.t{stroke:${ground}}`,
    `.e{stroke:${edge}}`,
    `.a{fill:${edge}}`,
    `.g,.r{fill:${ground};stroke:${edge}}`,
    ...[...new Set(classes.map(({ paint }) => paint))].map((name) =>
      paint(`.${name}`, paints[name]),
    ),
    ...[...signed].map((name) => `.v.${name}{fill:${paints[name]!.line}}`),
    ...(isMarked(marks) ? marked(colours) : []),
    `.o,.w{fill:${ground}}`,
  ].join('\n');
}

/** The classes of boxes and of what is inside them. */
function usedClasses({ classes, of, within }: Colouring): ColourClass[] {
  const used = new Set<number>(of);
  for (const counts of within) {
    counts?.forEach((count, one) => {
      if (count > 0) used.add(one);
    });
  }
  return classes.filter((_, one) => used.has(one));
}

/** The rule for parts in the colours of a class. */
const paint = (selector: string, own: Paint | undefined): string =>
  own ? `${selector}{fill:${own.fill};stroke:${own.line}}` : '';

/** The rules for the selection, matches and links. */
function marked({ match, paints }: Colours): string[] {
  const { line = match } = paints.selected ?? {};
  return [
    paint('.h', paints.selected),
    `.e.l,.j{stroke:${line}}`,
    `.a.l{fill:${line}}`,
    `.i{stroke:${match}}`,
  ];
}

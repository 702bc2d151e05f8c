import { type Colouring, signsOf } from '../facts/colours/colouring';
import { isPill } from '../layout/caption';
import { APART, BOX, CHIP, FOLD, FONT, FRAME, PILL, SMALL, textWidth } from '../layout/measure';
import type { Box, Edge, Scene } from '../layout/scene';
import { BADGE, badges } from './badge';
import { arrowhead, curve } from './curve';
import { type Heading, headingParts, heightOf, widthOf } from './heading';
import { escaped, oneLined, px, text } from './markup';
import { styleOf } from './style';

/** Px: a wider picture is made smaller. */
const WIDEST = 1000;
/** How round the corners of a box are. */
const ROUND = 4;
/** Between the middle of an edge's label and its line. */
const OFF = 9;

/** A scene as SVG under its heading, on a ground of its own: shapes, escaped text and one style. */
export function svgOf(scene: Scene, heading: Heading, colours: Colouring): string {
  const width = Math.max(scene.width, widthOf(heading));
  const top = heightOf(heading);
  return [
    opening(width, scene.height + top, heading),
    `<style>${styleOf(colours.classes)}</style>`,
    `<rect class="g" x=".5" y=".5" ${size(width - 1, scene.height + top - 1)} rx="8"/>`,
    ...headingParts(heading, width),
    `<g transform="translate(${px((width - scene.width) / 2)} ${top})">`,
    ...sceneParts(scene, colours),
    '</g></svg>\n',
  ].join('\n');
}

function opening(width: number, height: number, { name, about, count }: Heading): string {
  const scale = Math.min(1, WIDEST / width);
  const view = `viewBox="0 0 ${px(width)} ${px(height)}"`;
  const said = `<desc>${escaped(`${name}${about}: ${count}`)}</desc>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size(width * scale, height * scale)} ${view}` +
    ` role="img">\n<title>${escaped(name)}</title>${said}`
  );
}

const size = (width: number, height: number): string =>
  `width="${px(width)}" height="${px(height)}"`;

/** From behind to the front: open boxes, edges, closed boxes, and what is written beside them. */
function sceneParts({ boxes, edges, mentions }: Scene, colours: Colouring): string[] {
  const paint = (index: number) => colours.classes[colours.of[index] ?? 0]?.paint ?? 'group';
  const all = boxes.map((box, index) => ({ box, index }));
  return [
    ...all.flatMap(({ box, index }) => (box.open ? [opened(box, paint(index))] : [])),
    ...edgeParts(edges),
    ...all.flatMap(({ box, index }) => (box.open ? [] : [closed(box, paint(index))])),
    ...all.flatMap(({ box, index }) => signParts(box, colours, index)),
    ...boxes.flatMap(({ type, typeX, typeY }) =>
      type === '' ? [] : [text('t', typeX, typeY + 8, type)],
    ),
    ...mentions.map((one) => text('m', one.x + one.w / 2, one.y + one.h / 2 + 3, one.text)),
    ...edges.flatMap(labels),
  ];
}

/** Over the upper left corner; wide ones higher, where they reach before the box's own text. */
function signParts({ x, y }: Box, colours: Colouring, index: number): string[] {
  const signs = signsOf(colours, index).map((sign) => ({
    paint: colours.classes[sign.class]!.paint,
    text: sign.text,
  }));
  const isWide = signs.reduce((sum, sign) => sum + sign.text.length, 0) > 1;
  return badges(signs, x - 9, y - (isWide ? BADGE - 3 : 8));
}

/** Its border and a band behind its title. Edges enter above the title and go on below it. */
function opened(box: Box, paint: string): string {
  const { x, y, w } = box;
  const band =
    `<path class="${paint} k" d="M${px(x + 0.5)} ${px(y + FRAME.title)}v-20q0-3.5 3.5-3.5` +
    `h${px(w - 8)}q3.5 0 3.5 3.5v20z"/>`;
  return rect(`${paint} o`, box, ROUND) + band + texts(box);
}

function closed(box: Box, paint: string): string {
  const round = isPill(box.item) || box.item.free ? box.h / 2 : ROUND;
  return rect(paint, box, round) + texts(box);
}

const rect = (kind: string, { x, y, w, h }: Box, round: number): string =>
  `<rect class="${kind}" x="${px(x)}" y="${px(y)}" ${size(w, h)} rx="${px(round)}"/>`;

function texts({ item, label, note, count, open, x, y, w, h }: Box): string {
  const { side } = isPill(item) ? PILL : item.free ? CHIP : BOX;
  const middle = y + (open ? FRAME.title : h) / 2 + 0.5;
  const noted = note === '' ? 0 : APART + textWidth(note);
  const whole = textWidth(label, item.free ? SMALL : FONT) + noted;
  const aligned = item.foldable || count !== '';
  const fold = item.foldable ? FOLD : 0;
  const begin = x + fold + (aligned ? side : Math.max(side, (w - whole) / 2));
  const faint = `<tspan class="n" dx="${APART}">${oneLined(note)}</tspan>`;
  return [
    fold > 0 ? triangle(x + side, middle, open) : '',
    `<text${item.free ? ' class="s"' : ''} x="${px(begin)}" y="${px(middle + 3.5)}">`,
    `${oneLined(label)}${note === '' ? '' : faint}</text>`,
    open || count === '' ? '' : text('n c', x + w - side, middle + 3.5, count),
  ].join('');
}

const triangle = (x: number, y: number, open: boolean): string =>
  open
    ? `<path class="f" d="M${px(x - 1)} ${px(y - 2.5)}h8l-4 5.5z"/>`
    : `<path class="f" d="M${px(x)} ${px(y - 4)}l6 4-6 4z"/>`;

/** What flows on, what returns, and all arrowheads. Cut edges are not drawn: mentions are. */
function edgeParts(edges: readonly Edge[]): string[] {
  const drawn = edges.filter(({ cut }) => !cut);
  const path = (kind: string, steps: readonly string[]) =>
    steps.length === 0 ? [] : [`<path class="${kind}" d="${steps.join('')}"/>`];
  const some = (returns: boolean) => drawn.filter((edge) => edge.returns === returns);
  return [
    ...path('e', some(false).map(curve)),
    ...path('d', some(true).map(curve)),
    ...path('a', drawn.filter(({ arrow }) => arrow).map(arrowhead)),
  ];
}

/** What is carried from lane to lane, above and below the edge. */
function labels({ label, note, labelX, labelY }: Edge): string[] {
  const y = labelY + 3;
  return [
    ...(label === '' ? [] : [text('m', labelX, y - OFF, label)]),
    ...(note === '' ? [] : [text('m', labelX, y + OFF, note)]),
  ];
}

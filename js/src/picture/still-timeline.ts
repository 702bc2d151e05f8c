/** Makes the static picture of a log, its timeline, which notebooks save for readers where no script runs. */
import { wholeOf } from '../facts/events/log-events';
import {
  type Lane,
  lanesOf,
  type Scale,
  stretchesOf,
  type Tick,
  ticksOf,
} from '../facts/events/log-lanes';
import { placeOf, timeText } from '../facts/text/describe';
import { thousands } from '../language';
import { FONT, head, oneLine, type Rect, SMALL, tail, textWidth } from '../layout/measure';
import type { Log } from '../schema';
import {
  compiledText,
  countsText,
  legendOf,
  type TimelineMark,
  totalOf,
} from '../words/events/log-words';
import { type Colours, DARK, LIGHT } from './colours';
import { laneHeight, laneShapes } from './lane-shapes';
import { escaped, FAMILY, pathOf, px, straight, text } from './pen';
import {
  cross,
  type Drawn,
  diagonals,
  filled,
  inksOf,
  type Line,
  rect,
  type Shape,
  stroked,
  triangle,
} from './shapes';

/** Px: the width of the picture, of its column of names, and of the space at the sides; the height of the axis, of
 * the row of ops outside jit, and of a line of the legend. */
const TIMELINE_WIDTH = 760;

const NAMES_WIDTH = 270;

const SIDE_SPACE = 10;

const AXIS_HEIGHT = 22;

const OPS_HEIGHT = 38;

const LEGEND_LINE = 16;

/** The most functions that are drawn: those that took longest. */
const MOST_LANES = 12;

/** A row of the timeline: two lines of two texts each, and the shapes beside them. */
interface Row {
  height: number;
  first: [string, string];
  second: [string, string];
  shapes: Shape[];
}

/** The static picture of a log: an SVG of the timeline as the page shows it at first, at most 60 kB for a thousand
 * events. Throws if nothing was traced or compiled. */
export function timeline(log: Log): string {
  if (log.functions.length + log.ops.length === 0) throw new Error('there is nothing to draw.');
  const lanes = lanesOf(log).slice(0, MOST_LANES);
  const scale = { ...wholeOf(log), width: TIMELINE_WIDTH - NAMES_WIDTH - SIDE_SPACE };
  const ticks = ticksOf(scale);
  const ops = log.ops.length > 0 ? [opsRow(log, scale, ticks)] : [];
  const parts = axisParts(ticks, scale);
  let top = AXIS_HEIGHT;
  for (const row of [...lanes.map((lane) => laneRow(log, lane, scale, ticks)), ...ops]) {
    parts.push(...rowParts(row, top));
    top += row.height;
  }
  const legend = legendParts(log, log.functions.length - lanes.length);
  return framed([...parts, ruler(top), moved(0, top, legend.parts)], top + legend.height);
}

/** Lines of text as one SVG, on a ground of its own. */
export function textPicture(lines: string): string {
  const rows = lines.split('\n');
  const widest = Math.max(...rows.map((row) => textWidth(row, FONT)));
  const parts = rows.map((row, at) => {
    const place = `x="${SIDE_SPACE}" y="${(at + 1) * TEXT_LINE}"`;
    return `<text class="ink t" xml:space="preserve" ${place}>${escaped(row)}</text>`;
  });
  const size = { width: Math.ceil(widest) + 2 * SIDE_SPACE, height: (rows.length + 1) * TEXT_LINE };
  return framed(parts, size.height, size.width, rows[0]);
}

/** The height of a line of text, px. */
const TEXT_LINE = 17;

/** The parts as one SVG, on a ground of its own. */
function framed(
  parts: readonly string[],
  height: number,
  width = TIMELINE_WIDTH,
  title = 'What JAX traced, lowered and compiled, and when',
): string {
  const ground = `x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="5"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"` +
      ` viewBox="0 0 ${width} ${height}">`,
    `<title>${escaped(title)}</title><style>${TIMELINE_STYLE}</style>`,
    `<rect class="ground" ${ground}/><rect class="edge l" opacity=".4" ${ground}/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

/** The row of a function. */
function laneRow(log: Log, lane: Lane, scale: Scale, ticks: readonly Tick[]): Row {
  const { name, definition, seconds } = lane.function;
  return {
    height: laneHeight(lane),
    first: [name, timeText(seconds)],
    second: [definition ? placeOf(definition) : '', countsText(lane.function)],
    shapes: laneShapes({ log, lane, scale, ticks, selected: null, marked: new Set() }),
  };
}

/** The row of ops that were compiled one by one, outside jit. */
function opsRow(log: Log, scale: Scale, ticks: readonly Tick[]): Row {
  const { compiles, seconds } = totalOf(log);
  const lines = ticks.map((tick) => rect({ x: Math.round(tick.px), y: 0, w: 1, h: OPS_HEIGHT }));
  const stretches = stretchesOf(log, scale);
  const bars = stretches.map(({ left, width }) => rect({ x: left, y: 16, w: width, h: 14 }));
  return {
    height: OPS_HEIGHT,
    first: ['op by op', timeText(seconds)],
    second: ['outside jit', compiledText(compiles)],
    shapes: [filled('edge', lines, 0.3), filled('compile', bars, 0.75)],
  };
}

/** The axis with its times. */
function axisParts(ticks: readonly Tick[], { width }: Scale): string[] {
  const lines = ticks.map((tick) => rect({ x: Math.round(tick.px), y: 0, w: 1, h: AXIS_HEIGHT }));
  const fits = (tick: Tick) => tick.px + 4 + textWidth(tick.text, SMALL) < width;
  return [
    text('faint', SIDE_SPACE, 15, 'function'),
    moved(NAMES_WIDTH, 0, [
      shapeMarkup(filled('edge', lines, 0.5)),
      ...ticks.filter(fits).map((tick) => text('faint', tick.px + 4, 15, tick.text)),
    ]),
  ];
}

/** A row as SVG. */
function rowParts({ height, first, second, shapes }: Row, top: number): string[] {
  const middle = top + height / 2;
  const [[name, took], [, counts]] = [first, second];
  const place = tail(oneLine(second[0]), roomBeside(counts, SMALL));
  const right = NAMES_WIDTH - SIDE_SPACE;
  return [
    ruler(top),
    text('ink b', SIDE_SPACE, middle - 3, head(oneLine(name), roomBeside(took, FONT))),
    text('ink t c', right, middle - 3, took),
    ...(place === '' ? [] : [text('faint', SIDE_SPACE, middle + 11, place)]),
    text('faint c', right, middle + 11, counts),
    moved(NAMES_WIDTH, top, shapes.map(shapeMarkup)),
  ];
}

/** The columns that are free beside another text, in the part with the names. */
const roomBeside = (other: string, size: number): number =>
  Math.floor((NAMES_WIDTH - 3 * SIDE_SPACE - textWidth(other, size)) / textWidth(' ', size));

/** A line between two rows. */
const ruler = (y: number): string =>
  `<path class="edge l" opacity=".4" d="M1 ${y}H${TIMELINE_WIDTH - 1}"/>`;

/** Parts of an SVG, moved by (x, y) px. */
const moved = (x: number, y: number, parts: readonly string[]): string =>
  ['<g transform="translate(', `${x} ${px(y)}`, ')">', parts.join('\n'), '</g>'].join('');

/** The meanings of the marks, and the number of functions that are not drawn. */
function legendParts(log: Log, left: number): { parts: string[]; height: number } {
  const parts: string[] = [];
  let [x, y] = [SIDE_SPACE, LEGEND_LINE];
  for (const { mark, text: meaning } of legendOf(log)) {
    const wide = SAMPLE_WIDTH + 5 + textWidth(meaning, SMALL);
    if (x + wide > TIMELINE_WIDTH - SIDE_SPACE) [x, y] = [SIDE_SPACE, y + LEGEND_LINE];
    parts.push(
      ...SAMPLES[mark](x, y).map(shapeMarkup),
      text('faint', x + SAMPLE_WIDTH + 5, y, meaning),
    );
    x += wide + 14;
  }
  if (left > 0) {
    y += LEGEND_LINE;
    const functions = left === 1 ? 'function is' : 'functions are';
    const rest = `${thousands(left)} more ${functions} not drawn: those that took least.`;
    parts.push(text('faint', SIDE_SPACE, y, rest));
  }
  return { parts, height: y + 8 };
}

/** The width of a sample in the legend, px. */
const SAMPLE_WIDTH = 16;

/** The samples in the legend, on a line at `y`. */
const SAMPLES: Record<TimelineMark, (x: number, y: number) => Drawn[]> = {
  trace: (x, y) => [filled('trace', [sample(x, y)])],
  lower: (x, y) => [filled('lower', [sample(x, y)])],
  compile: (x, y) => [filled('compile', [sample(x, y)])],
  again: (x, y) => [filled('ink', [triangle(x + 9, y - 1)])],
  error: (x, y) => [stroked('failed', cross(x + 9, y - 1), 2)],
  cached: (x, y) => [
    filled('compile', [sample(x, y)]),
    stroked('ground', diagonals(sampleRect(x, y), 6), 2, 0.5),
  ],
  implied: (x, y) => [
    stroked('trace', [rect({ x: x + 0.5, y: y - 7.5, w: SAMPLE_WIDTH - 1, h: 8 })], 1),
  ],
  hits: (x, y) => [filled('faint', [rect({ x, y: y - 6, w: SAMPLE_WIDTH, h: 5 })], 0.5)],
  gap: (x, y) => [stroked('gap', diagonals(sampleRect(x, y), 5), 1)],
};

const sampleRect = (x: number, y: number): Rect => ({ x, y: y - 8, w: SAMPLE_WIDTH, h: 9 });

const sample = (x: number, y: number): Line => rect(sampleRect(x, y));

/** A shape as SVG. */
function shapeMarkup(shape: Shape): string {
  const alpha = shape.alpha === 1 ? '' : ` opacity="${shape.alpha}"`;
  if ('text' in shape) return text(shape.ink, shape.x, shape.y, shape.text);
  const { ink, pen, lines } = shape;
  if (lines.length === 0) return '';
  const kind = pen === null ? ink : `${ink} l`;
  const wide = pen === null || pen === 1 ? '' : ` stroke-width="${pen}"`;
  return `<path class="${kind}"${wide}${alpha} d="${pathOf((path) => straight(path, lines))}"/>`;
}

/** The style of each colour, by its name. */
const coloured = (colours: Colours): string =>
  Object.entries(inksOf(colours, (name) => colours.paints[name]!))
    .map(([name, colour]) => `.${name}{color:${colour}}`)
    .join('');

/** The style sheet: light, or dark if the reader's system is. */
const TIMELINE_STYLE = `svg{font:${SMALL}px ${FAMILY}}
path,rect,text{fill:currentColor}
.l{fill:none;stroke:currentColor}
.b,.t{font-size:${FONT}px}
.b{font-weight:bold}
.c{text-anchor:end}
${coloured(LIGHT)}
@media (prefers-color-scheme:dark){${coloured(DARK)}}`;

/** Shapes of the timeline in named colours. The page paints them on a canvas; the still timeline writes them as SVG. */
import type { EventKind } from '../facts/kinds';
import type { Rect } from '../layout/measure';
import type { Colours, Paint } from './colours';
import { contrast } from './rgb';

/** The colour class whose colours each kind of events has. */
const KIND_PAINTS = {
  trace: 'contraction',
  lower: 'control',
  compile: 'reduction',
} as const satisfies Record<EventKind, string>;

/** The colours of the timeline, by name: those of each kind of events and of a text on it, of the
 * frame around a call, and of the gap where events are not listed. */
export type Ink =
  | 'ground'
  | 'ink'
  | 'faint'
  | 'edge'
  | 'failed'
  | 'selected'
  | 'call'
  | 'gap'
  | EventKind
  | `on-${EventKind}`;

/** The points of a line: x and y in turn, px. With more than two, the last leads back to the
 * first. */
export type Line = readonly number[];

/** Lines in one colour, or the areas within them. */
export interface Drawn {
  ink: Ink;
  alpha: number;
  /** The width of the lines, px; null where their areas are filled. */
  pen: number | null;
  lines: readonly Line[];
}

/** A small text that begins at a point of its baseline. */
export interface Label {
  ink: Ink;
  alpha: number;
  text: string;
  x: number;
  y: number;
}

/** A shape of a lane. */
export type Shape = Drawn | Label;

export const filled = (ink: Ink, lines: readonly Line[], alpha = 1): Drawn => {
  return { ink, alpha, pen: null, lines };
};

export const stroked = (ink: Ink, lines: readonly Line[], pen: number, alpha = 1): Drawn => {
  return { ink, alpha, pen, lines };
};

export const rect = ({ x, y, w, h }: Rect): Line => [x, y, x + w, y, x + w, y + h, x, y + h];

/** The mark of a retrace or recompilation: a triangle that points down to (x, y). */
export const triangle = (x: number, y: number): Line => [x, y, x - 4, y - 6, x + 4, y - 6];

/** The mark of a failure: a cross above (x, y). */
export const cross = (x: number, y: number): Line[] => [
  [x - 3, y - 6, x + 3, y],
  [x + 3, y - 6, x - 3, y],
];

/** Lines that rise to the right, `step` px apart, within a rectangle. */
export function diagonals({ x, y, w, h }: Rect, step: number): Line[] {
  const lines: Line[] = [];
  for (let at = Math.floor(x / step) * step - h; at < x + w; at += step) {
    const [from, to] = [Math.max(at, x), Math.min(at + h, x + w)];
    if (from < to) lines.push([from, y + h - (from - at), to, y + h - (to - at)]);
  }
  return lines;
}

/** Joins shapes of one colour, opacity and line width. They must not overlap. */
export function together(shapes: readonly Drawn[]): Drawn[] {
  const found = new Map<string, Drawn>();
  for (const shape of shapes) {
    const key = `${shape.ink} ${shape.alpha} ${shape.pen}`;
    const before = found.get(key)?.lines ?? [];
    found.set(key, { ...shape, lines: [...before, ...shape.lines] });
  }
  return [...found.values()];
}

/** The colours of the timeline. `paint` returns the colours of a colour class. */
export function inksOf(
  { ground, ink, faint, edge, match }: Omit<Colours, 'paints'>,
  paint: (name: string) => Paint,
): Record<Ink, string> {
  const { fill, line } = paint('group');
  const of = (kind: EventKind) => paint(KIND_PAINTS[kind]).line;
  return {
    ...{ ground, ink, faint, edge, failed: match, call: fill, gap: line },
    ...{ selected: paint('selected').line },
    ...{ trace: of('trace'), lower: of('lower'), compile: of('compile') },
    'on-trace': readableOn(of('trace')),
    'on-lower': readableOn(of('lower')),
    'on-compile': readableOn(of('compile')),
  };
}

/** Black or white, whichever is easier to read on a colour. */
const readableOn = (fill: string): string =>
  contrast(fill, '#000000') > contrast(fill, '#ffffff') ? '#000000' : '#ffffff';

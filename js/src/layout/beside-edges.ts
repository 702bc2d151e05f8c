/** Where the type of each box is written: below it, beside where its edges leave it. */
import type { Frame } from './frame';
import { BESIDE_EDGE } from './item-boxes';
import { FRAME, SMALL, textWidth, underBox } from './measure';

/** The most px by which a text may stand out left of its box, where nothing else is written. */
const OVERHANG = 20;
/** The height of a band of the frame, px. */
const BAND = 64;
/** At so many places a stroke is looked at. */
const PLACES = 8;

/** Writes types on the right of where the edges leave, or on the left where one would run through the text on the
 * right and none does there. */
export function besideEdges({ cells, routes, title }: Frame, rowGap: number): void {
  const strokes = new Strokes(routes);
  const least = title === 0 ? 0 : FRAME.side / 2;
  for (const cell of cells) {
    const width = textWidth(cell.type, SMALL);
    const middle = cell.x + cell.w / 2;
    const [left, right] = [middle - BESIDE_EDGE - width, middle + BESIDE_EDGE];
    cell.typeX = right;
    cell.typeY = cell.y + cell.h + underBox(rowGap);
    if (cell.type === '' || left < Math.max(least, cell.x - OVERHANG)) continue;
    const isCrossed = (x: number) => strokes.cross(x, cell.typeY, width, SMALL);
    if (isCrossed(right) && !isCrossed(left)) cell.typeX = left;
  }
}

/** A part of an edge between two of its points, x and y in turn. */
type Stroke = readonly [number, number, number, number];

/** The parts of all edges that are drawn, by the bands through which they run. */
export class Strokes {
  private readonly bands = new Map<number, Stroke[]>();

  constructor(routes: readonly { readonly points: readonly number[]; cut: boolean }[]) {
    for (const { points, cut } of routes) {
      if (cut) continue;
      for (let at = 0; at + 3 < points.length; at += 2) {
        this.add([points[at]!, points[at + 1]!, points[at + 2]!, points[at + 3]!]);
      }
    }
  }

  private add(stroke: Stroke): void {
    const [, y0, , y1] = stroke;
    const last = Math.floor(Math.max(y0, y1) / BAND);
    for (let band = Math.floor(Math.min(y0, y1) / BAND); band <= last; band++) {
      const known = this.bands.get(band);
      if (known) known.push(stroke);
      else this.bands.set(band, [stroke]);
    }
  }

  /** Whether any runs through a rectangle lower than a band. */
  cross(x: number, y: number, w: number, h: number): boolean {
    const bands = new Set([Math.floor(y / BAND), Math.floor((y + h) / BAND)]);
    return [...bands].some((band) =>
      this.bands.get(band)?.some((stroke) => runsThrough(stroke, x, y, w, h)),
    );
  }
}

/** Whether a stroke runs through a rectangle: straight where it is level or upright, else as a cubic whose tangents
 * are upright at both ends. */
function runsThrough([x0, y0, x1, y1]: Stroke, x: number, y: number, w: number, h: number) {
  if (Math.max(x0, x1) <= x || Math.min(x0, x1) >= x + w) return false;
  if (Math.max(y0, y1) <= y || Math.min(y0, y1) >= y + h) return false;
  if (x0 === x1 || y0 === y1) return true;
  for (let place = 0; place <= PLACES; place++) {
    const t = place / PLACES;
    const across = x0 + (x1 - x0) * t * t * (3 - 2 * t);
    const down = y0 + ((y1 - y0) * t * (3 - t * (3 - 2 * t))) / 2;
    if (down > y && down < y + h && across > x && across < x + w) return true;
  }
  return false;
}

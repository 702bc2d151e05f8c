/** Finds the rows below which links first run upright, beside the texts of the row: there, a link that bends at once
 * would run through a text that has no other place. */
import { BESIDE_EDGE, type Rect, SMALL, underBox } from '../measure';
import { CLEAR, placesOf, widened } from '../texts/beside-edges';
import { runsThrough } from '../texts/strokes';
import type { Rows } from './layering';
import { type Extent, sidesOf } from './placing';
import type { Layered, Neighbours, Region } from './region';
import { type Bands, centreOf } from './stacking';

/** A region whose nodes have their x. */
interface Across {
  region: Region;
  graph: Layered;
  near: Neighbours;
  rows: Rows;
  extent: Extent;
  x: Float64Array;
  /** The px right of its target's centre at which each edge enters. */
  entering: Float64Array;
  /** The bands of the rows if all links bend at once. */
  bands: Bands;
}

/** Px between a text and the links that bend below it. */
const BELOW_TEXT = 1;
/** The px that a text may extend beyond the sides of its component. */
const OUTSIDE = 13;
/** If rows are this far apart, texts stay below their boxes, since upright links need no more room. */
const ROOMY = 26;

/** For each row, the px below it in which its links run upright, or 0; undefined if all links may bend at once. `gap`
 * is the px between two rows. */
export function besideTexts(across: Across, gap: number): Float64Array | undefined {
  const { region, graph, rows, extent, x } = across;
  if (!region.reach || graph.source.length === 0) return undefined;
  let upright: Float64Array | undefined;
  const finder = new Finder(across, gap);
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const [first, stop] = [rows.first[c]!, rows.first[c + 1]!];
    if (stop - first > 1) finder.sides = sidesOf(rows, extent, x, first, stop);
    for (let r = first; r + 1 < stop; r++) {
      if (!finder.needsRoom(r)) continue;
      upright ??= new Float64Array(rows.start.length - 1);
      upright[r] = underBox(gap) + SMALL + BELOW_TEXT;
    }
  }
  return upright;
}

class Finder {
  /** The left and right side of the current component, px. */
  sides: readonly [number, number] = [0, 0];
  /** The x at which each link meets its target. */
  private readonly enters: Float64Array;
  /** The slanting links below the current row: the x of both ends in turn. */
  private links: number[] = [];

  constructor(
    private readonly across: Across,
    private readonly gap: number,
  ) {
    const { graph, x, entering } = across;
    this.enters = new Float64Array(graph.target.length);
    for (let l = 0; l < graph.target.length; l++) this.enters[l] = x[graph.target[l]!]!;
    for (let e = 0; e < entering.length; e++) {
      const l = graph.last[e]!;
      if (l !== -1) this.enters[l]! += entering[e]!;
    }
  }

  /** True if a link below a row would run through a text that has no other place. */
  needsRoom(r: number): boolean {
    const { start, order } = this.across.rows;
    this.findLinks(r);
    if (this.links.length === 0) return false;
    for (let i = start[r]!; i < start[r + 1]!; i++) {
      const text = this.textOf(r, order[i]!);
      if (!text || !this.isCrossed(r, text)) continue;
      const places = placesOf(this.boxOf(r, order[i]!), text);
      if (!places.some((one) => this.isFree(r, i, one, one.y === text.y))) return true;
    }
    return false;
  }

  private findLinks(r: number): void {
    const { graph, rows, near, x } = this.across;
    this.links.length = 0;
    for (let i = rows.start[r]!; i < rows.start[r + 1]!; i++) {
      const v = rows.order[i]!;
      for (let k = near.down.start[v]!; k < near.down.start[v + 1]!; k++) {
        const l = near.down.link[k]!;
        const from = x[v]! + graph.sourceX[l]!;
        if (from !== this.enters[l]!) this.links.push(from, this.enters[l]!);
      }
    }
  }

  private boxOf(r: number, v: number): Rect {
    const { region, x } = this.across;
    const [w, h] = [region.width[v]!, region.height[v]!];
    const middle = centreOf(this.across.bands.top[r]!, this.across.bands.bottom[r]!, h);
    return { x: x[v]! - w / 2, y: middle - h / 2, w, h };
  }

  /** The text of a node at its first place; null if it has none. */
  private textOf(r: number, v: number): Rect | null {
    const { region, graph, x } = this.across;
    const reach = v < graph.boxes ? region.reach![v]! : 0;
    if (reach === 0) return null;
    const { y, h } = this.boxOf(r, v);
    const under = y + h + underBox(this.gap);
    return { x: x[v]! + BESIDE_EDGE, y: under, w: reach - BESIDE_EDGE, h: SMALL };
  }

  private isCrossed(r: number, text: Rect): boolean {
    const { links } = this;
    const { bands } = this.across;
    const [high, low] = [bands.bottom[r]!, bands.top[r + 1]!];
    for (let at = 0; at < links.length; at += 2) {
      if (runsThrough(text, links[at]!, high, links[at + 1]!, low)) return true;
    }
    return false;
  }

  /** True if a place of the text of the node at `i`, in the order of all rows, is free. */
  private isFree(r: number, i: number, place: Rect, isBelow: boolean): boolean {
    const { rows, extent, x } = this.across;
    const { order, start } = rows;
    const [left, right] = this.sides;
    const end = place.x + place.w;
    if (!isBelow && this.gap >= ROOMY) return false;
    if (place.x < left - OUTSIDE || end > right + OUTSIDE) return false;
    const clear = (v: number) =>
      v >= this.across.graph.boxes ? CLEAR.edges : isBelow ? CLEAR.below : CLEAR.beside;
    if (i > start[r]!) {
      const v = order[i - 1]!;
      if (x[v]! + extent.right[v]! + clear(v) > place.x) return false;
    }
    if (i + 1 < start[r + 1]!) {
      const v = order[i + 1]!;
      if (x[v]! - extent.left[v]! - clear(v) < end) return false;
    }
    return !this.isCrossed(r, widened(place, CLEAR.edges));
  }
}

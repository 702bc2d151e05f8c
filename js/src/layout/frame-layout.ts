/** Lays out the inside of one open item, or of the whole program: its boxes, its edges, and the names of cut edges. */
import type { Item } from '../facts/outline';
import { type Caption, sizeOf } from './caption';
import type { Cell, Frame, Mention, Route } from './frame';
import {
  PICK_START,
  type Placed,
  type Plan,
  placeItems,
  type Sketch,
  START_GAP,
  sketchOf,
  startCaption,
  startsIn,
} from './item-boxes';
import { BESIDE_EDGE, FRAME, underBox } from './measure';
import { gathered, MENTION, mentionText, mentionWidth, uncrowded } from './mentions';
import { BORDER, type End, PICK, PLAIN, type Port, type Wire } from './wires';

/** The most times that a frame is laid out because further wires turn out too long to draw. In the last round, all
 * wires without a name are drawn. */
const MOST_ROUNDS = 3;

export function layoutFrame(whole: Plan): Frame {
  const { wiring, named, outward } = uncrowded(whole.wiring);
  let plan = { ...whole, wiring };
  let cut = named;
  let sketch = sketchOf(plan, cut);
  let placed = placeItems(plan, sketch, cut);
  let { leastWide } = placed.placement;
  for (let round = 1; round < MOST_ROUNDS; round++) {
    const more = newlyCut(plan.wiring.wires, placed, cut);
    if (more.length === 0) break;
    const far = gathered(plan.wiring, [...cut, ...more]);
    plan = { ...plan, wiring: far.wiring };
    cut = far.cut;
    sketch = sketchOf(plan, cut);
    placed = placeItems(plan, sketch, cut, round + 1 < MOST_ROUNDS);
    leastWide = Math.max(leastWide, placed.placement.leastWide);
  }
  const frame = new Framing(plan, sketch, placed, cut, leastWide).frame();
  for (const wire of outward) {
    const [x, y] = leaving(frame, wire.source, 0) as [number, number];
    frame.routes.push({ wire, points: [x, y, x, frame.h], cut: true });
  }
  return frame;
}

function newlyCut(wires: readonly Wire[], placed: Placed, cut: readonly number[]): number[] {
  const before = new Set(cut);
  return wires.flatMap((_, index) =>
    placed.placement.cut[placed.edge[index]!] && !before.has(index) ? [index] : [],
  );
}

/** Makes a frame from a region that is laid out. */
class Framing {
  /** The position of the region in the frame, px. */
  private readonly left: number;
  private readonly top: number;
  private readonly w: number;
  private readonly h: number;

  constructor(
    private readonly plan: Plan,
    private readonly sketch: Sketch,
    private readonly placed: Placed,
    private readonly cut: readonly number[],
    private readonly leastWide: number,
  ) {
    const { title, wiring } = plan;
    const { width, height } = placed.placement;
    const side = title === 0 ? 0 : FRAME.side;
    const end = title === 0 || wiring.exits.length > 0 ? 0 : FRAME.end;
    this.top = title === 0 ? 0 : FRAME.title + (wiring.entries.length > 0 ? 0 : FRAME.end);
    this.w = Math.ceil(Math.max(width + 2 * side, title));
    this.left = (this.w - width) / 2;
    this.h = this.top + height + end;
  }

  frame(): Frame {
    const { wiring, title } = this.plan;
    const { entry, exit } = this.placed;
    const frame: Frame = {
      w: this.w,
      h: this.h,
      title: title === 0 ? 0 : FRAME.title,
      up: false,
      leastWide: this.leastWide,
      cells: this.cells(),
      mentions: this.mentions(),
      routes: [],
      links: [],
      entries: this.ports(wiring.entries, entry),
      exits: this.ports(wiring.exits, exit),
    };
    frame.routes = this.routes(frame);
    this.addStarts(frame);
    return frame;
  }

  private cells(): Cell[] {
    const { captions, types, width, height, aside, above } = this.sketch;
    const heads = this.headsOfColumns();
    const under = underBox(this.plan.shape.rowGap);
    return this.plan.items.map((item, at) => {
      const [box, w, h] = [this.placed.item[at]!, width[at]!, height[at]!];
      const rect = this.corner(box, w, h, aside[at], above[at]);
      return {
        item,
        caption: captions[at] as Caption,
        inner: this.plan.inner[at] ?? null,
        type: types[at] as string,
        typeX: rect.x + w / 2 + BESIDE_EDGE,
        typeY: rect.y + h + under,
        column: heads.get(at) ?? 0,
        ...rect,
      };
    });
  }

  /** The number of a column, by the first of its items. */
  private headsOfColumns(): Map<number, number> {
    const { item, placement } = this.placed;
    const first = new Map<number, number>();
    item.forEach((box, at) => {
      const column = placement.column[box]!;
      const head = item[first.get(column) ?? -1];
      const isHigher = head === undefined || placement.rank[box]! < placement.rank[head]!;
      if (column > 0 && isHigher) first.set(column, at);
    });
    return new Map([...first].map(([column, at]) => [at, column]));
  }

  private mentions(): Mention[] {
    const { plan, placed } = this;
    return this.cut.flatMap((index): Mention[] => {
      const box = placed.mention[index];
      if (box === undefined) return [];
      const wire = plan.wiring.wires[index] as Wire;
      const spot = this.corner(box, mentionWidth(plan, index), MENTION.height);
      const points = wire.target.item === BORDER ? [] : this.pointsOf(index);
      return [{ wire, text: mentionText(plan, [index]), ...spot, points }];
    });
  }

  private routes(frame: Frame): Route[] {
    const mentioned = new Map(frame.mentions.map((mention) => [mention.wire, mention]));
    return this.plan.wiring.wires.map((wire, index) => {
      const mention = mentioned.get(wire);
      if (!mention) {
        const points = this.pointsOf(index);
        if (wire.target.item === BORDER) points[points.length - 1] = this.h;
        return { wire, points, cut: this.placed.placement.cut[this.placed.edge[index]!] === 1 };
      }
      const to = [mention.x + mention.w / 2, mention.y];
      return { wire, points: [...leaving(frame, wire.source, this.top), ...to], cut: true };
    });
  }

  private ports(vars: number[][], boxes: number[]): Port[] {
    const { x } = this.placed.placement;
    return vars.map((one, port) => ({ vars: one, x: this.left + x[boxes[port]!]! }));
  }

  /** The rectangle of a box with `aside` px on its left and `above` px over it, px from the corner of the frame. */
  private corner(box: number, w: number, h: number, aside = 0, above = 0) {
    const { x, y } = this.placed.placement;
    const [left, top] = [this.left + x[box]!, this.top + y[box]!];
    return { x: left + (aside - w) / 2, y: top + (above - h) / 2, w, h };
  }

  /** Adds the constants with which the values of open loops and choices start: each above the port of its value. */
  private addStarts(frame: Frame): void {
    this.plan.inner.forEach((inner, at) => {
      const box = frame.cells[at] as Cell;
      for (const entry of inner ? startsIn(inner) : []) {
        const item = entry.start as Item;
        const caption = startCaption(item);
        const { width: w, height: h } = sizeOf(item, caption);
        const middle = box.x + entry.x;
        const low = box.y - START_GAP;
        const source = { item: frame.cells.length, port: PLAIN };
        const target = { item: at, port: inner!.entries.indexOf(entry) };
        const wire = { source, target, vars: [...entry.vars] };
        frame.routes.push({ wire, points: [middle, low, middle, box.y], cut: false });
        const place = { x: middle - w / 2, y: low - h, w, h };
        frame.cells.push({ item, caption, inner: null, type: '', typeX: 0, typeY: 0, ...place });
      }
    });
  }

  /** The points of the edge of a wire. One that picks a branch turns to the side of its choice. */
  private pointsOf(wire: number): number[] {
    const { points, start } = this.placed.placement;
    const edge = this.placed.edge[wire]!;
    const own = Array.from(points.subarray(2 * start[edge]!, 2 * start[edge + 1]!));
    const moved = own.map((value, at) => value + (at % 2 === 0 ? this.left : this.top));
    const { item, port } = this.plan.wiring.wires[wire]!.target;
    const above = this.sketch.above[item] ?? 0;
    const [x, high] = moved.slice(-2) as [number, number];
    const top = high + above;
    if (port !== PICK) return above === 0 ? moved : [...moved, x, top];
    const level = top + (this.plan.inner[item] ? FRAME.title : this.sketch.height[item]!) / 2;
    return [...moved.slice(0, -1), level, x + this.sketch.aside[item]! - PICK_START, level];
  }
}

/** The point at which a wire leaves its source, px. */
function leaving(frame: Frame, source: End, top: number): number[] {
  if (source.item === BORDER) return [frame.entries[source.port]?.x ?? frame.w / 2, top];
  const cell = frame.cells[source.item] as Cell;
  const port = cell.inner?.exits[source.port];
  return [cell.x + (port ? port.x : cell.w / 2), cell.y + cell.h];
}

import { flowOf } from '../model/graph';
import type { Item } from '../model/outline';
import type { Graph, Stage } from '../schema';
import { type Caption, captionOf, isPill, nameOf, sizeOf, typesOf } from './caption';
import { FRAME, PORT, SMALL, textWidth } from './measure';
import { PIN, type Placement } from './placement';
import { layoutRegion } from './region';
import { BORDER, type End, isOutput, type Port, type Ports, type Wire, type Wiring } from './wires';

/** An item laid out. Its inside is laid out before, and only if it is open. */
export interface Cell {
  item: Item;
  caption: Caption;
  inner: Frame | null;
  /** Upper left corner, px from that of the frame. */
  x: number;
  y: number;
  w: number;
  h: number;
  /** What flows out of it, shown under it; empty where its inside shows that. */
  type: string;
}

/** A wire drawn. `points` as in a `Placement`, px from the frame's upper left corner. */
export interface Route {
  wire: Wire;
  points: number[];
  /** Too long to draw: the reference at its end tells where it comes from. */
  cut: boolean;
}

/** The end of a cut wire: the name of its values, beside their user. */
export interface Mention {
  wire: Wire;
  text: string;
  x: number;
  y: number;
  w: number;
  h: number;
  /** From the text to the user. */
  points: number[];
}

/** The inside of an open item, or of the whole program. */
export interface Frame extends Ports {
  w: number;
  h: number;
  cells: Cell[];
  routes: Route[];
  mentions: Mention[];
}

/** What is laid out, and what is known of it. */
export interface Plan {
  stage: Stage;
  graph: Graph;
  items: readonly Item[];
  inner: readonly (Frame | null)[];
  wiring: Wiring;
  /** Whether inputs are kept at the top and outputs at the bottom: those of a body. */
  pinned: boolean;
  /** Width of the title, px; 0 for the program, which has none. */
  title: number;
}

const MENTION = { height: 16, side: 4 };
/** Space between the label under a box and the edge that it belongs to. */
const BESIDE = 6;
const ROUNDS = 3;

export function layoutFrame(plan: Plan): Frame {
  const sketch = sketchOf(plan);
  let cut: number[] = [];
  let placed = place(plan, sketch, cut);
  for (let round = 1; round < ROUNDS; round++) {
    const more = newlyCut(plan.wiring.wires, placed, cut);
    if (more.length === 0) break;
    cut = [...cut, ...more].sort((a, b) => a - b);
    placed = place(plan, sketch, cut);
  }
  return frameOf(plan, sketch, placed, cut);
}

/** Each item's texts and size, before it has a place. */
interface Sketch {
  captions: Caption[];
  width: number[];
  height: number[];
  types: string[];
}

function sketchOf({ stage, graph, items, inner, wiring }: Plan): Sketch {
  const captions = items.map((item) => captionOf(item, graph));
  const sizes = items.map((item, at) => {
    const frame = inner[at];
    return frame ? { width: frame.w, height: frame.h } : sizeOf(item, captions[at] as Caption);
  });
  const leaving = items.map(() => new Set<number>());
  for (const { source, vars } of wiring.wires) {
    for (const one of vars) leaving[source.item]?.add(one);
  }
  return {
    captions,
    width: sizes.map(({ width }) => width),
    height: sizes.map(({ height }) => height),
    types: items.map((item, at) =>
      inner[at] || item.kind === 'gathered'
        ? ''
        : typesOf(stage, graph, [...(leaving[at] as Set<number>)]),
    ),
  };
}

/** A region with one box for each port, mention and item, and where each of these got its place. */
interface Placed {
  placement: Placement;
  entry: number[];
  exit: number[];
  item: number[];
  mention: number[];
  /** For each wire the edge that is routed; for a cut one that from its mention. */
  edge: number[];
}

function place(plan: Plan, sketch: Sketch, cut: readonly number[]): Placed {
  const { items, wiring, inner, pinned } = plan;
  const boxes = { width: [] as number[], height: [] as number[], pin: [] as number[] };
  const reach: number[] = [];
  const box = (width: number, height: number, pin: number, label = '') => {
    boxes.width.push(width);
    boxes.height.push(height);
    reach.push(label === '' ? 0 : BESIDE + textWidth(label, SMALL));
    return boxes.pin.push(pin) - 1;
  };
  const entry = wiring.entries.map(() => box(PORT.width, PORT.height, PIN.first));
  const mention: number[] = [];
  const waiting = mentionsBefore(plan, cut);
  const mentionAt = (target: number) => {
    for (const index of waiting.get(target) ?? []) {
      const wide = textWidth(mentionText(plan, index), SMALL) + 2 * MENTION.side;
      mention[index] = box(wide, MENTION.height, PIN.free);
    }
  };
  const item = items.map((one, at) => {
    mentionAt(at);
    const pin = pinOf(one, pinned);
    return box(sketch.width[at]!, sketch.height[at]!, pin, sketch.types[at]!);
  });
  mentionAt(BORDER);
  const exit = wiring.exits.map(() => box(PORT.width, PORT.height, PIN.last));

  const edges = { source: [] as number[], target: [] as number[] };
  const at = { sourceX: [] as number[], targetX: [] as number[] };
  const node = (end: End, ports: number[]) =>
    end.item === BORDER ? (ports[end.port] as number) : (item[end.item] as number);
  const offset = (end: End, side: 'entries' | 'exits', otherwise: number) => {
    const port = end.item === BORDER ? undefined : inner[end.item]?.[side][end.port];
    return port ? port.x - sketch.width[end.item]! / 2 : otherwise;
  };
  const edge = wiring.wires.map(({ source, target }, index) => {
    const from = mention[index];
    edges.source.push(from ?? node(source, entry));
    edges.target.push(node(target, exit));
    at.sourceX.push(from === undefined ? offset(source, 'exits', 0) : 0);
    return at.targetX.push(offset(target, 'entries', Number.NaN)) - 1;
  });
  const placement = layoutRegion({ ...boxes, ...edges, ...at, reach });
  return { placement, entry, exit, item, mention, edge };
}

function pinOf(item: Item, pinned: boolean): number {
  if (isOutput(item)) return pinned ? PIN.last : PIN.low;
  return pinned && isPill(item) && item.kind !== 'const' ? PIN.first : PIN.free;
}

/** The cut wires by their target, whose mentions come right before it. */
function mentionsBefore({ wiring }: Plan, cut: readonly number[]): Map<number, number[]> {
  const found = new Map<number, number[]>();
  for (const index of cut) {
    const target = wiring.wires[index]!.target.item;
    found.set(target, [...(found.get(target) ?? []), index]);
  }
  return found;
}

function mentionText({ graph, wiring }: Plan, index: number): string {
  const { vars } = wiring.wires[index] as Wire;
  const [first] = vars as [number];
  const name = nameOf(graph, flowOf(graph).producer[first] ?? -1, first);
  return vars.length === 1 ? name : `${name} +${vars.length - 1}`;
}

function newlyCut(wires: readonly Wire[], placed: Placed, cut: readonly number[]): number[] {
  const known = new Set(cut);
  return wires.flatMap((_, index) =>
    placed.placement.cut[placed.edge[index]!] && !known.has(index) ? [index] : [],
  );
}

function frameOf(plan: Plan, sketch: Sketch, placed: Placed, cut: readonly number[]): Frame {
  const { items, wiring, inner, title } = plan;
  const { placement } = placed;
  const top = title === 0 ? 0 : FRAME.title + (wiring.entries.length > 0 ? 0 : FRAME.end);
  const end = title === 0 || wiring.exits.length > 0 ? 0 : FRAME.end;
  const side = title === 0 ? 0 : FRAME.side;
  const w = Math.ceil(Math.max(placement.width + 2 * side, title));
  const left = (w - placement.width) / 2;
  const corner = (box: number, width: number, height: number) => ({
    x: left + placement.x[box]! - width / 2,
    y: top + placement.y[box]! - height / 2,
    w: width,
    h: height,
  });
  const pointsOf = (edge: number) => {
    const from = 2 * placement.start[edge]!;
    const points = Array.from(placement.points.subarray(from, 2 * placement.start[edge + 1]!));
    return points.map((value, at) => value + (at % 2 === 0 ? left : top));
  };
  const ports = (vars: number[][], boxes: number[]): Port[] =>
    vars.map((one, port) => ({ vars: one, x: left + placement.x[boxes[port]!]! }));
  const cells = items.map((item, at) => ({
    item,
    caption: sketch.captions[at] as Caption,
    inner: inner[at] ?? null,
    type: sketch.types[at] as string,
    ...corner(placed.item[at]!, sketch.width[at]!, sketch.height[at]!),
  }));
  const mentions = cut.map((index) => {
    const text = mentionText(plan, index);
    const width = textWidth(text, SMALL) + 2 * MENTION.side;
    const spot = corner(placed.mention[index]!, width, MENTION.height);
    const wire = wiring.wires[index] as Wire;
    return { wire, text, ...spot, points: pointsOf(placed.edge[index]!) };
  });
  const h = top + placement.height + end;
  const frame: Frame = {
    w,
    h,
    cells,
    mentions,
    routes: [],
    entries: ports(wiring.entries, placed.entry),
    exits: ports(wiring.exits, placed.exit),
  };
  const mentioned = new Map(mentions.map((mention) => [mention.wire, mention]));
  frame.routes = wiring.wires.map((wire, index) => {
    const mention = mentioned.get(wire);
    if (!mention) {
      const edge = placed.edge[index]!;
      return { wire, points: pointsOf(edge), cut: placement.cut[edge] === 1 };
    }
    const to = [mention.x + mention.w / 2, mention.y];
    return { wire, points: [...leaving(frame, wire.source, top), ...to], cut: true };
  });
  return frame;
}

/** Where a wire leaves its source. */
function leaving(frame: Frame, source: End, top: number): number[] {
  if (source.item === BORDER) return [frame.entries[source.port]!.x, top];
  const cell = frame.cells[source.item] as Cell;
  const port = cell.inner?.exits[source.port];
  return [cell.x + (port ? port.x : cell.w / 2), cell.y + cell.h];
}

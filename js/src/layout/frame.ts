/** Lays out one region: where its boxes, its edges and the names of cut edges stand. */
import type { Id } from '../facts/ids';
import type { Item } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { type Caption, isPill } from './caption';
import { gathered, uncrowded } from './crowd';
import { FRAME, PORT, SMALL, textWidth } from './measure';
import { MENTION, mentionsOf, mentionText, mentionWidth } from './mentions';
import { layoutRegion } from './region';
import { OPTIONS, PIN, type Placement } from './region/region';
import type { Shape } from './shape';
import { type Sketch, sketchOf } from './sketch';
import { BORDER, type End, isOutput, type Port, type Ports, type Wire, type Wiring } from './wires';

/** An item with its place. `inner` is its inside, laid out before it; null where it is closed. */
export interface Cell {
  item: Item;
  caption: Caption;
  inner: Frame | null;
  /** Upper left corner, px from that of the frame. */
  x: number;
  y: number;
  w: number;
  h: number;
  /** The type of what flows out of it, written under it; empty where its inside shows that. */
  type: string;
  /** Upper left corner of that text. */
  typeX: number;
  typeY: number;
}

/** The direction in which an edge enters its target. */
export type Way = 'down' | 'up' | 'right' | 'left';

/** An edge between any two items, also across the borders of groups. */
export interface Link {
  source: Id;
  target: Id;
  vars: readonly number[];
  points: number[];
  way: Way;
  cut: boolean;
  /** Whether it hands a loop's carry to its next turn. */
  returns: boolean;
  /** `label` is written above the line and `note` below it; their middle is at (labelX, labelY). */
  label: string;
  note: string;
  labelX: number;
  labelY: number;
  /** The name of its values beside the target, where the link is cut. */
  mention: { text: string; x: number; y: number; w: number; h: number } | null;
}

/** A wire as it is drawn. `points` are as in `Placement`, px from the frame's upper left corner. */
interface Route {
  wire: Wire;
  points: number[];
  /** Too long to draw; a name at its end says where it comes from. */
  cut: boolean;
}

/** The end of a cut wire: the name of its values, beside their user. */
interface Mention {
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
  /** Height of the title, px. */
  title: number;
  /** Whether data flows up in it. */
  up: boolean;
  cells: Cell[];
  routes: Route[];
  mentions: Mention[];
  links: Link[];
}

/** What a frame is made from: a region, and the frames of what is open in it. */
export interface Plan {
  stage: Stage;
  graph: Graph;
  items: readonly Item[];
  inner: readonly (Frame | null)[];
  wiring: Wiring;
  shape: Shape;
  /** Whether a value is shown. */
  carries: (variable: number) => boolean;
  /** Whether inputs are kept at the top and outputs at the bottom: those of a body. */
  pinned: boolean;
  /** Width of the title, px; 0 for the program, which has none. */
  title: number;
}

/** Px between the text under a box and the edge that it belongs to. */
const BESIDE_EDGE = 6;
/** Px between a box and the text under it. */
const UNDER_BOX = 4;
/** An edge that goes fewer px aside than this counts as upright. */
const UPRIGHT = 8;
/** How often a frame is laid out, as long as more wires turn out too long to draw. */
const MOST_ROUNDS = 3;

export function layoutFrame(whole: Plan): Frame {
  const { wiring, named, outward } = uncrowded(whole.wiring);
  let plan = { ...whole, wiring };
  let cut = named;
  let sketch = sketchOf(plan, cut);
  let placed = place(plan, sketch, cut);
  for (let round = 1; round < MOST_ROUNDS; round++) {
    const more = newlyCut(plan.wiring.wires, placed, cut);
    if (more.length === 0) break;
    const far = gathered(plan.wiring, [...cut, ...more]);
    plan = { ...plan, wiring: far.wiring };
    cut = far.cut;
    sketch = sketchOf(plan, cut);
    placed = place(plan, sketch, cut);
  }
  const frame = frameOf(plan, sketch, placed, cut);
  for (const wire of outward) {
    const [x, y] = leaving(frame, wire.source, 0) as [number, number];
    frame.routes.push({ wire, points: [x, y, x, frame.h], cut: true });
  }
  return frame;
}

/** A region that is laid out, and the number that each port, item and mention has as a box of it. */
interface Placed {
  placement: Placement;
  entry: number[];
  exit: number[];
  item: number[];
  mention: number[];
  /** The edge of each wire; of a cut wire, the edge from its mention to its user. */
  edge: number[];
}

function place(plan: Plan, sketch: Sketch, cut: readonly number[]): Placed {
  const { items, wiring, inner, pinned, shape } = plan;
  const boxes = { width: [] as number[], height: [] as number[], pin: [] as number[] };
  const reach: number[] = [];
  const box = (width: number, height: number, pin: number, label = '') => {
    boxes.width.push(width);
    boxes.height.push(height);
    reach.push(label === '' ? 0 : BESIDE_EDGE + textWidth(label, SMALL));
    return boxes.pin.push(pin) - 1;
  };
  const entry = wiring.entries.map(() => box(PORT.width, PORT.height, PIN.first));
  const mention: number[] = [];
  const waiting = mentionsOf(plan, cut, 'user');
  const mentionAt = (target: number) => {
    for (const index of waiting.get(target) ?? []) {
      mention[index] = box(mentionWidth(plan, index), MENTION.height, PIN.free);
    }
  };
  const item = items.map((one, at) => {
    mentionAt(at);
    const pin = pinOf(one, pinned);
    return box(sketch.width[at]!, sketch.height[at]!, pin, sketch.types[at]!);
  });
  const leaving = mentionsOf(plan, cut, 'border');
  const exit = wiring.exits.map((_, port) => {
    const [index] = leaving.get(port) ?? [];
    if (index === undefined) return box(PORT.width, PORT.height, PIN.last);
    mention[index] = box(mentionWidth(plan, index), MENTION.height, PIN.last);
    return mention[index];
  });
  const edges = { source: [] as number[], target: [] as number[] };
  const at = { sourceX: [] as number[], targetX: [] as number[] };
  const node = (end: End, ports: number[]) =>
    end.item === BORDER ? (ports[end.port] as number) : (item[end.item] as number);
  const offset = (end: End, side: 'entries' | 'exits', otherwise: number) => {
    const port = end.item === BORDER ? undefined : inner[end.item]?.[side][end.port];
    return port ? port.x - sketch.width[end.item]! / 2 : otherwise;
  };
  const edge = wiring.wires.map(({ source, target }, index) => {
    const from = target.item === BORDER ? undefined : mention[index];
    edges.source.push(from ?? node(source, entry));
    edges.target.push(node(target, exit));
    at.sourceX.push(from === undefined ? offset(source, 'exits', 0) : 0);
    return at.targetX.push(offset(target, 'entries', Number.NaN)) - 1;
  });
  const placement = layoutRegion({ ...boxes, ...edges, ...at, reach }, { ...OPTIONS, shape });
  return { placement, entry, exit, item, mention, edge };
}

function pinOf(item: Item, pinned: boolean): number {
  if (isOutput(item)) return pinned ? PIN.last : PIN.low;
  return pinned && isPill(item) && item.kind !== 'const' ? PIN.first : PIN.free;
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
    typeX: 0,
    typeY: 0,
    ...corner(placed.item[at]!, sketch.width[at]!, sketch.height[at]!),
  }));
  const h = top + placement.height + end;
  const mentions = cut.flatMap((index): Mention[] => {
    const box = placed.mention[index];
    if (box === undefined) return [];
    const wire = wiring.wires[index] as Wire;
    const spot = corner(box, mentionWidth(plan, index), MENTION.height);
    const points = wire.target.item === BORDER ? [] : pointsOf(placed.edge[index]!);
    return [{ wire, text: mentionText(plan, [index]), ...spot, points }];
  });
  const frame: Frame = {
    w,
    h,
    title: title === 0 ? 0 : FRAME.title,
    up: false,
    cells,
    mentions,
    routes: [],
    links: [],
    entries: ports(wiring.entries, placed.entry),
    exits: ports(wiring.exits, placed.exit),
  };
  const mentioned = new Map(mentions.map((mention) => [mention.wire, mention]));
  frame.routes = wiring.wires.map((wire, index) => {
    const mention = mentioned.get(wire);
    if (!mention) {
      const edge = placed.edge[index]!;
      const points = pointsOf(edge);
      if (wire.target.item === BORDER) points[points.length - 1] = h;
      return { wire, points, cut: placement.cut[edge] === 1 };
    }
    const to = [mention.x + mention.w / 2, mention.y];
    return { wire, points: [...leaving(frame, wire.source, top), ...to], cut: true };
  });
  besideEdges(frame);
  return frame;
}

/** Puts the type of each box on the side that its edges do not turn to, where it has room there. */
function besideEdges({ cells, routes }: Frame): void {
  const turn = cells.map(() => ({ left: false, right: false }));
  for (const { wire, points, cut } of routes) {
    const at = turn[wire.source.item];
    if (!at || cut) continue;
    const aside = points[points.length - 2]! - points[0]!;
    if (aside < -UPRIGHT) at.left = true;
    if (aside > UPRIGHT) at.right = true;
  }
  cells.forEach((cell, index) => {
    const { left, right } = turn[index]!;
    const width = textWidth(cell.type, SMALL) + BESIDE_EDGE;
    const middle = cell.x + cell.w / 2;
    cell.typeX = right && !left && width <= cell.w / 2 ? middle - width : middle + BESIDE_EDGE;
    cell.typeY = cell.y + cell.h + UNDER_BOX;
  });
}

/** The point at which a wire leaves its source, px. */
function leaving(frame: Frame, source: End, top: number): number[] {
  if (source.item === BORDER) return [frame.entries[source.port]?.x ?? frame.w / 2, top];
  const cell = frame.cells[source.item] as Cell;
  const port = cell.inner?.exits[source.port];
  return [cell.x + (port ? port.x : cell.w / 2), cell.y + cell.h];
}

import { graphAt } from '../model/graph';
import { bodyId, type Id, parse, ROOT } from '../model/ids';
import { children, type Item } from '../model/outline';
import type { Body, Eqn, Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import { type Cell, type Frame, layoutFrame } from './frame';
import { layoutGrid } from './grid';
import { MARGIN } from './measure';
import { BORDER, isOutput, type Port, wiresOfBodies, wiresOfGraph, wiresOfGroup } from './wires';

/** A box of the picture. Coordinates are px at zoom 1, of the upper left corner. */
export interface Box {
  item: Item;
  label: string;
  note: string;
  count: string;
  /** What flows out of it, drawn under it; empty where nothing does. */
  type: string;
  x: number;
  y: number;
  w: number;
  h: number;
  open: boolean;
  /** The box that holds it, -1 for the outermost. */
  parent: number;
  depth: number;
}

/** A curve that carries values. Its points are x and y in turn; between two of them it runs as a
 * cubic with vertical tangents. */
export interface Edge {
  /** The graph that the values belong to, and which vars of it they are. */
  path: Id;
  vars: readonly number[];
  /** Boxes. Where a value crosses the border of an open group, the group itself. */
  source: number;
  target: number;
  points: readonly number[];
  /** Too long to draw at rest. */
  cut: boolean;
  /** Ends at the user of the values, not at a border on the way. */
  arrow: boolean;
}

/** Stands at the end of a cut edge and names its values. */
export interface Mention {
  text: string;
  path: Id;
  vars: readonly number[];
  source: number;
  target: number;
  x: number;
  y: number;
  w: number;
  h: number;
}

export interface Scene {
  width: number;
  height: number;
  /** Parents before children, siblings in program order. */
  boxes: Box[];
  edges: Edge[];
  mentions: Mention[];
  /** Index of each box by the id of its item. */
  index: ReadonlyMap<Id, number>;
}

interface Known {
  items: Item[];
  inner: (Frame | null)[];
  frame: Frame;
}

const known = new WeakMap<Stage, Map<Id, Known>>();

/** The picture of a stage with these items open. Each open item is laid out once for what is open
 * inside it, and kept: opening one lays out only it and what encloses it. */
export function sceneOf(stage: Stage, open: ReadonlySet<Id>): Scene {
  if (stage.graphs.length === 0) {
    return { width: 0, height: 0, boxes: [], edges: [], mentions: [], index: new Map() };
  }
  const cache = known.get(stage) ?? new Map<Id, Known>();
  known.set(stage, cache);
  return assemble(stage, layoutAll(stage, open, cache));
}

/** Lays out the program from the inside out, and gives the outermost frame. */
function layoutAll(stage: Stage, open: ReadonlySet<Id>, cache: Map<Id, Known>): Frame {
  const regions: { item: Item | null; items: Item[] }[] = [];
  const waiting: (Item | null)[] = [null];
  while (waiting.length > 0) {
    const item = waiting.pop() as Item | null;
    const id = item?.id ?? ROOT;
    const items = cache.get(id)?.items ?? children(stage, id);
    regions.push({ item, items });
    for (const one of items) if (one.foldable && open.has(one.id)) waiting.push(one);
  }
  const frames = new Map<Id, Frame>();
  for (const { item, items } of regions.reverse()) {
    const id = item?.id ?? ROOT;
    const inner = items.map((one) => frames.get(one.id) ?? null);
    const before = cache.get(id);
    const same = before?.inner.every((frame, at) => frame === inner[at]);
    const frame = same && before ? before.frame : layoutItem(stage, item, items, inner);
    cache.set(id, { items, inner, frame });
    frames.set(id, frame);
  }
  return frames.get(ROOT) as Frame;
}

function layoutItem(
  stage: Stage,
  item: Item | null,
  items: Item[],
  inner: (Frame | null)[],
): Frame {
  const held = { items, ports: inner };
  if (item === null) {
    const graph = stage.graphs[0] as Graph;
    const wiring = wiresOfGraph(graph, held);
    return layoutFrame({ stage, graph, items, inner, wiring, pinned: false, title: 0 });
  }
  const { path, step } = parse(item.id);
  const graph = graphAt(stage, step.kind === 'body' ? path : path) as Graph;
  const title = sizeOf(item, captionOf(item, graph)).width;
  if (item.kind === 'gathered') return layoutGrid(graph, items, inner, title);
  const plan = { stage, items, inner, title };
  if (item.kind === 'group') {
    const wiring = wiresOfGroup(graph, held, item.start, item.stop);
    return layoutFrame({ ...plan, graph, wiring, pinned: false });
  }
  const eqn = graph.eqns[item.start] as Eqn;
  if (item.kind === 'eqn' && eqn.bodies.length > 1) {
    const wiring = wiresOfBodies(eqn, graph, held);
    return layoutFrame({ ...plan, graph, wiring, pinned: false });
  }
  const number = step.kind === 'body' ? step.index : 0;
  const body = eqn.bodies[number] as Body;
  const own = stage.graphs[body.graph] as Graph;
  const frame = layoutFrame({
    ...plan,
    graph: own,
    wiring: wiresOfGraph(own, held),
    pinned: true,
  });
  return { ...frame, ...portsOfBody(eqn, body, own, bodyId(path, item.start, number), frame) };
}

/** A body's values cross its border above and below its own inputs and outputs. */
function portsOfBody(eqn: Eqn, body: Body, graph: Graph, path: Id, frame: Frame) {
  const prefix = `${path}/`;
  const centre = (binder: 'in' | 'out', index: number, variable: number | undefined) => {
    const id = `${prefix}${binder}${index}`;
    const cell = frame.cells.find(
      ({ item }) =>
        item.id === id ||
        (item.kind === 'gathered' &&
          isOutput(item) === (binder === 'out') &&
          variable !== undefined &&
          item.vars.includes(variable)),
    );
    return cell ? cell.x + cell.w / 2 : null;
  };
  const ports = (
    binder: 'in' | 'out',
    mapping: readonly number[],
    own: readonly number[],
    outer: readonly number[],
  ): Port[] =>
    mapping.flatMap((position, index) => {
      const variable = outer[position];
      const x = variable === undefined ? null : centre(binder, index, own[index]);
      return variable === undefined || x === null ? [] : [{ vars: [variable], x }];
    });
  return {
    entries: ports('in', body.inputs, graph.invars, eqn.invars),
    exits: ports('out', body.outputs, graph.outvars, eqn.outvars),
  };
}

/** Puts all frames where they belong. */
function assemble(stage: Stage, outermost: Frame): Scene {
  const scene: Scene & { index: Map<Id, number> } = {
    width: outermost.w + 2 * MARGIN,
    height: outermost.h + 2 * MARGIN,
    boxes: [],
    edges: [],
    mentions: [],
    index: new Map(),
  };
  const waiting: Opened[] = [
    { frame: outermost, cell: null, path: ROOT, box: -1, depth: 0, x: MARGIN, y: MARGIN },
  ];
  while (waiting.length > 0) {
    const opened = waiting.pop() as Opened;
    const first = scene.boxes.length;
    for (const cell of opened.frame.cells) add(scene, cell, opened);
    draw(scene, opened, first);
    for (let at = opened.frame.cells.length - 1; at >= 0; at--) {
      const cell = opened.frame.cells[at] as Cell;
      if (cell.inner) waiting.push(inside(stage, opened, cell, cell.inner, first + at));
    }
  }
  return scene;
}

/** A frame on its way into the scene: the path of its graph, its box, its place. */
interface Opened {
  frame: Frame;
  cell: Cell | null;
  path: Id;
  box: number;
  depth: number;
  x: number;
  y: number;
}

function inside(stage: Stage, outer: Opened, cell: Cell, frame: Frame, box: number): Opened {
  const { item } = cell;
  let path = outer.path;
  if (item.kind === 'body') path = item.id;
  if (item.kind === 'eqn') {
    const bodies = graphAt(stage, outer.path)?.eqns[item.start]?.bodies ?? [];
    if (bodies.length === 1) path = bodyId(outer.path, item.start, 0);
  }
  const { depth, x, y } = outer;
  return { frame, cell, path, box, depth: depth + 1, x: x + cell.x, y: y + cell.y };
}

function add(scene: Scene & { index: Map<Id, number> }, cell: Cell, into: Opened): void {
  const { item, caption, type, w, h, inner } = cell;
  scene.index.set(item.id, scene.boxes.length);
  scene.boxes.push({
    item,
    ...caption,
    type,
    x: into.x + cell.x,
    y: into.y + cell.y,
    w,
    h,
    open: inner !== null,
    parent: into.box,
    depth: into.depth,
  });
}

function draw(scene: Scene, { frame, path, box, x, y }: Opened, first: number): void {
  const boxOf = (item: number): number => (item === BORDER ? box : first + item);
  const moved = (points: readonly number[]) =>
    points.map((value, at) => value + (at % 2 === 0 ? x : y));
  for (const { wire, points, cut } of frame.routes) {
    scene.edges.push({
      path,
      vars: wire.vars,
      source: boxOf(wire.source.item),
      target: boxOf(wire.target.item),
      points: moved(points),
      cut,
      arrow: wire.target.item !== BORDER,
    });
  }
  for (const { wire, points, ...mention } of frame.mentions) {
    const ends = {
      path,
      vars: wire.vars,
      source: boxOf(wire.source.item),
      target: boxOf(wire.target.item),
    };
    scene.mentions.push({
      text: mention.text,
      ...ends,
      x: x + mention.x,
      y: y + mention.y,
      w: mention.w,
      h: mention.h,
    });
    scene.edges.push({
      ...ends,
      points: moved(points),
      cut: false,
      arrow: wire.target.item !== BORDER,
    });
  }
}

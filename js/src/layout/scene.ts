import { binderId, bodyId, type Id, parse, ROOT } from '../model/ids';
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
  /** Left side of that text. */
  typeX: number;
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

/** An item that is open (the whole program: null), in the graph whose eqns or vars it stands for. */
interface Region {
  item: Item | null;
  graph: Graph;
  items: Item[];
}

/** Lays out the program from the inside out, and gives the outermost frame. */
function layoutAll(stage: Stage, open: ReadonlySet<Id>, cache: Map<Id, Known>): Frame {
  const regions: Region[] = [];
  const waiting: Omit<Region, 'items'>[] = [{ item: null, graph: stage.graphs[0] as Graph }];
  while (waiting.length > 0) {
    const { item, graph } = waiting.pop() as Region;
    const id = item?.id ?? ROOT;
    const items = cache.get(id)?.items ?? children(stage, id);
    regions.push({ item, graph, items });
    const held = item ? graphIn(stage, graph, item) : graph;
    for (const one of items) {
      if (one.foldable && open.has(one.id)) waiting.push({ item: one, graph: held });
    }
  }
  const frames = new Map<Id, Frame>();
  for (const region of regions.reverse()) {
    const id = region.item?.id ?? ROOT;
    const inner = region.items.map((one) => frames.get(one.id) ?? null);
    const before = cache.get(id);
    const same = before?.inner.every((frame, at) => frame === inner[at]);
    const frame = same && before ? before.frame : layoutItem(stage, region, inner);
    cache.set(id, { items: region.items, inner, frame });
    frames.set(id, frame);
  }
  return frames.get(ROOT) as Frame;
}

/** The body that an open item shows: its own, or that of an eqn with one; null for any other. */
function bodyOf(graph: Graph, item: Item): { body: Body; number: number } | null {
  const bodies = graph.eqns[item.start]?.bodies ?? [];
  const { step } = parse(item.id);
  const number = step.kind === 'body' ? step.index : 0;
  const body = bodies[number];
  const shown = step.kind === 'body' || (step.kind === 'eqn' && bodies.length === 1);
  return shown && body ? { body, number } : null;
}

/** The graph of what an open item shows. */
function graphIn(stage: Stage, graph: Graph, item: Item): Graph {
  const shown = bodyOf(graph, item);
  return shown ? (stage.graphs[shown.body.graph] as Graph) : graph;
}

function layoutItem(stage: Stage, { item, graph, items }: Region, inner: (Frame | null)[]): Frame {
  const held = { items, ports: inner };
  if (item === null) {
    const wiring = wiresOfGraph(graph, held);
    return layoutFrame({ stage, graph, items, inner, wiring, pinned: false, title: 0 });
  }
  const title = sizeOf(item, captionOf(item, graph)).width;
  if (item.kind === 'gathered') return layoutGrid(graph, items, inner, title);
  const plan = { stage, graph, items, inner, title, pinned: false };
  if (item.kind === 'group') {
    return layoutFrame({ ...plan, wiring: wiresOfGroup(graph, held, item.start, item.stop) });
  }
  const eqn = graph.eqns[item.start] as Eqn;
  const shown = bodyOf(graph, item);
  if (!shown) return layoutFrame({ ...plan, wiring: wiresOfBodies(eqn, graph, held) });
  const own = stage.graphs[shown.body.graph] as Graph;
  const wiring = wiresOfGraph(own, held);
  const frame = layoutFrame({ ...plan, graph: own, wiring, pinned: true });
  const path = bodyId(parse(item.id).path, item.start, shown.number);
  return { ...frame, ...portsOfBody(eqn, shown.body, own, path, frame) };
}

/** A body's values cross its border above and below its own inputs and outputs. */
function portsOfBody(eqn: Eqn, body: Body, graph: Graph, path: Id, frame: Frame) {
  const centre = (binder: 'in' | 'out', index: number, variable: number | undefined) => {
    const id = binderId(path, binder, index);
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
    {
      frame: outermost,
      graph: stage.graphs[0] as Graph,
      path: ROOT,
      box: -1,
      depth: 0,
      x: MARGIN,
      y: MARGIN,
    },
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

/** A frame on its way into the scene: its graph and the path of that, its box, its place. */
interface Opened {
  frame: Frame;
  graph: Graph;
  path: Id;
  box: number;
  depth: number;
  x: number;
  y: number;
}

function inside(stage: Stage, outer: Opened, cell: Cell, frame: Frame, box: number): Opened {
  const { item } = cell;
  const shown = bodyOf(outer.graph, item);
  return {
    frame,
    graph: graphIn(stage, outer.graph, item),
    path: shown ? bodyId(parse(item.id).path, item.start, shown.number) : outer.path,
    box,
    depth: outer.depth + 1,
    x: outer.x + cell.x,
    y: outer.y + cell.y,
  };
}

function add(scene: Scene & { index: Map<Id, number> }, cell: Cell, into: Opened): void {
  const { item, caption, type, w, h, inner } = cell;
  scene.index.set(item.id, scene.boxes.length);
  scene.boxes.push({
    item,
    ...caption,
    type,
    typeX: into.x + cell.typeX,
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
    if (points.length === 0) continue;
    scene.edges.push({
      ...ends,
      points: moved(points),
      cut: false,
      arrow: wire.target.item !== BORDER,
    });
  }
}

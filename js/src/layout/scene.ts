/** A stage as lists of boxes, edges and names, px at zoom 1. The page and the static picture draw them. */
import { areFormer } from '../facts/flow';
import { type Id, ROOT } from '../facts/ids';
import type { Item } from '../facts/outline';
import type { ReachFilter } from '../facts/reach';
import type { Graph, Stage } from '../schema';
import { graphIn, pathIn } from './body';
import type { Cell, Direction, Frame, Link } from './frame';
import { movedLink, movedPoints } from './frame';
import { PICK_START, pickText } from './item-boxes';
import {
  BESIDE_LINE,
  FRAME,
  MARGIN,
  type Shape,
  SMALL,
  textWidth,
  type View,
  WIDE,
} from './measure';
import { layoutAll } from './nest';
import { besideEdges } from './texts/beside-edges';
import { BORDER, PICK, type Wire } from './wires';

/** A box of the picture. Coordinates are px at zoom 1, of the upper left corner. */
export interface Box {
  item: Item;
  label: string;
  note: string;
  count: string;
  /** The type of its results, written below it; empty if there are none. */
  type: string;
  /** Upper left corner of that text. */
  typeX: number;
  typeY: number;
  x: number;
  y: number;
  w: number;
  h: number;
  open: boolean;
  /** The index of the box around it; -1 for the outermost. */
  parent: number;
  depth: number;
}

/** A curve that carries values. Its points are x and y in turn; between two of them it runs
 * straight where they are level or upright, else as a cubic with vertical tangents. */
export interface Edge {
  /** The graph of the values, and their vars. */
  path: Id;
  vars: readonly number[];
  /** Indices of boxes. If a value crosses the border of an open group, that of the group. */
  source: number;
  target: number;
  points: readonly number[];
  /** True if it is too long to be drawn, unless it is lit. */
  cut: boolean;
  /** True if it ends at the user of the values, not at a border on the way. */
  arrow: boolean;
  /** The direction in which it enters its target. */
  direction: Direction;
  /** True if its line is dashed: it passes the carry of a loop to the next iteration, or only the earlier of two
   * compared programs has its values. */
  dashed: boolean;
  /** `label` is written above the line and `note` below it; their middle is at (labelX, labelY).
   * Both may be empty. */
  label: string;
  note: string;
  labelX: number;
  labelY: number;
}

/** The name of the values of a cut edge, beside its end; or the number of a column, before its first box. */
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

/** A whole picture; width and height in px. */
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

/** An empty picture. */
export const EMPTY: Scene = {
  width: 0,
  height: 0,
  boxes: [],
  edges: [],
  mentions: [],
  index: new Map(),
};

/** The picture of a stage with these items open, for a view of that shape. `only` limits it to the paths to or from
 * an item. Frames are cached: opening an item lays out only that item and those around it. */
export function sceneOf(
  stage: Stage,
  open: ReadonlySet<Id>,
  shape: Shape = WIDE,
  only: ReachFilter | null = null,
): Scene {
  return stage.graphs.length === 0
    ? EMPTY
    : assemble(stage, layoutAll(stage, open, { shape, only }));
}

/** The width and height of that picture, px, without making all of it. */
export function sizeOfScene(
  stage: Stage,
  open: ReadonlySet<Id>,
  shape: Shape,
  only: ReachFilter | null = null,
): View {
  if (stage.graphs.length === 0) return { width: 0, height: 0 };
  const { w, h } = layoutAll(stage, open, { shape, only });
  return { width: w + 2 * MARGIN, height: h + 2 * MARGIN };
}

/** Gathers the boxes, edges and names of all frames, each moved to its place. */
function assemble(stage: Stage, outermost: Frame): Scene {
  const scene: Scene & { index: Map<Id, number> } = {
    width: outermost.w + 2 * MARGIN,
    height: outermost.h + 2 * MARGIN,
    boxes: [],
    edges: [],
    mentions: [],
    index: new Map(),
  };
  const linked: Opened[] = [];
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
    if (opened.frame.links.length > 0) linked.push(opened);
    for (let at = opened.frame.cells.length - 1; at >= 0; at--) {
      const cell = opened.frame.cells[at] as Cell;
      if (cell.inner) waiting.push(inside(stage, opened, cell, cell.inner, first + at));
    }
  }
  for (const opened of linked) for (const link of opened.frame.links) join(scene, opened, link);
  besideEdges(scene);
  return scene;
}

/** A frame to be added to the scene: its graph, the path of the graph, its box, and its place. */
interface Opened {
  frame: Frame;
  graph: Graph;
  path: Id;
  box: number;
  depth: number;
  x: number;
  y: number;
}

/** The frame inside a cell, with its place in the scene. */
function inside(stage: Stage, outer: Opened, cell: Cell, frame: Frame, box: number): Opened {
  const item = frame.call ?? cell.item;
  return {
    frame,
    graph: graphIn(stage, outer.graph, item),
    path: pathIn(outer.graph, item),
    box,
    depth: outer.depth + 1,
    x: outer.x + cell.x,
    y: outer.y + cell.y,
  };
}

/** Adds a cell as a box. */
function add(scene: Scene & { index: Map<Id, number> }, cell: Cell, into: Opened): void {
  const { item, caption, type, w, h, inner } = cell;
  const index = scene.boxes.length;
  scene.index.set(item.id, index);
  scene.boxes.push({
    item,
    ...caption,
    type,
    typeX: into.x + cell.typeX,
    typeY: into.y + cell.typeY,
    x: into.x + cell.x,
    y: into.y + cell.y,
    w,
    h,
    open: inner !== null,
    parent: into.box,
    depth: into.depth,
  });
  if (!cell.column) return;
  const x = into.x + cell.x - NUMBER.width - NUMBER.apart;
  const y = into.y + cell.y + (Math.min(h, FRAME.title) - NUMBER.height) / 2;
  const size = { w: NUMBER.width, h: NUMBER.height };
  const ends = { path: into.path, vars: [], source: index, target: index };
  scene.mentions.push({ text: `${cell.column}`, ...ends, x, y, ...size });
}

/** The number of a column: its size, and its distance from the box, px. */
const NUMBER = { width: 12, height: 16, apart: 3 };

/** Adds a link as an edge, once all boxes are in the scene. */
function join(scene: Scene, { graph, path, x, y }: Opened, link: Link): void {
  const { mention, returns, ...moved } = movedLink(link, x, y);
  const source = scene.index.get(link.source) ?? -1;
  const target = scene.index.get(link.target) ?? -1;
  const dashed = returns || areFormer(graph, link.vars);
  scene.edges.push({ ...moved, path, source, target, dashed, arrow: true });
  if (mention) scene.mentions.push({ ...mention, path, vars: link.vars, source, target });
}

/** Adds the edges and names of a frame, whose first box has the index `first`. */
function draw(scene: Scene, { frame, graph, path, box, x, y }: Opened, first: number): void {
  const boxOf = (item: number): number => (item === BORDER ? box : first + item);
  const add = ({ vars, source, target }: Wire, own: readonly number[], cut: boolean) => {
    const points = movedPoints(own, x, y);
    const onward = { direction: frame.up ? 'up' : 'down', ...UNWRITTEN } as const;
    scene.edges.push({
      path,
      vars,
      source: boxOf(source.item),
      target: boxOf(target.item),
      points,
      cut,
      dashed: areFormer(graph, vars),
      arrow: target.item !== BORDER,
      ...(target.port === PICK ? picking(points) : onward),
    });
  };
  for (const { wire, points, cut } of frame.routes) add(wire, points, cut);
  for (const { wire, points, text, ...rect } of frame.mentions) {
    const ends = { source: boxOf(wire.source.item), target: boxOf(wire.target.item) };
    const at = { x: x + rect.x, y: y + rect.y };
    scene.mentions.push({ text, path, vars: wire.vars, ...ends, ...rect, ...at });
    if (points.length > 0) add(wire, points, false);
  }
}

/** The fields of an edge that enters a choice at its side. It comes from above, so its text is below. */
function picking(points: readonly number[]) {
  const [from, level] = points.slice(-4, -2) as [number, number];
  const label = pickText();
  const labelY = level + SMALL + 3 * BESIDE_LINE;
  const labelX = from + PICK_START + textWidth(label, SMALL) / 2;
  return { ...UNWRITTEN, direction: 'right', label, labelX, labelY } as const;
}

/** The fields of an edge without text. */
const UNWRITTEN = { label: '', note: '', labelX: 0, labelY: 0 } as const;

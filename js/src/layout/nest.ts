/** Lays out a program from the inside out. Each open item is a region, whose frame is a box of the
 * region around it. Frames that did not change since the last time are kept. */
import { carryOf } from '../facts/graph';
import { bodyId, type Id, parse, ROOT } from '../facts/ids';
import { literalsOf } from '../facts/literals';
import { drawn, type Item } from '../facts/outline';
import { carries, kept, type ReachFilter } from '../facts/reach';
import type { Body, Eqn, Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import { binderCells, withCarry } from './carry';
import { flipped } from './flip';
import { type Frame, layoutFrame, type Plan } from './frame';
import { layoutGrid } from './grid';
import type { Shape } from './shape';
import { layoutStep } from './step';
import { atomsOf, laneOf, lanesOpen, type Step, stepOf } from './step/lanes';
import { type Port, wiresOfBodies, wiresOfGraph, wiresOfGroup } from './wires';

/** The last frame of a region, and what it depends on. */
interface KeptFrame {
  items: Item[];
  inner: (Frame | null)[];
  up: boolean;
  lanes: string;
  frame: Frame;
}

/** What a picture depends on besides what is open. */
export interface View {
  shape: Shape;
  /** Where only a part is shown: what leads to an item, or what comes from it. */
  only: ReachFilter | null;
}

/** For how many views of a stage frames are kept. */
const MOST_VIEWS_KEPT = 4;
const known = new WeakMap<Stage, Map<string, Map<Id, KeptFrame>>>();

/** The kept frames of a view, by the id of the open item. */
function knownOf(stage: Stage, { shape, only }: View): Map<Id, KeptFrame> {
  const views = known.get(stage) ?? new Map<string, Map<Id, KeptFrame>>();
  known.set(stage, views);
  const key = `${shape.name} ${only?.toward} ${only?.id}`;
  const cache = views.get(key) ?? new Map<Id, KeptFrame>();
  views.delete(key);
  views.set(key, cache);
  for (const oldest of views.keys()) {
    if (views.size <= MOST_VIEWS_KEPT) break;
    views.delete(oldest);
  }
  return cache;
}

/** An open item (null for the whole program) and what it holds. `graph` is the one whose eqns or
 * vars the item stands for. */
interface Region {
  item: Item | null;
  graph: Graph;
  items: Item[];
  /** Whether data flows up in it, as in a backward lane. */
  up: boolean;
  step: Step | null;
}

/** Lays out the program from the inside out, and gives the outermost frame. Frames in which nothing
 * was opened or closed since the last time are kept. */
export function layoutAll(stage: Stage, open: ReadonlySet<Id>, view: View): Frame {
  const cache = knownOf(stage, view);
  const frames = new Map<Id, Frame>();
  for (const region of regionsOf(stage, open, view.only, cache).reverse()) {
    const id = region.item?.id ?? ROOT;
    const { items, up, step } = region;
    const inner = (step ? atomsOf(step) : items).map((one) => frames.get(one.id) ?? null);
    const before = cache.get(id);
    const lanes = step ? lanesOpen(step) : '';
    const same =
      before?.up === up &&
      before.lanes === lanes &&
      before.inner.every((frame, at) => frame === inner[at]);
    const frame = same ? before.frame : layoutItem(stage, region, view, inner, frames);
    cache.set(id, { items, inner, up, lanes, frame });
    frames.set(id, frame);
  }
  return frames.get(ROOT) as Frame;
}

/** The regions to lay out, outer before inner. Open groups that are lanes of a step belong to the
 * region of the step. */
function regionsOf(
  stage: Stage,
  open: ReadonlySet<Id>,
  only: ReachFilter | null,
  cache: Map<Id, KeptFrame>,
): Region[] {
  const regions: Region[] = [];
  const keep = only ? kept(stage, only.id, only.toward) : () => true;
  const held = (id: Id) => cache.get(id)?.items ?? drawn(stage, id).filter(keep);
  const waiting = [{ item: null as Item | null, graph: stage.graphs[0] as Graph, up: false }];
  while (waiting.length > 0) {
    const { item, graph, up } = waiting.pop() as (typeof waiting)[number];
    const items = held(item?.id ?? ROOT);
    const own = item ? graphIn(stage, graph, item) : graph;
    const step = item?.kind === 'group' ? null : stepOf({ graph: own, open, held }, items);
    regions.push({ item, graph, items, up, step });
    const rising = step ? new Set(laneOf(step, 'backward')) : null;
    for (const one of step ? atomsOf(step) : items) {
      if (!one.foldable || !open.has(one.id)) continue;
      waiting.push({ item: one, graph: own, up: up !== (rising?.has(one) ?? false) });
    }
  }
  return regions;
}

/** The body that an open item shows: its own, or that of an eqn with one; null for any other. */
export function bodyOf(graph: Graph, item: Item): { body: Body; number: number } | null {
  const bodies = graph.eqns[item.start]?.bodies ?? [];
  const { step } = parse(item.id);
  const number = step.kind === 'body' ? step.index : 0;
  const body = bodies[number];
  const shown = step.kind === 'body' || (step.kind === 'eqn' && bodies.length === 1);
  return shown && body ? { body, number } : null;
}

/** The graph of what an open item shows. */
export function graphIn(stage: Stage, graph: Graph, item: Item): Graph {
  const shown = bodyOf(graph, item);
  return shown ? (stage.graphs[shown.body.graph] as Graph) : graph;
}

/** Lays out one region around the frames of what is open in it. */
function layoutItem(
  stage: Stage,
  region: Region,
  { shape, only }: View,
  inner: (Frame | null)[],
  frames: ReadonlyMap<Id, Frame>,
): Frame {
  const { item, graph, up, step } = region;
  const path = item ? pathIn(graph, item) : ROOT;
  const written = literalsOf(stage, item ? graphIn(stage, graph, item) : graph);
  const shown: Shown = {
    stage,
    shape,
    carries: (variable) =>
      !written.has(variable) && (only === null || carries(stage, only, path, variable)),
  };
  const frame = step ? stepIn(shown, region, step, frames) : layoutItems(shown, region, inner);
  return up ? flipped(frame) : frame;
}

/** What of a program is laid out, and for which shape. */
type Shown = Pick<Plan, 'stage' | 'shape' | 'carries'>;

/** The path of the graph of what an open item shows. */
function pathIn(graph: Graph, item: Item): Id {
  const { path } = parse(item.id);
  const shown = bodyOf(graph, item);
  return shown ? bodyId(path, item.start, shown.number) : path;
}

/** The frame of a training step in lanes, with the ports of the body in which it stands. */
function stepIn(
  shown: Shown,
  { item, graph }: Region,
  step: Step,
  frames: ReadonlyMap<Id, Frame>,
): Frame {
  const own = item ? graphIn(shown.stage, graph, item) : graph;
  const title = item ? sizeOf(item, captionOf(shown.stage, graph, item)).width : 0;
  const frame = layoutStep(
    { ...shown, graph: own, title },
    step,
    (one) => frames.get(one.id) ?? null,
  );
  return item ? ofBody(graph, item, own, frame) : frame;
}

/** The frame of a region that is no step in lanes. */
function layoutItems(shown: Shown, { item, graph, items }: Region, inner: (Frame | null)[]): Frame {
  const held = { items, ports: inner, carries: shown.carries };
  if (item === null) {
    const wiring = wiresOfGraph(graph, held);
    return layoutFrame({ ...shown, graph, items, inner, wiring, pinned: false, title: 0 });
  }
  const title = sizeOf(item, captionOf(shown.stage, graph, item)).width;
  if (item.kind === 'gathered') return layoutGrid(shown.stage, graph, items, inner, title);
  const plan = { ...shown, graph, items, inner, title, pinned: false };
  if (item.kind === 'group') {
    return layoutFrame({ ...plan, wiring: wiresOfGroup(graph, held, item.start, item.stop) });
  }
  const eqn = graph.eqns[item.start] as Eqn;
  const body = bodyOf(graph, item)?.body;
  if (!body) return layoutFrame({ ...plan, wiring: wiresOfBodies(eqn, graph, held) });
  const own = shown.stage.graphs[body.graph] as Graph;
  const wiring = wiresOfGraph(own, held);
  const frame = layoutFrame({ ...plan, graph: own, wiring, pinned: true });
  return ofBody(graph, item, own, frame);
}

/** The frame of the body that an open item shows, with its ports, and the carry of a loop. */
function ofBody(graph: Graph, item: Item, own: Graph, frame: Frame): Frame {
  const eqn = graph.eqns[item.start];
  const shown = bodyOf(graph, item);
  if (!eqn || !shown) return frame;
  const path = pathIn(graph, item);
  const carry = carryOf(eqn, shown.number);
  const whole = carry ? withCarry(frame, carry, own, path) : frame;
  return { ...whole, ...portsOfBody(eqn, shown.body, own, path, whole) };
}

/** The ports of a body: its values cross the border above its inputs and below its outputs. */
function portsOfBody(eqn: Eqn, body: Body, graph: Graph, path: Id, frame: Frame) {
  const cellOf = binderCells(frame, graph, path);
  const ports = (
    binder: 'in' | 'out',
    mapping: readonly number[],
    outer: readonly number[],
  ): Port[] =>
    mapping.flatMap((position, index) => {
      const variable = outer[position];
      const cell = cellOf(binder, index);
      if (variable === undefined || !cell) return [];
      return [{ vars: [variable], x: cell.x + cell.w / 2 }];
    });
  return {
    entries: ports('in', body.inputs, eqn.invars),
    exits: ports('out', body.outputs, eqn.outvars),
  };
}

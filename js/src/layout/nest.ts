/** Lays out a program from the inside out. Each open item is a region, whose frame is a box of the region around it.
 * Frames that did not change since the last layout are reused. */
import { type Id, parse, ROOT } from '../facts/ids';
import { drawn, type Item, startsOf } from '../facts/outline';
import { carries, type ReachFilter, reachTest } from '../facts/reach';
import { joined } from '../facts/text/describe';
import { literalsOf } from '../facts/text/literals';
import type { Eqn, Graph, Stage } from '../schema';
import { bodyOf, graphIn, ofBody, pathIn } from './body';
import { captionOf, sizeOf, titleOf } from './caption';
import { type Cell, type Frame, flipped, lowered, movedCell, ONLY_CELLS } from './frame';
import { layoutFrame } from './frame-layout';
import type { Plan } from './item-boxes';
import { FRAME, type Shape, SMALL, textWidth } from './measure';
import { callIn, ofCall, withinLane } from './passed-through';
import { layoutStep } from './step';
import { atomsOf, isPass, laneOf, lanesOpen, type Step, stepOf } from './step/lanes';
import { type Contents, wiresOfBodies, wiresOfGraph, wiresOfGroup } from './wires';

/** The last frame of a region, and the inputs that it was made from. */
interface CachedFrame extends Laid {
  frame: Frame;
}

interface Laid {
  items: readonly Item[];
  inner: (Frame | null)[];
  up: boolean;
  lanes: string;
}

/** The inputs of a picture besides the open items. */
export interface View {
  shape: Shape;
  /** If only a part is shown: what leads to an item, or what comes from it. */
  only: ReachFilter | null;
}

/** The number of views of a stage whose frames are cached; views of one width and views of any width are counted
 * separately. */
const MOST_CACHED_VIEWS = 8;
const frameCaches = new WeakMap<Stage, Map<string, Frames>>();

/** Drops the cached frames of a stage. */
export function forgetFrames(stage: Stage): void {
  frameCaches.delete(stage);
}

/** The cached frames of a view: those that are the same in wider views, and those of its width only. */
function cachesOf(stage: Stage, { shape, only }: View): readonly [Frames, Frames] {
  const { wide, tall, rowGap, tight } = shape;
  const view = `${tall} ${rowGap} ${tight} ${only?.toward} ${only?.id}`;
  return [framesOf(stage, view), framesOf(stage, `${view} ${wide}`)];
}

/** Cached frames by the id of the open item. The key of a step also contains `beside`, which only steps depend on, and
 * that of a lane its call. */
type Frames = Map<Id, CachedFrame>;

function framesOf(stage: Stage, key: string): Frames {
  const views = frameCaches.get(stage) ?? new Map<string, Frames>();
  frameCaches.set(stage, views);
  const cache = views.get(key) ?? new Map<Id, CachedFrame>();
  views.delete(key);
  views.set(key, cache);
  for (const oldest of views.keys()) {
    if (views.size <= MOST_CACHED_VIEWS) break;
    views.delete(oldest);
  }
  return cache;
}

/** An open item (null for the whole program) and its items. `graph` contains the eqns or vars that the item stands
 * for. */
interface Region {
  item: Item | null;
  /** The call whose contents are drawn in the item, a lane. */
  call: Item | null;
  graph: Graph;
  items: readonly Item[];
  /** True if data flows up in it, as in a backward lane. */
  up: boolean;
  step: Step | null;
}

/** Lays out the program from the inside out. Returns the outermost frame. Frames in which nothing was opened or
 * closed are reused. */
export function layoutAll(stage: Stage, open: ReadonlySet<Id>, view: View): Frame {
  const caches = cachesOf(stage, view);
  const frames = new Map<Id, Frame>();
  for (const region of regionsOf(stage, open, view.only, caches).reverse()) {
    const id = region.item?.id ?? ROOT;
    const { items, up, step } = region;
    const inner = (step ? atomsOf(step) : items).map((one) => frames.get(one.id) ?? null);
    const now = { items, inner, up, lanes: step ? lanesOpen(step) : '' };
    const { beside, wide } = view.shape;
    const key = [id, step ? beside : '', region.call?.id ?? ''].join(' ').trim();
    const before = caches
      .map((one) => one.get(key))
      .find((one) => one && isCurrent(one, now, wide));
    const frame = before?.frame ?? layoutItem(stage, region, view, inner, frames);
    if (!before) caches[frame.leastWide <= wide ? 0 : 1].set(key, { ...now, frame });
    frames.set(id, frame);
  }
  return frames.get(ROOT) as Frame;
}

/** True if a cached frame equals what would be laid out now. */
const isCurrent = ({ frame, inner, ...before }: CachedFrame, now: Laid, wide: number): boolean =>
  (frame.leastWide <= wide || !Number.isFinite(frame.leastWide)) &&
  before.up === now.up &&
  before.lanes === now.lanes &&
  inner.every((one, at) => one === now.inner[at]);

/** The regions to lay out, outer before inner. Open groups that are lanes of a step belong to the step's region. */
function regionsOf(
  stage: Stage,
  open: ReadonlySet<Id>,
  only: ReachFilter | null,
  caches: readonly Frames[],
): Region[] {
  const regions: Region[] = [];
  const keep = only && reachTest(stage, only.id, only.toward);
  const every = (id: Id) => drawn(stage, id);
  const cached = (id: Id) => caches.find((one) => one.has(id))?.get(id)?.items;
  const itemsOf = keep ? (id: Id) => cached(id) ?? every(id).filter(keep) : every;
  const root = { item: null, call: null, graph: stage.graphs[0] as Graph, up: false };
  const waiting: Pick<Region, 'item' | 'call' | 'graph' | 'up'>[] = [root];
  while (waiting.length > 0) {
    const { item, call, graph, up } = waiting.pop()!;
    const shown = call ?? item;
    const all = itemsOf(shown?.id ?? ROOT);
    const items = call ? withinLane(all) : all;
    const own = shown ? graphIn(stage, graph, shown) : graph;
    const step = item?.kind === 'group' ? null : stepOf({ graph: own, open, itemsOf }, items);
    regions.push({ item, call, graph, items, up, step });
    const rising = step ? new Set(laneOf(step, 'backward')) : null;
    for (const one of step ? atomsOf(step) : items) {
      if (!one.foldable || !open.has(one.id)) continue;
      const call = step && isPass(step, one) ? callIn(own, itemsOf(one.id), open) : null;
      waiting.push({ item: one, call, graph: own, up: up !== (rising?.has(one) ?? false) });
    }
  }
  return regions;
}

/** Lays out one region around the frames of its open items. */
function layoutItem(
  stage: Stage,
  region: Region,
  { shape, only }: View,
  inner: (Frame | null)[],
  frames: ReadonlyMap<Id, Frame>,
): Frame {
  const { item, graph, up, step } = region;
  const shown = region.call ?? item;
  const path = shown ? pathIn(graph, shown) : ROOT;
  const written = literalsOf(stage, shown ? graphIn(stage, graph, shown) : graph);
  const shared: Shared = {
    stage,
    shape,
    carries: (variable) =>
      !written.has(variable) && (only === null || carries(stage, only, path, variable)),
  };
  const frame = step ? stepIn(shared, region, step, frames) : layoutItems(shared, region, inner);
  return up ? flipped(frame) : frame;
}

/** The fields of a plan that all regions of a program share. */
type Shared = Pick<Plan, 'stage' | 'shape' | 'carries'>;

/** The frame of a training step in lanes, with the ports of the body that contains it. */
function stepIn(
  shared: Shared,
  { item, graph }: Region,
  step: Step,
  frames: ReadonlyMap<Id, Frame>,
): Frame {
  const own = item ? graphIn(shared.stage, graph, item) : graph;
  const title = item ? sizeOf(item, titleOf(shared.stage, graph, item)).width : 0;
  const frame = layoutStep(
    { ...shared, graph: own, title },
    step,
    (one) => frames.get(one.id) ?? null,
  );
  return item ? ofBody(graph, item, own, frame, new Map()) : frame;
}

/** The frame of a region other than a step in lanes. */
function layoutItems(
  shared: Shared,
  { item, call, graph, items }: Region,
  inner: (Frame | null)[],
): Frame {
  const contents = { items, ports: inner, carries: shared.carries };
  if (item === null) return layoutRoot(shared, graph, items, inner);
  const title = sizeOf(item, titleOf(shared.stage, graph, item)).width;
  if (item.kind === 'gathered') return layoutGrid(shared.stage, graph, items, inner, title);
  const plan = { ...shared, graph, items, inner, title, pinned: false };
  if (call) {
    const own = graphIn(shared.stage, graph, call);
    const wiring = wiresOfGroup(own, contents, own.eqns.length);
    return ofCall(graph, call, own, layoutFrame({ ...plan, graph: own, wiring }));
  }
  if (item.kind === 'group') {
    return layoutFrame({ ...plan, wiring: wiresOfGroup(graph, contents, item.stop) });
  }
  const body = bodyOf(graph, item)?.body;
  const starts = startsOf(shared.stage, graph, item);
  if (!body) return layoutBodies(plan, contents, graph.eqns[item.start] as Eqn, starts);
  const own = shared.stage.graphs[body.graph] as Graph;
  const wiring = wiresOfGraph(own, contents);
  const startOf = ({ id }: Item) => {
    const { step } = parse(id);
    const isInput = step.kind === 'binder' && step.binder === 'in';
    return isInput ? starts.get(body.inputs[step.index] ?? -1) : undefined;
  };
  const frame = layoutFrame({ ...plan, graph: own, wiring, pinned: true, startOf });
  return ofBody(graph, item, own, frame, starts);
}

/** The frame of an eqn whose bodies stand side by side. Operands of one constant share a port. */
function layoutBodies(
  plan: Omit<Plan, 'wiring'>,
  contents: Contents,
  eqn: Eqn,
  starts: ReadonlyMap<number, Item>,
): Frame {
  const byVar = new Map<number, Item>();
  for (const [operand, start] of starts) {
    const variable = eqn.invars[operand]!;
    const label = joined(', ', [byVar.get(variable)?.label ?? '', start.label]);
    byVar.set(variable, { ...start, label });
  }
  const carries = (variable: number) => byVar.has(variable) || contents.carries(variable);
  const wiring = wiresOfBodies(plan.graph, { ...contents, carries }, starts);
  const startAt = (vars: readonly number[]) =>
    vars.length === 1 ? byVar.get(vars[0] as number) : undefined;
  const frame = layoutFrame({ ...plan, wiring, startAt });
  const entries = frame.entries.map((port) => ({ ...port, start: startAt(port.vars) }));
  return { ...frame, entries };
}

/** The frame of the whole program. */
function layoutRoot(
  shared: Shared,
  graph: Graph,
  all: readonly Item[],
  frames: readonly (Frame | null)[],
): Frame {
  const items = all.filter((item) => !isFixed(item));
  const inner = frames.filter((_, at) => !isFixed(all[at] as Item));
  const wiring = wiresOfGraph(graph, { items, ports: inner, carries: shared.carries });
  const plan = { ...shared, graph, items, inner, wiring, pinned: false, title: 0 };
  return withFixed(layoutFrame(plan), shared.stage, graph, all.filter(isFixed), shared.shape.wide);
}

/** The frame of an open pytree: its items stand in rows, without edges. `inner` contains the frames of open items;
 * `title` is the width of its title, px. */
function layoutGrid(
  stage: Stage,
  graph: Graph,
  items: readonly Item[],
  inner: readonly (Frame | null)[],
  title: number,
): Frame {
  const boxes = items.map((item, at) => {
    const caption = captionOf(stage, graph, item);
    const frame = inner[at] ?? null;
    const { width: w, height: h } = sizeOf(item, caption);
    const size = frame ? { w: frame.w, h: frame.h } : { w, h };
    return { item, caption, inner: frame, ...size, type: '', typeX: 0, typeY: 0 };
  });
  const corners = inRows(boxes, FRAME.side, FRAME.title + BOX_GAP);
  const cells = boxes.map((box, at): Cell => ({ ...box, ...corners[at]! }));
  const right = Math.max(title - FRAME.side, ...cells.map(({ x, w }) => x + w));
  const low = Math.max(FRAME.title + BOX_GAP, ...cells.map(({ y, h }) => y + h));
  return { ...ONLY_CELLS, w: right + FRAME.side, h: low + FRAME.end, cells };
}

/** Px between two boxes. */
const BOX_GAP = 8;
/** The greatest width of a row, px. */
const ROW_WIDTH = 640;

/** The corners of boxes in rows, the first at (left, top). */
function inRows(boxes: readonly { w: number; h: number }[], left: number, top: number) {
  let [x, y, low] = [left, top, top];
  return boxes.map(({ w, h }) => {
    if (x > left && x + w > ROW_WIDTH) {
      x = left;
      y = low + BOX_GAP;
    }
    const corner = { x, y };
    low = Math.max(low, y + h);
    x += w + BOX_GAP;
    return corner;
  });
}

// Static arguments have no edges, so they are placed in the row of the inputs, to their right.

/** Px between two boxes of the row, and between a box and the text under it. */
const APART = 28;
const UNDER = 4;

/** True if an item is an argument whose value is fixed in the program. */
const isFixed = ({ kind }: Item): boolean => kind === 'fixed';

/** The frame of the whole program with its fixed arguments: beside its inputs; or in rows above them, if that takes
 * less area or the frame would otherwise be wider than `wide` px. */
function withFixed(
  frame: Frame,
  stage: Stage,
  graph: Graph,
  fixed: readonly Item[],
  wide: number,
): Frame {
  if (fixed.length === 0) return frame;
  const pills = fixed.map((item) => pillOf(stage, graph, item));
  const most = Math.max(frame.w, wide);
  const wider = [beside(frame, pills), above(frame, pills, frame.w)].filter(({ w }) => w <= most);
  const area = ({ w, h }: Frame) => w * h;
  const best = wider.reduce(
    (least, one) => (area(one) < area(least) ? one : least),
    above(frame, pills, wide),
  );
  return { ...best, leastWide: Number.POSITIVE_INFINITY };
}

/** The frame with fixed arguments on the right of its inputs. */
function beside(frame: Frame, pills: readonly Cell[]): Frame {
  const low = Math.max(...pills.map(({ h }) => h)) + UNDER + SMALL;
  const ends = [
    ...frame.cells.filter(({ y }) => y < low).map(rightOf),
    ...namesIn(frame).flatMap(({ x, y, w }) => (y < low ? [x + w] : [])),
  ];
  let x = Math.max(-APART, ...ends) + APART;
  const placed = pills.map((pill) => {
    const at = movedCell(pill, x, 0);
    x = rightOf(at) + APART;
    return at;
  });
  const w = Math.max(frame.w, x - APART);
  return { ...frame, w, h: Math.max(frame.h, low), cells: [...frame.cells, ...placed] };
}

/** The frame below rows of fixed arguments. */
function above(frame: Frame, pills: readonly Cell[], wide: number): Frame {
  let [x, y, w] = [0, 0, frame.w];
  const step = Math.max(...pills.map(({ h }) => h)) + UNDER + SMALL + UNDER;
  const placed = pills.map((pill) => {
    if (x > 0 && x + rightOf(pill) > wide) [x, y] = [0, y + step];
    const at = movedCell(pill, x, y);
    x = rightOf(at) + APART;
    w = Math.max(w, x - APART);
    return at;
  });
  const below = lowered(frame, y + step + UNDER);
  return { ...below, w, cells: [...below.cells, ...placed] };
}

/** The cell of a fixed argument, at the corner of its frame. */
function pillOf(stage: Stage, graph: Graph, item: Item): Cell {
  const caption = captionOf(stage, graph, item);
  const { width: w, height: h } = sizeOf(item, caption);
  const typeX = (w - textWidth(item.type, SMALL)) / 2;
  const type = { type: item.type, typeX, typeY: h + UNDER };
  return { item, caption, inner: null, x: 0, y: 0, w, h, ...type };
}

/** The names of values at the ends of cut links. */
const namesIn = ({ mentions, links }: Frame) => [
  ...mentions,
  ...links.flatMap(({ mention }) => mention ?? []),
];

/** The right end of a cell, including the text below it. */
const rightOf = ({ x, w, type, typeX }: Cell): number =>
  Math.max(x + w, type === '' ? 0 : typeX + textWidth(type, SMALL));

/** Lays out a program from the inside out. Each open item is a region, whose frame is a box of the
 * region around it. Frames that did not change since the last time are kept. */
import { type Id, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { carries, kept, type ReachFilter } from '../facts/reach';
import { literalsOf } from '../facts/text/literals';
import type { Eqn, Graph, Stage } from '../schema';
import { bodyOf, graphIn, ofBody, pathIn } from './body';
import { captionOf, sizeOf } from './caption';
import { type Cell, type Frame, flipped, lowered, movedCell, ONLY_CELLS } from './frame';
import { layoutFrame } from './frame-layout';
import type { Plan } from './item-boxes';
import { FRAME, type Shape, SMALL, textWidth } from './measure';
import { layoutStep } from './step';
import { atomsOf, laneOf, lanesOpen, type Step, stepOf } from './step/lanes';
import { wiresOfBodies, wiresOfGraph, wiresOfGroup } from './wires';

/** The last frame of a region, and what it depends on. */
interface KeptFrame extends Laid {
  frame: Frame;
}

interface Laid {
  items: readonly Item[];
  inner: (Frame | null)[];
  up: boolean;
  lanes: string;
}

/** What a picture depends on besides what is open. */
export interface View {
  shape: Shape;
  /** Where only a part is shown: what leads to an item, or what comes from it. */
  only: ReachFilter | null;
}

/** For how many views of a stage frames are kept, those of one width and those of any counted apart. */
const MOST_VIEWS_KEPT = 8;
const keptFrames = new WeakMap<Stage, Map<string, Frames>>();

/** Forgets all frames of a stage, for which it then takes longer to be drawn again. */
export function forgetFrames(stage: Stage): void {
  keptFrames.delete(stage);
}

/** The kept frames of a view that are the same in wider ones, and those of its width alone. */
function knownOf(stage: Stage, { shape, only }: View): readonly [Frames, Frames] {
  const { wide, tall, rowGap } = shape;
  const view = `${tall} ${rowGap} ${only?.toward} ${only?.id}`;
  return [framesOf(stage, view), framesOf(stage, `${view} ${wide}`)];
}

/** Kept frames by the id of the open item. Those of a step are kept also by whether its lanes stand beside
 * inputs and results, which matters to them alone. */
type Frames = Map<Id, KeptFrame>;

function framesOf(stage: Stage, key: string): Frames {
  const views = keptFrames.get(stage) ?? new Map<string, Frames>();
  keptFrames.set(stage, views);
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
  items: readonly Item[];
  /** Whether data flows up in it, as in a backward lane. */
  up: boolean;
  step: Step | null;
}

/** Lays out the program from the inside out, and gives the outermost frame. Frames in which nothing
 * was opened or closed since the last time are kept. */
export function layoutAll(stage: Stage, open: ReadonlySet<Id>, view: View): Frame {
  const known = knownOf(stage, view);
  const frames = new Map<Id, Frame>();
  for (const region of regionsOf(stage, open, view.only, known).reverse()) {
    const id = region.item?.id ?? ROOT;
    const { items, up, step } = region;
    const inner = (step ? atomsOf(step) : items).map((one) => frames.get(one.id) ?? null);
    const now = { items, inner, up, lanes: step ? lanesOpen(step) : '' };
    const { beside, wide } = view.shape;
    const key = step ? `${id} ${beside}` : id;
    const before = known.map((one) => one.get(key)).find((one) => one && holds(one, now, wide));
    const frame = before?.frame ?? layoutItem(stage, region, view, inner, frames);
    if (!before) known[frame.leastWide <= wide ? 0 : 1].set(key, { ...now, frame });
    frames.set(id, frame);
  }
  return frames.get(ROOT) as Frame;
}

/** Whether a kept frame is what would be laid out now. */
const holds = ({ frame, inner, ...before }: KeptFrame, now: Laid, wide: number): boolean =>
  (frame.leastWide <= wide || !Number.isFinite(frame.leastWide)) &&
  before.up === now.up &&
  before.lanes === now.lanes &&
  inner.every((one, at) => one === now.inner[at]);

const itemsIn = (known: readonly Frames[], id: Id): readonly Item[] | undefined =>
  known.find((one) => one.has(id))?.get(id)?.items;

/** The regions to lay out, outer before inner. Open groups that are lanes of a step belong to the
 * region of the step. */
function regionsOf(
  stage: Stage,
  open: ReadonlySet<Id>,
  only: ReachFilter | null,
  known: readonly Frames[],
): Region[] {
  const regions: Region[] = [];
  const keep = only && kept(stage, only.id, only.toward);
  const all = (id: Id) => drawn(stage, id);
  const held = keep ? (id: Id) => itemsIn(known, id) ?? all(id).filter(keep) : all;
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
  if (item === null) return layoutRoot(shown, graph, items, inner);
  const title = sizeOf(item, captionOf(shown.stage, graph, item)).width;
  if (item.kind === 'gathered') return layoutGrid(shown.stage, graph, items, inner, title);
  const plan = { ...shown, graph, items, inner, title, pinned: false };
  if (item.kind === 'group') {
    return layoutFrame({ ...plan, wiring: wiresOfGroup(graph, held, item.stop) });
  }
  const eqn = graph.eqns[item.start] as Eqn;
  const body = bodyOf(graph, item)?.body;
  if (!body) return layoutFrame({ ...plan, wiring: wiresOfBodies(eqn, graph, held) });
  const own = shown.stage.graphs[body.graph] as Graph;
  const wiring = wiresOfGraph(own, held);
  const frame = layoutFrame({ ...plan, graph: own, wiring, pinned: true });
  return ofBody(graph, item, own, frame);
}

/** The frame of the whole program. */
function layoutRoot(
  shown: Shown,
  graph: Graph,
  all: readonly Item[],
  frames: readonly (Frame | null)[],
): Frame {
  const items = all.filter((item) => !isFixed(item));
  const inner = frames.filter((_, at) => !isFixed(all[at] as Item));
  const wiring = wiresOfGraph(graph, { items, ports: inner, carries: shown.carries });
  const plan = { ...shown, graph, items, inner, wiring, pinned: false, title: 0 };
  return withFixed(layoutFrame(plan), shown.stage, graph, all.filter(isFixed), shown.shape.wide);
}

/** The frame of an open pytree: what it holds stands in rows, without edges. `inner` holds the frames of
 * what is open in it; `title` is the width of its title, px. */
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
/** The most px of a row. */
const ROW_WIDTH = 640;

/** Where boxes stand in rows, the first at (left, top). */
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

/** Whether an item is an argument whose value is fixed in the program. */
const isFixed = ({ kind }: Item): boolean => kind === 'fixed';

/** The frame of the whole program with its fixed arguments: beside its inputs, or in rows above them where that
 * takes less ground, or would else be wider than `wide` px. */
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

/** The frame with such arguments on the right of its inputs. */
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

/** The frame below rows of such arguments. */
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

/** Where a cell ends, with the text under it. */
const rightOf = ({ x, w, type, typeX }: Cell): number =>
  Math.max(x + w, type === '' ? 0 : typeX + textWidth(type, SMALL));

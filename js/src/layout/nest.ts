import { binderId, bodyId, type Id, parse, ROOT } from '../model/ids';
import { children, type Item } from '../model/outline';
import type { Body, Eqn, Graph, Stage } from '../schema';
import { captionOf, sizeOf } from './caption';
import { type Frame, layoutFrame } from './frame';
import { layoutGrid } from './grid';
import { isOutput, type Port, wiresOfBodies, wiresOfGraph, wiresOfGroup } from './wires';

interface Known {
  items: Item[];
  inner: (Frame | null)[];
  frame: Frame;
}

const known = new WeakMap<Stage, Map<Id, Known>>();

/** An item that is open (the whole program: null), in the graph whose eqns or vars it stands for. */
interface Region {
  item: Item | null;
  graph: Graph;
  items: Item[];
}

/** Lays out the program from the inside out, and gives the outermost frame. Frames in which nothing
 * was opened or closed since the last time are kept. */
export function layoutAll(stage: Stage, open: ReadonlySet<Id>): Frame {
  const cache = known.get(stage) ?? new Map<Id, Known>();
  known.set(stage, cache);
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

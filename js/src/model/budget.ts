import type { Graph, Group, Stage } from '../schema';
import { graphAt } from './graph';
import { type Id, parse, ROOT } from './ids';
import { children, type Item } from './outline';
import { pairOf, partnersIn } from './pairs';

/** A view, px at zoom 1. */
export interface View {
  readonly width: number;
  readonly height: number;
}

/** A cell of a notebook. */
export const CELL: View = { width: 900, height: 540 };
/** What a box takes of the view with the space around it, where types can still be read: px². */
const AREA = 15_000;
/** Boxes that one can take in at a glance, however large the view, and however small. */
const GLANCE = { least: 16, most: 60 };
/** Boxes that "expand all" stops at: a body shared 2^16 times must not fill the memory. */
const MOST_BOXES = 20_000;

export const budgetOf = ({ width, height }: View): number =>
  Math.max(GLANCE.least, Math.min(GLANCE.most, Math.round((width * height) / AREA)));

/** The items of one region that show. */
interface Region {
  graph: Graph | null;
  items: Item[];
}

/**
 * What to open so that at most `budget` boxes show: breadth first, in program order, each item that
 * still fits. A wrapper (the only eqn or group of its region) is opened whatever it costs; a forward
 * and its backward group are opened both or none, and count once, as they stand side by side; of
 * groups that repeat one another only the first is opened, of a pass only what has its counterpart.
 */
export function openWithin(stage: Stage, budget: number): Set<Id> {
  const open = new Set<Id>();
  const repeated = new Set<string>();
  const root = regionOf(stage, ROOT);
  let boxes = root.items.length;
  let level = [root];
  while (level.length > 0) {
    const next: Region[] = [];
    const shown = new Set(level.flatMap(({ items }) => items.map(({ id }) => id)));
    for (const { graph, items } of level) {
      const work = items.filter(({ kind }) => kind === 'eqn' || kind === 'group');
      for (const item of items) {
        if (!item.foldable || item.kind === 'gathered' || open.has(item.id)) continue;
        const group = groupOf(graph, item);
        const kind = `${graph?.name} ${group?.role} ${group?.alike}`;
        if (budget < MOST_BOXES && group && group.alike >= 0 && repeated.has(kind)) continue;
        if (budget < MOST_BOXES && group && isUnpaired(graph, group)) continue;
        const pair = group ? pairOf(stage, item.id).filter((id) => shown.has(id)) : [];
        const held = [item.id, ...pair].map((id) => regionOf(stage, id));
        const more = Math.max(...held.map((region) => region.items.length));
        const wrapper = work.length === 1 && more <= MOST_BOXES;
        if (!wrapper && boxes + more > budget) continue;
        for (const id of [item.id, ...pair]) open.add(id);
        repeated.add(kind);
        boxes += more;
        next.push(...held);
      }
    }
    level = boxes > MOST_BOXES ? [] : next;
  }
  return open;
}

/** Whether a part of a pass has no counterpart in the other one. */
function isUnpaired(graph: Graph | null, group: Group): boolean {
  const outer = group.parent === null ? null : graph?.groups[group.parent];
  const part = group.role !== '' && outer?.role === group.role;
  return part && graph !== null && partnersIn(graph, graph.groups.indexOf(group)).length === 0;
}

/** What an item holds, and the graph that this belongs to. */
function regionOf(stage: Stage, id: Id): Region {
  const items = children(stage, id);
  const path = items[0] ? parse(items[0].id).path : ROOT;
  return { graph: graphAt(stage, path), items };
}

function groupOf(graph: Graph | null, item: Item): Group | null {
  if (item.kind !== 'group') return null;
  const { step } = parse(item.id);
  return step.kind === 'group' ? (graph?.groups[step.index] ?? null) : null;
}

export const firstView = (stage: Stage, view: View = CELL): Set<Id> =>
  openWithin(stage, budgetOf(view));
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

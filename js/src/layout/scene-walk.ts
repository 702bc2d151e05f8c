/** Navigates a picture: finds the box that shows an id, the edges of a box, and the box to which an arrow key leads. */
import { hiding } from '../facts/enclosing';
import { graphAt } from '../facts/graph';
import { type Id, parse } from '../facts/ids';
import { append } from '../facts/maps';
import { writtenOn } from '../facts/text/literals';
import type { Stage } from '../schema';
import type { Edge, Scene } from './scene';
import { madeBy, usedBy } from './wires';

/** The box that shows an id: its own, or the innermost closed one that hides it; -1 if none does. */
export function boxShowing(stage: Stage, scene: Scene, id: Id | null): number {
  if (id === null) return -1;
  const shown = scene.index.has(id) ? id : writtenOn(stage, id);
  const own = scene.index.get(shown);
  if (own !== undefined) return own;
  const around = hiding(stage, shown).flatMap((one) => scene.index.get(one) ?? []);
  return around[around.length - 1] ?? -1;
}

/** The edges that enter or leave a box: indices into the scene's edges. */
export function edgesOf(stage: Stage, scene: Scene, box: number): Set<number> {
  const lit = new Set<number>();
  const item = scene.boxes[box]?.item;
  if (!item) return lit;
  const { path } = parse(item.id);
  const graph = graphAt(stage, path);
  if (!graph) return lit;
  const made = new Set(madeBy(graph, item));
  const used = new Set(usedBy(graph, item));
  const around = enclosing(scene, box);
  for (const index of edgesWith(scene, path, [...made, ...used])) {
    const edge = scene.edges[index] as Edge;
    const inside = isInside(scene, box, edge);
    const toward =
      edge.arrow === around.has(edge.target) || (inside && !within(scene, box, edge.source));
    const comes = toward && edge.vars.some((one) => used.has(one));
    const goes = edge.vars.some((one) => made.has(one)) && !inside;
    if (comes || goes) lit.add(index);
  }
  return lit;
}

/** The edges that carry each var of each graph, found once for a scene. */
const carriers = new WeakMap<Scene, Map<Id, Map<number, number[]>>>();

/** The edges that carry any of these vars of a graph. */
function edgesWith(scene: Scene, path: Id, vars: readonly number[]): Set<number> {
  const byGraph = carriers.get(scene) ?? carriersOf(scene);
  carriers.set(scene, byGraph);
  const ofGraph = byGraph.get(path);
  return new Set(vars.flatMap((one) => ofGraph?.get(one) ?? []));
}

function carriersOf({ edges }: Scene): Map<Id, Map<number, number[]>> {
  const found = new Map<Id, Map<number, number[]>>();
  edges.forEach(({ path, vars }, index) => {
    const ofGraph = found.get(path) ?? new Map<number, number[]>();
    found.set(path, ofGraph);
    for (const one of vars) append(ofGraph, one, index);
  });
  return found;
}

/** True if an edge ends within a box. */
function isInside(scene: Scene, box: number, { target, arrow }: Edge): boolean {
  return target === box ? !arrow : within(scene, box, target);
}

/** True if `other` is the box itself or lies within it. */
const within = (scene: Scene, box: number, other: number): boolean =>
  enclosing(scene, other).has(box);

/** A box and the boxes around it. */
function enclosing(scene: Scene, box: number): Set<number> {
  const found = new Set<number>();
  for (let at = box; at >= 0; at = scene.boxes[at]?.parent ?? -1) found.add(at);
  return found;
}

/** The box to which a key leads, down (1) or up (-1). Down leads into an open box, else along the data, and out of an
 * open box after its last one. -1 if there is none. */
export function walk(scene: Scene, box: number, by: 1 | -1): number {
  const around = (at: number) => scene.boxes[at]?.parent ?? -1;
  if (by === -1) {
    const before = along(scene, box, by);
    return before >= 0 ? before : around(box);
  }
  const inside = scene.boxes.findIndex(({ parent }) => parent === box && box >= 0);
  if (inside >= 0) return inside;
  const outer = enclosing(scene, box);
  for (let at = box; at >= 0; at = around(at)) {
    const next = along(scene, at, by);
    if (next >= 0 && !outer.has(next)) return next;
  }
  return -1;
}

/** The first box that uses a result of this one (1), or the first that makes one of its operands (-1). Open groups
 * are skipped. */
export function along(scene: Scene, box: number, by: 1 | -1): number {
  const [near, far] = by === 1 ? (['source', 'target'] as const) : (['target', 'source'] as const);
  const passed = new Set<number>();
  let at = box;
  let vars: ReadonlySet<number> | null = null;
  for (;;) {
    const next = scene.edges.findIndex(
      (edge, index) =>
        edge[near] === at &&
        !passed.has(index) &&
        (vars === null || edge.vars.some((one) => vars?.has(one))),
    );
    const edge = scene.edges[next];
    if (!edge) return at === box ? -1 : at;
    passed.add(next);
    at = edge[far];
    vars = new Set(edge.vars);
    const reached = scene.boxes[at];
    if (!reached?.open || reached.item.kind !== 'group') return at;
  }
}

/** The next box on the left (-1) or right (1) at the same height. */
export function beside(scene: Scene, box: number, by: 1 | -1): number {
  const from = scene.boxes[box];
  if (!from) return -1;
  let best = -1;
  let nearest = Infinity;
  const middle = from.y + Math.min(from.h, 24) / 2;
  scene.boxes.forEach((one, index) => {
    const away = (one.x - from.x) * by;
    const level = one.y <= middle && middle <= one.y + one.h;
    if (one.parent !== from.parent || index === box || !level || away <= 0) return;
    if (away < nearest) {
      nearest = away;
      best = index;
    }
  });
  return best;
}

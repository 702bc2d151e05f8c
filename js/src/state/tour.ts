/** Next and Previous: through the producers, users or calls of an item, or through all changes
 * between two programs. */
import {
  type Differences,
  differing,
  isAnyLoud,
  isLoud,
  kindAt,
  movesWhole,
  SAME,
} from '../facts/differences';
import { calls } from '../facts/enclosing';
import { ends, nearestOrigin, users } from '../facts/flow';
import { graphAt } from '../facts/graph';
import { binderId, bodyId, eqnId, type Id, parse, pathOf, ROOT } from '../facts/ids';
import type { Graph, Stage } from '../schema';

/** The ids of the places where programs differ, in program order: inputs, eqns, results. Of
 * neighbouring eqns that were all added, all removed or all moved, only the first is listed. An eqn
 * in a shared body is listed once, at the body's first place. Eqns with only other types are listed
 * if no others differ. */
export function changes(stage: Stage, differences: Differences): readonly Id[] {
  const found = changesCache.get(differences) ?? [
    ...differing(differences, stage, 'in').map((index) => binderId(ROOT, 'in', index)),
    ...eqns(stage, differences),
    ...differing(differences, stage, 'out').map((index) => binderId(ROOT, 'out', index)),
  ];
  changesCache.set(differences, found);
  return found;
}

/** The first eqn that differs; null if there is none. */
export const firstChange = (stage: Stage, differences: Differences): Id | null =>
  changes(stage, differences).find((id) => parse(id).step.kind === 'eqn') ?? null;

const changesCache = new WeakMap<Differences, readonly Id[]>();

function eqns(stage: Stage, differences: Differences): Id[] {
  const all = !isAnyLoud(differences);
  const found: Id[] = [];
  const visited = new Set<Graph>();
  const stack: { graph: Graph; path: Id; at: number }[] = [];
  const enter = (graph: Graph | undefined, path: Id) => {
    if (!graph || visited.has(graph)) return;
    visited.add(graph);
    stack.push({ graph, path, at: 0 });
  };
  enter(stage.graphs[0], ROOT);
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    const { graph, path, at } = top;
    const eqn = graph.eqns[at];
    if (!eqn) {
      stack.pop();
      continue;
    }
    top.at += 1;
    const kind = kindAt(differences, graph, at);
    const whole = movesWhole(kind);
    const goesOn = whole && at > 0 && kindAt(differences, graph, at - 1) === kind;
    if (!goesOn && (isLoud(kind) || (all && kind !== SAME))) found.push(eqnId(path, at));
    if (whole) continue;
    for (let body = eqn.bodies.length - 1; body >= 0; body--) {
      enter(stage.graphs[eqn.bodies[body]?.graph ?? -1], bodyId(path, at, body));
    }
  }
  return found;
}

/** The index of the next change (`by` 1) or the previous one (-1) from an item. The first follows
 * the last. */
function nextChange(stage: Stage, ids: readonly Id[], from: Id | null, by: 1 | -1): number {
  const here = from === null ? -1 : ids.indexOf(from);
  if (here >= 0) return (here + by + ids.length) % ids.length;
  if (from === null) return by === 1 ? 0 : ids.length - 1;
  const place = placeOf(stage, from);
  const after = ids.findIndex((id) => before(place, placeOf(stage, id)));
  const next = after < 0 ? ids.length : after;
  return (by === 1 ? next : next - 1 + ids.length) % ids.length;
}

/** The position of an item: the indices of the eqns around it, outermost first, and its own. */
function placeOf(stage: Stage, id: Id): number[] {
  const place: number[] = [];
  for (let at = id; at !== ROOT; at = pathOf(at)) {
    const { path, step } = parse(at);
    if (step.kind === 'eqn') place.push(step.index);
    else if (step.kind === 'body') place.push(step.eqn);
    else if (step.kind === 'group') {
      place.push(graphAt(stage, path)?.groups[step.index]?.start ?? 0);
    } else place.push(step.binder === 'out' ? Infinity : -1);
  }
  return place.reverse();
}

function before(one: readonly number[], other: readonly number[]): boolean {
  for (let at = 0; at < Math.min(one.length, other.length); at++) {
    const [a, b] = [one[at] as number, other[at] as number];
    if (a !== b) return a < b;
  }
  return one.length < other.length;
}

/** The eqns that make an item's operands, use its results, or call it. */
type TourKind = 'producers' | 'users' | 'calls';
/** A tour of these, or of the changes between two programs. */
export type TourPath = TourKind | 'changes';

/** A tour: its path, its stops, and the index of the present one. */
export interface Tour {
  along: TourPath;
  ids: readonly Id[];
  at: number;
}

/** The next stop of a tour. A tour starts at the selection, unless the selection is one of its
 * stops. */
export function toured(
  state: {
    stage: Stage;
    differences: Differences | null;
    selected: Id | null;
    tour: Tour | null;
  },
  along: TourPath,
  by: 1 | -1,
): Tour | null {
  const { stage, differences, selected, tour } = state;
  if (tour?.along === along) {
    const { length } = tour.ids;
    return { ...tour, at: (tour.at + by + length) % length };
  }
  if (along === 'changes') {
    const ids = differences ? changes(stage, differences) : [];
    return ids.length === 0 ? null : { along, ids, at: nextChange(stage, ids, selected, by) };
  }
  if (selected === null || selected === ROOT) return null;
  const ids = stops(stage, selected, along);
  if (ids.length === 0) return null;
  const here = ids.indexOf(selected);
  const first = by === 1 ? 0 : ids.length - 1;
  return { along, ids, at: here < 0 ? first : (here + by + ids.length) % ids.length };
}

/** The stops of a tour around an item, in the order of its operands or of the program. */
export function stops(stage: Stage, id: Id, along: TourKind): Id[] {
  if (along === 'calls') return calls(stage, id);
  const { path } = parse(id);
  const { used, made } = ends(stage, id);
  const links =
    along === 'producers'
      ? used.flatMap((variable) => nearestOrigin(stage, path, variable))
      : made.flatMap((variable) => users(stage, path, variable));
  return [...new Set(links.map((link) => link.id))].filter((one) => one !== id);
}

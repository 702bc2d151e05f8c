import type { Graph, Stage } from '../schema';
import { graphAt, totals } from './graph';
import { type Id, parse, pathOf, ROOT, type Step } from './ids';
import { children, type Item } from './outline';

/** More scopes than this cannot be told apart by colour. */
export const MOST_SCOPES = 8;

/** The outermost scopes of a program that divide it. */
export interface Scopes {
  /** The graph that they divide: the first that is more than a wrapper of another. */
  path: Id;
  /** At most `MOST_SCOPES`, in program order. */
  names: readonly string[];
  /** For each eqn of that graph its scope, or `MOST_SCOPES` where it is in none. */
  of: Uint8Array;
}

const known = new WeakMap<Stage, Scopes>();

export function scopesOf(stage: Stage): Scopes {
  const found = known.get(stage);
  if (found) return found;
  const made = find(stage);
  known.set(stage, made);
  return made;
}

function find(stage: Stage): Scopes {
  const outer = outermost(stage);
  const path = outer[0] ? pathOf(outer[0].id) : ROOT;
  const graph = graphAt(stage, path);
  const of = new Uint8Array(graph?.eqns.length ?? 0).fill(MOST_SCOPES);
  if (!graph) return { path, names: [], of };
  const scopes = divided(stage, byName(graph, outer));
  const largest = [...scopes].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
  const shown = new Set(largest.slice(0, MOST_SCOPES).map(([name]) => name));
  const names = [...scopes.keys()].filter((name) => shown.has(name));
  names.forEach((name, index) => {
    for (const { start, stop } of scopes.get(name) ?? []) of.fill(index, start, stop);
  });
  return { path, names, of };
}

/** The items that hold others, in the first graph that is more than a wrapper. */
function outermost(stage: Stage): Item[] {
  let items = holders(stage, ROOT);
  let whole = totals(stage)[0] ?? 0;
  for (;;) {
    const [only] = items;
    if (items.length !== 1 || !only || 2 * only.count < whole) return items;
    const inner = holders(stage, only.id);
    if (inner.length === 0) return items;
    items = inner;
    whole = only.count;
  }
}

type Named = ReadonlyMap<string, readonly Item[]>;

/** The largest scope divided again and again: while it holds most eqns, or all have a colour. */
function divided(stage: Stage, outer: Named): Named {
  const whole = [...outer.values()].reduce((sum, items) => sum + sizeOf(items), 0);
  let scopes = outer;
  for (let round = 0; round < MOST_SCOPES; round++) {
    const [largest] = [...scopes].sort(([, a], [, b]) => sizeOf(b) - sizeOf(a));
    if (!largest) break;
    const [name, items] = largest;
    const path = pathOf(items[0]?.id ?? ROOT);
    const graph = graphAt(stage, path);
    const inner = items.flatMap((item) => partsOf(stage, item));
    if (!graph || inner.length < 2) break;
    const rest = [...scopes].filter(([other]) => other !== name).flatMap(([, others]) => others);
    const next = byName(graph, [...rest, ...inner]);
    if (next.size < 2 || (next.size > MOST_SCOPES && 2 * sizeOf(items) < whole)) break;
    scopes = next;
  }
  return scopes;
}

/** What a group is divided into: the groups in it, or in all turns of it where it repeats. */
function partsOf(stage: Stage, item: Item): Item[] {
  const { path, step } = parse(item.id);
  if (step.kind !== 'group') return [];
  const inner = groupsIn(stage, item);
  if (graphAt(stage, path)?.groups[step.index]?.kind !== 'repeat') return inner;
  const parts = inner.flatMap((turn) => groupsIn(stage, turn));
  return parts.length > 0 ? parts : inner;
}

const groupsIn = (stage: Stage, item: Item): Item[] =>
  holders(stage, item.id).filter(({ kind }) => kind === 'group');

/** In program order. */
function byName(graph: Graph, items: readonly Item[]): Named {
  const scopes = new Map<string, Item[]>();
  for (const item of [...items].sort((a, b) => a.start - b.start)) {
    const name = nameOf(graph, item);
    const others = scopes.get(name);
    if (others) others.push(item);
    else scopes.set(name, [item]);
  }
  return scopes;
}

/** A backward group goes by the name of its forward one. */
function nameOf(graph: Graph, item: Item): string {
  const { step } = parse(item.id);
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const twin = group?.role === 'optimizer' ? null : (group?.twin ?? null);
  return (twin === null ? undefined : graph.groups[twin]?.name) ?? item.label;
}

const sizeOf = (items: readonly Item[]): number => items.reduce((sum, { count }) => sum + count, 0);

function holders(stage: Stage, id: Id): Item[] {
  return children(stage, id).filter(
    ({ kind, foldable }) => foldable && (kind === 'group' || kind === 'eqn'),
  );
}

/** The eqn of the divided graph that an item is in, -1 where it is not in one. */
function within({ path }: Scopes, item: Item): number {
  const at = pathOf(item.id);
  const inside = path === ROOT ? at : at.startsWith(`${path}/`) ? at.slice(path.length + 1) : '';
  return inside === '' ? -1 : Number.parseInt(inside, 10);
}

/** The scope that all of an item is in, `MOST_SCOPES` where it is in none or in several. */
export function scopeAt(scopes: Scopes, item: Item): number {
  const { path, of } = scopes;
  const holder = within(scopes, item);
  if (holder >= 0) return of[holder] ?? MOST_SCOPES;
  if (pathOf(item.id) !== path) return MOST_SCOPES;
  const first = of[item.start] ?? MOST_SCOPES;
  return of.subarray(item.start, item.stop).every((one) => one === first) ? first : MOST_SCOPES;
}

/** Eqns of each scope in an item, itself too; those in none are counted as `MOST_SCOPES`. */
export function heldScopes(stage: Stage, scopes: Scopes, item: Item, classes: number): Uint32Array {
  const held = new Uint32Array(classes);
  const whole = item.count + (item.kind === 'eqn' ? 1 : 0);
  const around = range(scopes, item);
  const eqns = graphAt(stage, scopes.path)?.eqns ?? [];
  const total = totals(stage);
  let left = whole;
  for (let at = around.start; at < around.stop; at++) {
    const bodies = eqns[at]?.bodies ?? [];
    const count = bodies.reduce((sum, body) => sum + (total[body.graph] ?? 0), 1);
    held[scopes.of[at] ?? MOST_SCOPES]! += count;
    left -= count;
  }
  held[scopeAt(scopes, item)]! += Math.max(0, left);
  return held;
}

/** The eqns of the divided graph that an item covers or holds, `[start, stop)`. */
function range(scopes: Scopes, item: Item): { start: number; stop: number } {
  const { path, step } = parse(item.id);
  if (path === scopes.path && step.kind !== 'body') return item;
  const inside = path === ROOT ? scopes.path : scopes.path.slice(path.length + 1);
  const outer = path === ROOT || scopes.path.startsWith(`${path}/`);
  const at = outer && inside !== '' ? Number.parseInt(inside, 10) : -1;
  const holds = at >= item.start && at < item.stop && leads(inside, step);
  return holds ? { start: 0, stop: scopes.of.length } : { start: 0, stop: 0 };
}

/** Of an eqn's bodies only one holds the divided graph. */
const leads = (inside: string, step: Step): boolean =>
  step.kind !== 'body' || inside.split('/')[0] === `${step.eqn}.${step.index}`;

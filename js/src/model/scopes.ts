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
  const items = divided(stage);
  const path = items[0] ? parse(items[0].id).path : ROOT;
  const graph = graphAt(stage, path);
  const of = new Uint8Array(graph?.eqns.length ?? 0).fill(MOST_SCOPES);
  if (!graph) return { path, names: [], of };
  const key = (item: Item) => twinOf(graph, item);
  const sizes = new Map<string, number>();
  for (const item of items) sizes.set(key(item), (sizes.get(key(item)) ?? 0) + item.count);
  const largest = [...sizes].sort((a, b) => b[1] - a[1]).slice(0, MOST_SCOPES);
  const shown = new Set(largest.map(([name]) => name));
  const names = [...sizes.keys()].filter((name) => shown.has(name));
  for (const item of items) {
    if (shown.has(key(item))) of.fill(names.indexOf(key(item)), item.start, item.stop);
  }
  return { path, names, of };
}

/** A backward group goes by the name of its forward one. */
function twinOf(graph: Graph, item: Item): string {
  const { step } = parse(item.id);
  const group = step.kind === 'group' ? graph.groups[step.index] : undefined;
  const twin = group?.role === 'optimizer' ? null : (group?.twin ?? null);
  return (twin === null ? undefined : graph.groups[twin]?.name) ?? item.label;
}

/** The items that hold others, in the first graph where there are several; the largest divided
 * again while it holds most eqns, or while all have a colour. */
function divided(stage: Stage): Item[] {
  let items = holders(stage, ROOT);
  while (items.length === 1 && items[0]) {
    const inner = holders(stage, items[0].id);
    if (inner.length === 0) break;
    items = inner;
  }
  const whole = items.reduce((sum, { count }) => sum + count, 0);
  for (let round = 0; round < MOST_SCOPES; round++) {
    const largest = items.reduce<Item | null>(
      (best, item) => (item.kind === 'group' && item.count > (best?.count ?? 0) ? item : best),
      null,
    );
    if (!largest) break;
    const inner = holders(stage, largest.id);
    const many = items.length + inner.length - 1 > MOST_SCOPES;
    if (inner.length < 2 || (many && largest.count < whole / 2)) break;
    items = items.flatMap((item) => (item === largest ? inner : [item]));
  }
  return items;
}

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

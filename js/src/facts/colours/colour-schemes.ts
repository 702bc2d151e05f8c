/** The schemes of colours (family, dtype, scope, flops, bytes, measured time), the entries of their
 * legend, and the entry of each box. */
import { __ } from '../../language';
import type { Graph, Stage } from '../../schema';
import { allEqns, eqnsHeld, graphAt } from '../graph';
import { type Id, parse, pathOf, ROOT, type Step } from '../ids';
import { FAMILIES, familyIn } from '../kinds';
import { cached, gather } from '../maps';
import { children, type Item } from '../outline';
import { shareOf } from '../text/describe';
import { censusOf, countsIn, countsOfStage } from './census';
import { allOf, allText, HEATS, heatClasses, heatOf, lengthOf, type Measure, partOf } from './heat';

/** The property that the colour of a box shows. */
export type ColourBy = 'family' | 'dtype' | 'scope' | Measure | 'change';

/** An entry of the legend. */
export interface ColourClass {
  /** Names two CSS variables: `--jxv-<paint>-fill` and `--jxv-<paint>-line`. */
  paint: string;
  label: string;
  /** A sentence about the boxes of this colour. */
  about: string;
  /** A character with the same meaning as the colour. It stands in the legend, and on boxes if `loud`. */
  sign?: string;
  loud?: boolean;
  /** Lengths of dashes and gaps of the line around a box, px; empty or absent for a solid line. */
  dash?: readonly number[];
}

/** A scheme of colours: its classes, and functions that return the index of an item's class. */
export interface Scheme {
  classes: readonly ColourClass[];
  ofEqn(item: Item, graph: Graph): number;
  ofBinder(graph: Graph, variable: number): number;
  /** The class of a box for several inputs or outputs, from the classes of each. The default is the lowest of them. */
  ofGathered?(found: readonly number[]): number;
  /** The class of a group, a body or an eqn with bodies. `counts` are those of `countsOf` if it is closed, and null
   * if it is open. */
  ofHolder(item: Item, counts: Uint32Array | null): number;
  /** The number of eqns of each class in such an item, itself included. Null for schemes by cost, where the class of
   * the item already includes its contents. */
  countsOf: ((item: Item, graph: Graph) => Uint32Array) | null;
  /** The filled share of the strip along a box, 0 to 1; null for schemes that show no amount. */
  lengthOf: ((item: Item) => number) | null;
  /** The total whose shares the strips show, in words; empty if there is none. */
  whole: string;
  /** The number of eqns of each class in the stage; null if the legend counts the boxes drawn. */
  all: Uint32Array | null;
  /** True if inputs and outputs have classes of their own, which the legend counts too. */
  countsBinders: boolean;
}

const binders = (): ColourClass => ({
  paint: 'pill',
  label: __('inputs, outputs'),
  about: '',
});

export function byFamily(stage: Stage): Scheme {
  const classes = [
    ...FAMILIES.map(({ family, label, about }) => {
      return { paint: family, label: label(), about: about() };
    }),
    { paint: 'group', label: __('groups'), about: '' },
    binders(),
  ];
  const index = new Map(FAMILIES.map(({ family }, at) => [family, at]));
  const holders = FAMILIES.length;
  const ofEqn = (graph: Graph, at: number) => {
    return index.get(familyIn(stage, graph.eqns[at]!)) ?? holders;
  };
  const census = censusOf(stage, classes.length, ofEqn);
  return {
    classes,
    ofEqn: (item, graph) => ofEqn(graph, item.start),
    ofBinder: () => holders + 1,
    ofHolder: ({ family }) => (family === null ? holders : (index.get(family) ?? holders)),
    countsOf: (item, graph) => countsIn(census, graph, item),
    all: countsOfStage(census),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

export function byScope(stage: Stage): Scheme {
  const scopes = scopesOf(stage);
  return {
    classes: [
      ...Array.from({ length: MOST_SCOPES }, (_, index) => ({
        paint: `scope${index + 1}`,
        label: scopes.names[index] ?? '',
        about: '',
      })),
      {
        paint: 'group',
        label: __('elsewhere'),
        about: __('Outside these scopes, or around several of them'),
      },
      binders(),
    ],
    ofEqn: (item) => scopeAt(scopes, item),
    ofBinder: () => MOST_SCOPES + 1,
    ofHolder: (item) => scopeAt(scopes, item),
    countsOf: (item) => scopeCounts(stage, scopes, item, MOST_SCOPES + 2),
    all: allScopes(stage, scopes, MOST_SCOPES + 2),
    lengthOf: null,
    whole: '',
    countsBinders: false,
  };
}

/** By the share of the program's flops, bytes or measured time that an item has with its contents in all its runs. */
export function byHeat(stage: Stage, by: Measure): Scheme {
  const whole = allOf(stage, by);
  const heat = ({ id }: Item) => heatOf(partOf(stage, id, by), whole);
  return {
    classes: [...heatClasses(stage, by), binders()],
    ofEqn: heat,
    ofBinder: () => HEATS.length,
    ofHolder: heat,
    countsOf: null,
    all: null,
    whole: allText(stage, by),
    lengthOf: ({ id, start, stop }) =>
      start === stop ? 0 : lengthOf(shareOf(partOf(stage, id, by), whole) ?? 0),
    countsBinders: false,
  };
}

/** The most scopes with a colour of their own. */
export const MOST_SCOPES = 8;

/** The scopes that a program is coloured by. */
export interface Scopes {
  /** The path of the graph that they divide: the first that does not just wrap another. */
  path: Id;
  /** Their names, at most `MOST_SCOPES`, in program order. */
  names: readonly string[];
  /** For each eqn of that graph the index of its scope, or `MOST_SCOPES` for none. */
  of: Uint8Array;
}

const scopesOf = cached((stage: Stage): Scopes => {
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
});

/** The items with contents in the first graph that is not just a wrapper. */
function outermost(stage: Stage): Item[] {
  let items = holders(stage, ROOT);
  let whole = allEqns(stage);
  for (;;) {
    const [only] = items;
    if (items.length !== 1 || !only || 2 * only.count < whole) return items;
    const inner = holders(stage, only.id);
    if (inner.length === 0) return items;
    items = inner;
    whole = only.count;
  }
}

type ItemsByName = ReadonlyMap<string, readonly Item[]>;

/** Divides the largest scope again and again, as long as it contains most of the eqns, or all parts can have a
 * colour. */
function divided(stage: Stage, outer: ItemsByName): ItemsByName {
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

/** The parts of a group: the groups in it, or those in each iteration if it repeats. */
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

/** Items with the same name together, in program order. */
function byName(graph: Graph, items: readonly Item[]): ItemsByName {
  const inOrder = [...items].sort((a, b) => a.start - b.start);
  return gather(inOrder, (item) => nameOf(graph, item));
}

/** The name of an item's scope. A backward group has the name of its forward group, and therefore its colour. */
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

/** The eqn of the divided graph that contains an item; -1 if none does. */
function within({ path }: Scopes, item: Item): number {
  const at = pathOf(item.id);
  const inside = path === ROOT ? at : at.startsWith(`${path}/`) ? at.slice(path.length + 1) : '';
  return inside === '' ? -1 : Number.parseInt(inside, 10);
}

/** The scope that contains all of an item; `MOST_SCOPES` if it is in none, or in several. */
function scopeAt(scopes: Scopes, item: Item): number {
  const { path, of } = scopes;
  const holder = within(scopes, item);
  if (holder >= 0) return of[holder] ?? MOST_SCOPES;
  if (pathOf(item.id) !== path) return MOST_SCOPES;
  const first = of[item.start] ?? MOST_SCOPES;
  return of.subarray(item.start, item.stop).every((one) => one === first) ? first : MOST_SCOPES;
}

/** The number of eqns of each scope in an item, itself included. Eqns in no scope count under `MOST_SCOPES`. */
function scopeCounts(stage: Stage, scopes: Scopes, item: Item, classes: number): Uint32Array {
  const counts = new Uint32Array(classes);
  const whole = item.count + (item.kind === 'eqn' ? 1 : 0);
  const around = range(scopes, item);
  const graph = graphAt(stage, scopes.path);
  const seen = new Set<Graph>();
  let left = whole;
  for (let at = around.start; at < around.stop; at++) {
    const count = eqnsHeld(stage, graph as Graph, at, at + 1, seen);
    counts[scopes.of[at] ?? MOST_SCOPES]! += count;
    left -= count;
  }
  counts[scopeAt(scopes, item)]! += Math.max(0, left);
  return counts;
}

/** The number of eqns of each scope in the whole stage. */
function allScopes(stage: Stage, scopes: Scopes, classes: number): Uint32Array {
  const whole = new Uint32Array(classes);
  const seen = new Set<Graph>();
  const graph = graphAt(stage, scopes.path);
  scopes.of.forEach((scope, at) => {
    whole[scope]! += eqnsHeld(stage, graph as Graph, at, at + 1, seen);
  });
  const within = whole.reduce((sum, count) => sum + count, 0);
  whole[MOST_SCOPES]! += allEqns(stage) - within;
  return whole;
}

/** The eqns `[start, stop)` of the divided graph that an item covers or contains. */
function range(scopes: Scopes, item: Item): { start: number; stop: number } {
  const { path, step } = parse(item.id);
  if (path === scopes.path && step.kind !== 'body') return item;
  const inside = path === ROOT ? scopes.path : scopes.path.slice(path.length + 1);
  const outer = path === ROOT || scopes.path.startsWith(`${path}/`);
  const at = outer && inside !== '' ? Number.parseInt(inside, 10) : -1;
  const holds = at >= item.start && at < item.stop && leads(inside, step);
  return holds ? { start: 0, stop: scopes.of.length } : { start: 0, stop: 0 };
}

/** True if an item leads to the divided graph: only one of an eqn's bodies does. */
const leads = (inside: string, step: Step): boolean =>
  step.kind !== 'body' || inside.split('/')[0] === `${step.eqn}.${step.index}`;

import type { Eqn, Graph, Stage } from '../schema';
import { DTYPES, dtypeOf } from './dtype';
import { FAMILIES, familyOf } from './family';
import { graphAt } from './graph';
import { parse, ROOT } from './ids';
import type { Item } from './outline';
import { MOST_SCOPES, type Scopes, scopesOf } from './scopes';

/** What a box's colour tells. */
export type ColourBy = 'family' | 'dtype' | 'scope';

/** An entry of the legend. */
export interface ColourClass {
  /** The colours of this name are `--jxv-<paint>-fill` and `--jxv-<paint>-line`. */
  paint: string;
  label: string;
  /** What falls into it, in a sentence. */
  about: string;
}

/** The class of each box of a picture, and what the closed ones hold of each class. */
export interface Colouring {
  by: ColourBy;
  classes: readonly ColourClass[];
  /** By box. */
  of: Uint8Array;
  /** By box: eqns of each class inside a closed one, else null. */
  within: readonly (Uint32Array | null)[];
  /** By class: eqns (by dtype, inputs and outputs too) in all that is drawn. */
  counts: Uint32Array;
}

/** A box as far as its colour goes. */
export interface Drawn {
  item: Item;
  open: boolean;
}

const BINDERS: ColourClass = { paint: 'pill', label: 'inputs, outputs', about: '' };
const HOLDERS: ColourClass = { paint: 'group', label: 'groups', about: '' };

/** How a picture is coloured: the classes, and where eqns, binders and what holds others belong. */
interface Scheme {
  classes: readonly ColourClass[];
  ofEqn(graph: Graph, eqn: Eqn): number;
  ofBinder(graph: Graph, variable: number): number;
  /** An open box, or a closed one that holds these eqns. */
  ofHolder(item: Item, held: Uint32Array | null): number;
  /** The class that all eqns of an item have, where its place alone says so; else -1. */
  ofPlace(item: Item): number;
  /** Whether inputs and outputs are counted. */
  binders: boolean;
}

/** Colours the boxes of a picture. Linear in the boxes and the eqns that the closed ones cover. */
export function colour(stage: Stage, boxes: readonly Drawn[], by: ColourBy): Colouring {
  const scheme = schemeOf(stage, by);
  const size = scheme.classes.length;
  const census = censusOf(stage, by, scheme);
  const of = new Uint8Array(boxes.length);
  const counts = new Uint32Array(size);
  const within = boxes.map(({ item, open }, index): Uint32Array | null => {
    const { path } = parse(item.id);
    const graph = graphAt(stage, path) as Graph;
    if (item.vars.length > 0 || item.stop === item.start) {
      const classes = item.vars.map((one) => scheme.ofBinder(graph, one));
      of[index] = classes.reduce((worst, one) => Math.min(worst, one), size - 1);
      if (!open && scheme.binders) for (const one of classes) counts[one]! += 1;
      return null;
    }
    const place = scheme.ofPlace(item);
    if (!item.foldable) {
      const eqn = graph.eqns[item.start] as Eqn;
      of[index] = place >= 0 ? place : scheme.ofEqn(graph, eqn);
      counts[of[index]!]! += 1;
      return null;
    }
    const held = open ? null : heldBy(census, stage, graph, item, size);
    of[index] = place >= 0 ? place : scheme.ofHolder(item, held);
    const self = item.kind === 'eqn' ? 1 : 0;
    if (place >= 0) counts[place]! += (open ? 0 : item.count) + self;
    else if (held) addTo(counts, held);
    else if (self) counts[scheme.ofEqn(graph, graph.eqns[item.start] as Eqn)]! += 1;
    return place >= 0 ? null : held;
  });
  return { by, classes: scheme.classes, of, within, counts };
}

/** Whether a box is of a class or holds eqns of it. */
export function holds({ of, within }: Colouring, box: number, one: number): boolean {
  const held = within[box];
  return held ? (held[one] ?? 0) > 0 : of[box] === one;
}

function schemeOf(stage: Stage, by: ColourBy): Scheme {
  if (by === 'dtype') return byDtype(stage);
  return by === 'scope' ? byScope(stage) : BY_FAMILY;
}

const NOWHERE = () => -1;

const BY_FAMILY: Scheme = {
  classes: [
    ...FAMILIES.map(({ family, about }) => ({ paint: family, label: family, about })),
    HOLDERS,
    BINDERS,
  ],
  ofEqn: (_, { op, bodies }) => familyIndex(familyOf(op, bodies.length)),
  ofBinder: () => FAMILIES.length + 1,
  ofHolder: ({ family }) => (family === null ? FAMILIES.length : familyIndex(family)),
  ofPlace: NOWHERE,
  binders: false,
};

function familyIndex(name: string): number {
  return FAMILIES.findIndex(({ family }) => family === name);
}

/** The widest float comes first: a closed group has the colour of the first class that it holds. */
function byDtype(stage: Stage): Scheme {
  const kinds = stage.avals.map(dtypeOf);
  const other = DTYPES.length - 1;
  const ofVar = (graph: Graph, variable: number) =>
    kinds[graph.vars[variable]?.aval ?? -1] ?? other;
  return {
    classes: [...DTYPES.map(({ name, about }) => ({ paint: name, label: name, about })), HOLDERS],
    ofEqn: (graph, { outvars }) =>
      outvars.reduce((worst, one) => Math.min(worst, ofVar(graph, one)), other),
    ofBinder: ofVar,
    ofHolder: (_, held) => (held ? held.findIndex((count) => count > 0) : DTYPES.length),
    ofPlace: NOWHERE,
    binders: true,
  };
}

function byScope(stage: Stage): Scheme {
  const scopes = scopesOf(stage);
  const rest = MOST_SCOPES;
  return {
    classes: [
      ...Array.from({ length: MOST_SCOPES }, (_, index) => ({
        paint: `scope${index + 1}`,
        label: scopes.names[index] ?? '',
        about: '',
      })),
      { paint: 'group', label: 'elsewhere', about: 'Eqns beside these scopes' },
      BINDERS,
    ],
    ofEqn: () => rest,
    ofBinder: () => rest + 1,
    ofHolder: () => rest,
    ofPlace: (item) => scopeAt(scopes, item),
    binders: false,
  };
}

/** The scope that covers all of an item, by its own place or that of the body that it is in. */
function scopeAt({ path, of }: Scopes, item: Item): number {
  const at = parse(item.id).path;
  const inside = path === ROOT ? at : at.slice(path.length + 1);
  const within = path === ROOT || at === path || at.startsWith(`${path}/`);
  if (!within) return MOST_SCOPES;
  if (inside !== '') return of[Number.parseInt(inside, 10)] ?? MOST_SCOPES;
  const first = of[item.start] ?? MOST_SCOPES;
  return first === of[item.stop - 1] ? first : MOST_SCOPES;
}

/** The class of each eqn of each graph, and for each graph how many of each class it holds. */
interface Census {
  of: Uint8Array[];
  totals: Uint32Array[];
}

const taken = new WeakMap<Stage, Map<ColourBy, Census>>();

function censusOf(stage: Stage, by: ColourBy, { classes, ofEqn }: Scheme): Census {
  const known = taken.get(stage) ?? new Map<ColourBy, Census>();
  taken.set(stage, known);
  const found = known.get(by);
  if (found) return found;
  const of = stage.graphs.map((graph) => Uint8Array.from(graph.eqns, (eqn) => ofEqn(graph, eqn)));
  const totals = stage.graphs.map(() => new Uint32Array(classes.length));
  for (const index of innermostFirst(stage)) {
    const graph = stage.graphs[index] as Graph;
    add({ of, totals }, index, graph, 0, graph.eqns.length, totals[index] as Uint32Array);
  }
  const census = { of, totals };
  known.set(by, census);
  return census;
}

/** Adds what eqns `[start, stop)` of a graph hold, themselves too. */
function add(
  { of, totals }: Census,
  index: number,
  graph: Graph,
  start: number,
  stop: number,
  into: Uint32Array,
): void {
  const classes = of[index] as Uint8Array;
  for (let at = start; at < stop; at++) {
    into[classes[at]!]! += 1;
    for (const body of graph.eqns[at]?.bodies ?? []) {
      addTo(into, totals[body.graph] as Uint32Array);
    }
  }
}

function addTo(into: Uint32Array, counts: Uint32Array): void {
  for (let one = 0; one < into.length; one++) into[one]! += counts[one]!;
}

function heldBy(census: Census, stage: Stage, graph: Graph, item: Item, size: number): Uint32Array {
  const { step } = parse(item.id);
  if (step.kind === 'body') {
    const body = graph.eqns[step.eqn]?.bodies[step.index];
    return census.totals[body?.graph ?? -1] ?? new Uint32Array(size);
  }
  const held = new Uint32Array(size);
  add(census, indexOf(stage, graph), graph, item.start, item.stop, held);
  return held;
}

const indices = new WeakMap<Stage, Map<Graph, number>>();

function indexOf(stage: Stage, graph: Graph): number {
  let known = indices.get(stage);
  if (!known) {
    known = new Map(stage.graphs.map((one, index) => [one, index]));
    indices.set(stage, known);
  }
  return known.get(graph) ?? -1;
}

/** All graphs, each behind those that its eqns hold. */
function innermostFirst(stage: Stage): number[] {
  const order: number[] = [];
  const entered = stage.graphs.map(() => false);
  const stack = stage.graphs.map((_, index) => index).reverse();
  const left = new Set<number>();
  while (stack.length > 0) {
    const at = stack[stack.length - 1] as number;
    const missing = entered[at]
      ? []
      : (stage.graphs[at]?.eqns.flatMap((eqn) => eqn.bodies.map((body) => body.graph)) ?? []);
    entered[at] = true;
    const next = missing.filter((graph) => !entered[graph]);
    if (next.length > 0) {
      stack.push(...next);
      continue;
    }
    stack.pop();
    if (!left.has(at)) order.push(at);
    left.add(at);
  }
  return order;
}

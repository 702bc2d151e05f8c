/** The items of a program on which an item depends, those that depend on it, and all paths between two. */
import type { Body, Eqn, Graph, Stage } from '../schema';
import { flowOf } from './flow';
import { bindersNamed, carryOf, graphAt } from './graph';
import { type Id, parse, ROOT, type Step } from './ids';
import { cached } from './maps';
import type { Item } from './outline';

/** Shows only what an item depends on (`up`) or what depends on it (`down`). */
export interface ReachFilter {
  id: Id;
  toward: Toward;
}

/** Returns a test for the items that an item depends on (`up`) or that depend on it (`down`), including the item
 * itself and its contents. The search leads out of the bodies around the item, and into the bodies of the eqns that it
 * reaches, along the values that lead on. A loop's carry leads to its next iteration. A body is examined only when one
 * of its items is tested, in time linear in its eqns. */
export function reachTest(stage: Stage, id: Id, toward: Toward): (item: Item) => boolean {
  const reach = reachOf(stage, { id, toward });
  return (item) => reach.isReached(item.id, item.start, item.stop, item.vars);
}

/** True if the value of a var, in the graph at a path, is on the path. */
export function carries(stage: Stage, only: ReachFilter, path: Id, variable: number): boolean {
  return reachOf(stage, only).carries(path, variable);
}

/** The same test for an id. */
export function keeps(stage: Stage, only: ReachFilter, id: Id): boolean {
  if (id === ROOT) return true;
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return false;
  const { start, stop, vars } = coverOf(graph, step);
  return reachOf(stage, only).isReached(id, start, stop, vars);
}

/** A test for the items that an item depends on or that depend on it. */
export function related(stage: Stage, id: Id): (item: Item) => boolean {
  const [up, down] = [reachTest(stage, id, 'up'), reachTest(stage, id, 'down')];
  return (item) => up(item) || down(item);
}

const reachesIn = cached((_: Stage) => new Map<string, Reach>());
/** The number of cached reaches of each stage. */
const MOST_CACHED = 8;

function reachOf(stage: Stage, { id, toward }: ReachFilter): Reach {
  const ofStage = reachesIn(stage);
  const key = `${toward} ${id}`;
  const reach = ofStage.get(key) ?? new Reach(stage, id, toward);
  ofStage.delete(key);
  ofStage.set(key, reach);
  for (const oldest of ofStage.keys()) {
    if (ofStage.size <= MOST_CACHED) break;
    ofStage.delete(oldest);
  }
  return reach;
}

/** The part that an item covers: eqns `[start, stop)` of its graph, or the vars that it binds. */
interface Cover {
  start: number;
  stop: number;
  vars: readonly number[];
}

function coverOf(graph: Graph, step: Step): Cover {
  if (step.kind === 'eqn') return { start: step.index, stop: step.index + 1, vars: [] };
  if (step.kind === 'body') return { start: step.eqn, stop: step.eqn + 1, vars: [] };
  if (step.kind === 'group') {
    const { start, stop } = graph.groups[step.index] ?? { start: 0, stop: 0 };
    return { start, stop, vars: [] };
  }
  return { start: 0, stop: 0, vars: bindersNamed(graph, step).vars };
}

class Reach {
  readonly #regions = new Map<Id, Region | 'all' | 'none'>();
  readonly #origin: Cover & { id: Id; path: Id };

  constructor(
    readonly stage: Stage,
    id: Id,
    readonly toward: Toward,
  ) {
    const { path, step } = parse(id);
    const graph = graphAt(stage, path);
    this.#origin = { id, path, start: 0, stop: 0, vars: [] };
    if (!graph) return;
    this.#origin = { id, path, ...coverOf(graph, step) };
    const carried = path === ROOT ? [] : this.#bodyAt(path).carried;
    const region = reachIn(graph, toward, this.#origin, this.#origin.vars, carried);
    this.#regions.set(path, region);
    this.#outward(graph, path, region);
  }

  isReached(id: Id, start: number, stop: number, vars: readonly number[]): boolean {
    if (id === this.#origin.id) return true;
    const { path, step } = parse(id);
    const region = this.#region(path);
    if (region === 'all' || region === 'none') return region === 'all';
    if (stop > start) return (region.before[stop] as number) > (region.before[start] as number);
    const output = 'binder' in step && step.binder === 'out';
    return vars.some((one) => (output ? region.returned.has(one) : region.vars[one] === 1));
  }

  carries(path: Id, variable: number): boolean {
    const region = this.#region(path);
    return region === 'all' || (region !== 'none' && region.vars[variable] === 1);
  }

  /** Finds the reached parts of the graphs around one, from its reached inputs or outputs up to the root. */
  #outward(graph: Graph, from: Id, reached: Region): void {
    let [inner, region, path] = [graph, reached, from];
    while (path !== ROOT) {
      const { outer, path: around, eqn, index, body } = this.#bodyAt(path);
      const vars =
        this.toward === 'up'
          ? passed(inner.invars, region.vars, body.inputs, eqn.invars)
          : passed(inner.outvars, region.vars, body.outputs, eqn.outvars);
      const carried = around === ROOT ? [] : this.#bodyAt(around).carried;
      region = reachIn(outer, this.toward, { start: index, stop: index }, vars, carried, index);
      this.#regions.set(around, region);
      [inner, path] = [outer, around];
    }
  }

  /** The reached part of the graph at a path: cached if the graph is around the item, else found from the graph
   * outside of it. */
  #region(path: Id): Region | 'all' | 'none' {
    const missing: Id[] = [];
    let at = path;
    for (; !this.#regions.has(at) && at !== ROOT; at = parse(at).path) missing.push(at);
    for (const one of missing.reverse()) this.#regions.set(one, this.#inward(one));
    return this.#regions.get(path) ?? 'none';
  }

  #inward(path: Id): Region | 'all' | 'none' {
    const { outer, path: around, eqn, index, body, carried } = this.#bodyAt(path);
    const region = this.#regions.get(around) ?? 'none';
    const { start, stop } = this.#origin;
    if (region === 'all' || region === 'none') return region;
    if (around === this.#origin.path && start <= index && index < stop) return 'all';
    if ((region.before[index] as number) === (region.before[index + 1] as number)) return 'none';
    if (this.#origin.path.startsWith(`${around === ROOT ? '' : `${around}/`}${index}.`))
      return 'none';
    const graph = this.stage.graphs[body.graph];
    if (!graph || !outer) return 'none';
    const [ends, map, outside] =
      this.toward === 'up'
        ? [graph.outvars, body.outputs, eqn.outvars]
        : [graph.invars, body.inputs, eqn.invars];
    const seeds = ends.filter((_, end) => {
      const to = map[end] ?? -1;
      if (to < 0) return this.toward === 'up' || map.every((one) => one < 0);
      return region.vars[outside[to] as number] === 1;
    });
    return reachIn(graph, this.toward, { start: 0, stop: 0 }, seeds, carried);
  }

  #bodyAt(path: Id) {
    const { path: around, step } = parse(path);
    const outer = graphAt(this.stage, around) as Graph;
    const at = step as Extract<Step, { kind: 'body' }>;
    const eqn = outer.eqns[at.eqn] as Eqn;
    const body = eqn.bodies[at.index] as Body;
    const graph = this.stage.graphs[body.graph] as Graph;
    return {
      outer,
      path: around,
      eqn,
      index: at.eqn,
      body,
      carried: carriedBy(eqn, at.index, graph),
    };
  }
}

/** The vars outside of a body for its reached inputs or outputs; all of them if the correspondence is not known. */
function passed(
  ends: readonly number[],
  reached: Uint8Array,
  map: readonly number[],
  outside: readonly number[],
): number[] {
  const through = ends.flatMap((variable, end) =>
    reached[variable] === 1 ? [map[end] ?? -1] : [],
  );
  if (through.length > 0 && map.every((one) => one < 0)) return [...outside];
  return through.flatMap((one) => (one < 0 ? [] : [outside[one] as number]));
}

/** `up` goes against the flow of data, to what an item depends on; `down` goes with it. */
export type Toward = 'up' | 'down';

/** The reached eqns and vars of one instance of a graph. */
interface Region {
  /** 1 for each reached var. */
  vars: Uint8Array;
  /** For each n, the number of reached eqns in `[0, n)`: one subtraction tells whether a range contains any. */
  before: Int32Array;
  /** The vars whose output is reached. */
  returned: ReadonlySet<number>;
}

/** One value of a loop's carry: the var of its body that one iteration returns, and the var in which the next
 * iteration receives it. */
type Carry = { from: number; to: number };

function carriedBy(eqn: Eqn, body: number, graph: Graph): Carry[] {
  const pairs = carryOf(eqn, body);
  return pairs.flatMap(({ input, output }) => {
    const [from, to] = [graph.outvars[output], graph.invars[input]];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
}

/** The eqns and vars of a graph that lead to (or come from) eqns `[start, stop)` and the vars in `seeds`. `through`
 * is the eqn whose body the search came out of: it is reached whatever it uses and makes. */
function reachIn(
  graph: Graph,
  toward: Toward,
  own: { start: number; stop: number },
  seeds: readonly number[],
  carried: readonly Carry[],
  through = -1,
): Region {
  const vars = new Uint8Array(graph.vars.length);
  const keeps = new Uint8Array(graph.eqns.length);
  for (const one of seeds) vars[one] = 1;
  if (through >= 0) keeps[through] = 1;
  const returned = new Set(seeds);
  do passOver(graph, toward, own, vars, keeps);
  while (passIteration(toward, carried, vars, returned));
  const before = new Int32Array(keeps.length + 1);
  for (let at = 0; at < keeps.length; at++) before[at + 1] = before[at]! + keeps[at]!;
  if (toward === 'down') {
    for (const one of graph.outvars) if (vars[one] === 1) returned.add(one);
  }
  return { vars, before, returned };
}

/** Marks, in one pass over a graph's eqns, those to which a marked var leads, and their vars. */
function passOver(
  graph: Graph,
  toward: Toward,
  { start, stop }: { start: number; stop: number },
  vars: Uint8Array,
  keeps: Uint8Array,
): void {
  const { taken, made } = flowOf(graph);
  const [near, far] = toward === 'up' ? [made, taken] : [taken, made];
  keeps.forEach((_, step) => {
    const index = toward === 'up' ? keeps.length - 1 - step : step;
    let isReached = start <= index && index < stop;
    for (let at = near.begins[index]!; !isReached && at < near.begins[index + 1]!; at++) {
      const one = near.all[at]!;
      isReached = vars[one] === 1 && !graph.vars[one]?.literal;
    }
    if (!isReached) return;
    keeps[index] = 1;
    for (let at = far.begins[index]!; at < far.begins[index + 1]!; at++) vars[far.all[at]!] = 1;
  });
}

/** Marks the values that a loop's carry passes to the next iteration. Returns true if any is new. */
function passIteration(
  toward: Toward,
  carried: readonly Carry[],
  vars: Uint8Array,
  returned: Set<number>,
): boolean {
  let more = false;
  for (const { from, to } of carried) {
    const [have, want] = toward === 'up' ? [to, from] : [from, to];
    if (vars[have] !== 1) continue;
    if (toward === 'up') returned.add(want);
    if (vars[want] !== 1) more = true;
    vars[want] = 1;
  }
  return more;
}

/** The part of a program that keeps its colour while the rest is faint. */
export interface Bright {
  has: (item: Item) => boolean;
  /** The values whose edges are lit; without it, those of the selection. */
  carries?: (path: Id, variable: number) => boolean;
  /** If present, it applies only while this is selected. */
  at?: Id;
}

/** All paths from an item to another: the items that depend on the first and on which the second depends. */
export function pathsBetween(stage: Stage, from: Id, to: Id): Bright {
  const [after, before] = [reachTest(stage, from, 'down'), reachTest(stage, to, 'up')];
  return {
    has: (item) => after(item) && before(item),
    carries: (path, variable) =>
      carries(stage, { id: from, toward: 'down' }, path, variable) &&
      carries(stage, { id: to, toward: 'up' }, path, variable),
    at: from,
  };
}

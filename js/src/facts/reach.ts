/** The items of a program on which an item depends, those that depend on it, and all paths between
 * two. */
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

/** Gives a test for the items that an item depends on (`up`) or that depend on it (`down`), the
 * item itself and all in it included. Goes through bodies both ways: out of the bodies around the
 * item, and into those of eqns on the way, as far as their results lead on. A loop's carry leads to
 * its next round. A body is only looked into when one of its items is asked for; that takes time
 * linear in its eqns. */
export function kept(stage: Stage, id: Id, toward: Toward): (item: Item) => boolean {
  const reach = reachOf(stage, { id, toward });
  return (item) => reach.keeps(item.id, item.start, item.stop, item.vars);
}

/** Whether the value of a var, in the graph at a path, is on the way. */
export function carries(stage: Stage, only: ReachFilter, path: Id, variable: number): boolean {
  return reachOf(stage, only).carries(path, variable);
}

/** The same test for an item of which only the id is at hand. */
export function keeps(stage: Stage, only: ReachFilter, id: Id): boolean {
  if (id === ROOT) return true;
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return false;
  const { start, stop, vars } = coverOf(graph, step);
  return reachOf(stage, only).keeps(id, start, stop, vars);
}

/** A test for the items that an item depends on or that depend on it. */
export function related(stage: Stage, id: Id): (item: Item) => boolean {
  const [up, down] = [kept(stage, id, 'up'), kept(stage, id, 'down')];
  return (item) => up(item) || down(item);
}

const reachesIn = cached((_: Stage) => new Map<string, Reach>());
/** How many answers are kept for each stage. */
const MOST_KNOWN = 8;

function reachOf(stage: Stage, { id, toward }: ReachFilter): Reach {
  const ofStage = reachesIn(stage);
  const key = `${toward} ${id}`;
  const reach = ofStage.get(key) ?? new Reach(stage, id, toward);
  ofStage.delete(key);
  ofStage.set(key, reach);
  for (const oldest of ofStage.keys()) {
    if (ofStage.size <= MOST_KNOWN) break;
    ofStage.delete(oldest);
  }
  return reach;
}

/** What an item covers: eqns `[start, stop)` of its graph, or the vars that it binds. */
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
    const carried = path === ROOT ? [] : this.#held(path).carried;
    const region = reachIn(graph, toward, this.#origin, this.#origin.vars, carried);
    this.#regions.set(path, region);
    this.#outward(graph, path, region);
  }

  keeps(id: Id, start: number, stop: number, vars: readonly number[]): boolean {
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

  /** Finds what is kept of the graphs around one, from its inputs or outputs that are reached, up
   * to the root. */
  #outward(graph: Graph, from: Id, reached: Region): void {
    let [inner, region, path] = [graph, reached, from];
    while (path !== ROOT) {
      const { outer, path: around, eqn, index, body } = this.#held(path);
      const vars =
        this.toward === 'up'
          ? passed(inner.invars, region.vars, body.inputs, eqn.invars)
          : passed(inner.outvars, region.vars, body.outputs, eqn.outvars);
      const carried = around === ROOT ? [] : this.#held(around).carried;
      region = reachIn(outer, this.toward, { start: index, stop: index }, vars, carried, index);
      this.#regions.set(around, region);
      [inner, path] = [outer, around];
    }
  }

  /** What is kept of the graph at a path: known already where it lies around the item, else found
   * from the graph outside of it. */
  #region(path: Id): Region | 'all' | 'none' {
    const missing: Id[] = [];
    let at = path;
    for (; !this.#regions.has(at) && at !== ROOT; at = parse(at).path) missing.push(at);
    for (const one of missing.reverse()) this.#regions.set(one, this.#inward(one));
    return this.#regions.get(path) ?? 'none';
  }

  #inward(path: Id): Region | 'all' | 'none' {
    const { outer, path: around, eqn, index, body, carried } = this.#held(path);
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

  #held(path: Id) {
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

/** The vars outside of a body that stand for its inputs or outputs that are reached; all of them
 * where nobody says which belong together. */
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

/** The eqns and vars that are kept of one instance of a graph. */
interface Region {
  /** 1 for each var that is kept. */
  vars: Uint8Array;
  /** For each n, how many of eqns `[0, n)` are kept: whether any of a range is takes one
   * subtraction. */
  before: Int32Array;
  /** The vars for which an output is kept. */
  returned: ReadonlySet<number>;
}

/** One value of a loop's carry: the var of its body that one round returns, and the var in which
 * the next round receives it. */
type Carry = { from: number; to: number };

function carriedBy(eqn: Eqn, body: number, graph: Graph): Carry[] {
  const pairs = carryOf(eqn, body)?.pairs ?? [];
  return pairs.flatMap(({ input, output }) => {
    const [from, to] = [graph.outvars[output], graph.invars[input]];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
}

/** The eqns and vars of a graph that lead to (or come from) eqns `[start, stop)` and the vars in
 * `seeds`. `through` is the eqn whose body the search came out of: it is kept whatever it uses and
 * makes. */
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
  while (passRound(toward, carried, vars, returned));
  const before = new Int32Array(keeps.length + 1);
  for (let at = 0; at < keeps.length; at++) before[at + 1] = before[at]! + keeps[at]!;
  if (toward === 'down') {
    for (const one of graph.outvars) if (vars[one] === 1) returned.add(one);
  }
  return { vars, before, returned };
}

/** Marks, in one pass over a graph's eqns, those that a marked var leads to, and their vars. */
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
    let isKept = start <= index && index < stop;
    for (let at = near.begins[index]!; !isKept && at < near.begins[index + 1]!; at++) {
      const one = near.all[at]!;
      isKept = vars[one] === 1 && !graph.vars[one]?.literal;
    }
    if (!isKept) return;
    keeps[index] = 1;
    for (let at = far.begins[index]!; at < far.begins[index + 1]!; at++) vars[far.all[at]!] = 1;
  });
}

/** Marks what a loop's carry hands from one round to the next; whether any of it is new. */
function passRound(
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

/** What of a program is seen while all else is faint. */
export interface Bright {
  has: (item: Item) => boolean;
  /** The values whose edges are lit; without it those of what is selected. */
  carries?: (path: Id, variable: number) => boolean;
  /** Only while this is selected. */
  at?: Id;
}

/** All ways from an item to another: what depends on the one and what the other depends on. */
export function pathsBetween(stage: Stage, from: Id, to: Id): Bright {
  const [after, before] = [kept(stage, from, 'down'), kept(stage, to, 'up')];
  return {
    has: (item) => after(item) && before(item),
    carries: (path, variable) =>
      carries(stage, { id: from, toward: 'down' }, path, variable) &&
      carries(stage, { id: to, toward: 'up' }, path, variable),
    at: from,
  };
}

import type { Body, Eqn, Graph, Stage } from '../schema';
import { carriedBy, close, type Region, type Toward } from './closure';
import { graphAt } from './graph';
import { type Id, parse, ROOT, type Step } from './ids';
import { bindersOf, type Item } from './outline';
import { within } from './pytree';

export interface Only {
  id: Id;
  toward: Toward;
}

/**
 * Which items an item depends on (`up`) or which depend on it (`down`), the item itself and all in it
 * included. Through bodies both ways: out of the bodies that hold the item, and into those of the
 * eqns on the way, only as far as their results lead on; a loop's carry leads to its next round.
 *
 * Linear in the eqns of the graphs that are asked for: a body is looked into when an item of it is.
 */
export function kept(stage: Stage, id: Id, toward: Toward): (item: Item) => boolean {
  const reach = reachOf(stage, { id, toward });
  return (item) => reach.keeps(item.id, item.start, item.stop, item.vars);
}

/** Whether a value of the graph at a path leads to an item, or comes from it. */
export function carries(stage: Stage, only: Only, path: Id, variable: number): boolean {
  return reachOf(stage, only).carries(path, variable);
}

/** Whether an item that only its id is known of is kept. */
export function keeps(stage: Stage, only: Only, id: Id): boolean {
  if (id === ROOT) return true;
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (!graph) return false;
  const { start, stop, vars } = coverOf(graph, step);
  return reachOf(stage, only).keeps(id, start, stop, vars);
}

/** Whether an item leads to another or comes from it. */
export function related(stage: Stage, id: Id): (item: Item) => boolean {
  const [up, down] = [kept(stage, id, 'up'), kept(stage, id, 'down')];
  return (item) => up(item) || down(item);
}

const known = new WeakMap<Stage, Map<string, Reach>>();
const MOST_KNOWN = 8;

function reachOf(stage: Stage, { id, toward }: Only): Reach {
  const ofStage = known.get(stage) ?? new Map<string, Reach>();
  known.set(stage, ofStage);
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
  const { vars, paths } = bindersOf(graph, step.binder);
  const own = vars.filter((_, index) =>
    step.kind === 'binder' ? index === step.index : within(paths[index] ?? '', step.prefix),
  );
  return { start: 0, stop: 0, vars: own };
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
    const region = close(graph, toward, this.#origin, this.#origin.vars, carried);
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

  /** From a graph's inputs or outputs that are reached out through the eqns that hold it. */
  #outward(graph: Graph, from: Id, reached: Region): void {
    let [inner, region, path] = [graph, reached, from];
    while (path !== ROOT) {
      const { outer, path: around, eqn, index, body } = this.#held(path);
      const vars =
        this.toward === 'up'
          ? passed(inner.invars, region.vars, body.inputs, eqn.invars)
          : passed(inner.outvars, region.vars, body.outputs, eqn.outvars);
      const carried = around === ROOT ? [] : this.#held(around).carried;
      region = close(outer, this.toward, { start: index, stop: index }, vars, carried, index);
      this.#regions.set(around, region);
      [inner, path] = [outer, around];
    }
  }

  /** What is kept of the graph at a path: known on the way out, else found from outside. */
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
    return close(graph, this.toward, { start: 0, stop: 0 }, seeds, carried);
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

/** The vars outside that stand for the ends of a body that are reached; all where it is not known. */
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

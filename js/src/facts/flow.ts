/** Which eqns of a graph make and use its vars. */
import type { Eqn, Graph } from '../schema';
import { cached } from './cached';

/** Lists of numbers, one after the other: list n is `all` from `begins[n]` to `begins[n + 1]`. */
class Lists {
  constructor(
    readonly begins: Int32Array,
    readonly all: Int32Array,
  ) {}

  /** What lists `[start, stop)` hold. */
  within(start: number, stop: number): Int32Array {
    return this.all.subarray(this.begins[start] ?? 0, this.begins[stop] ?? 0);
  }
}

/** Which eqn makes each var of a graph, and which use it. */
class Flow {
  /** For each var the eqn that makes it, or -1 (an input, a const or a literal). */
  readonly producer: Int32Array;
  /** The vars that each eqn takes, and those that it makes. */
  readonly taken: Lists;
  readonly made: Lists;
  /** The users of all vars, one var's after the other's; and where those of each begin and end. */
  readonly #users: Int32Array;
  readonly #begins: Int32Array;
  readonly #ends: Int32Array;

  constructor({ vars, eqns }: Graph) {
    const [taken, made] = listed(eqns);
    const producer = new Int32Array(vars.length).fill(-1);
    const begins = new Int32Array(vars.length + 1);
    for (let eqn = 0; eqn < eqns.length; eqn++) {
      for (let at = made.begins[eqn]!; at < made.begins[eqn + 1]!; at++)
        producer[made.all[at]!] = eqn;
    }
    for (let at = 0; at < taken.all.length; at++) begins[taken.all[at]! + 1]! += 1;
    for (let at = 0; at < vars.length; at++) begins[at + 1]! += begins[at]!;
    const ends = begins.slice();
    const users = new Int32Array(taken.all.length);
    for (let eqn = 0; eqn < eqns.length; eqn++) {
      for (let at = taken.begins[eqn]!; at < taken.begins[eqn + 1]!; at++) {
        const variable = taken.all[at]!;
        const end = ends[variable]!;
        if (end > begins[variable]! && users[end - 1] === eqn) continue;
        users[end] = eqn;
        ends[variable] = end + 1;
      }
    }
    [this.producer, this.taken, this.made] = [producer, taken, made];
    [this.#users, this.#begins, this.#ends] = [users, begins, ends];
  }

  /** The eqns that use a var, in order, each once. */
  users(variable: number): Int32Array {
    return this.#users.subarray(this.#begins[variable] ?? 0, this.#ends[variable] ?? 0);
  }

  /** The last eqn that uses a var, or -1. */
  lastUser(variable: number): number {
    const end = this.#ends[variable] ?? 0;
    return end > (this.#begins[variable] ?? 0) ? (this.#users[end - 1] as number) : -1;
  }
}

/** What eqns take, and what they make. No call for each number: it would take twice as long. */
function listed(eqns: readonly Eqn[]): [Lists, Lists] {
  const [takes, makes] = [new Int32Array(eqns.length + 1), new Int32Array(eqns.length + 1)];
  for (let eqn = 0; eqn < eqns.length; eqn++) {
    const { invars, outvars } = eqns[eqn] as Eqn;
    takes[eqn + 1] = takes[eqn]! + invars.length;
    makes[eqn + 1] = makes[eqn]! + outvars.length;
  }
  const taken = new Lists(takes, new Int32Array(takes[eqns.length]!));
  const made = new Lists(makes, new Int32Array(makes[eqns.length]!));
  for (let eqn = 0, take = 0, make = 0; eqn < eqns.length; eqn++) {
    const { invars, outvars } = eqns[eqn] as Eqn;
    for (let at = 0; at < invars.length; at++) taken.all[take++] = invars[at]!;
    for (let at = 0; at < outvars.length; at++) made.all[make++] = outvars[at]!;
  }
  return [taken, made];
}

export const flowOf = cached((graph: Graph): Flow => new Flow(graph));

const returnedBy = cached((graph: Graph): ReadonlySet<number> => new Set(graph.outvars));

/** Tells whether a var that an eqn before `stop` makes is used from there on, or returned. */
export function leaving(graph: Graph, stop: number): (variable: number) => boolean {
  const [flow, returned] = [flowOf(graph), returnedBy(graph)];
  return (variable) => flow.lastUser(variable) >= stop || returned.has(variable);
}

/** The vars that eqns `[start, stop)` take from outside, each once. */
export function takenBy(graph: Graph, start: number, stop: number): number[] {
  const { producer, taken } = flowOf(graph);
  const isOutside = (one: number) => {
    const maker = producer[one] ?? -1;
    return (maker < start || maker >= stop) && !graph.vars[one]?.literal;
  };
  return [...new Set(taken.within(start, stop).filter(isOutside))];
}

/** The vars that eqns `[start, stop)` make and that are used after them. */
export const givenBy = (graph: Graph, start: number, stop: number): number[] => [
  ...flowOf(graph).made.within(start, stop).filter(leaving(graph, stop)),
];

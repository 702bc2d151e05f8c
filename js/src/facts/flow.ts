/** Which eqns of a graph make and use its vars. */
import type { Graph } from '../schema';
import { cached } from './cached';

/** Lists of numbers, one after the other: list n is `all` from `begins[n]` to `begins[n + 1]`. */
class Lists {
  readonly begins: Int32Array;
  readonly all: Int32Array;

  constructor(lists: readonly (readonly number[])[]) {
    const begins = new Int32Array(lists.length + 1);
    lists.forEach((list, at) => {
      begins[at + 1] = begins[at]! + list.length;
    });
    const all = new Int32Array(begins[lists.length]!);
    let end = 0;
    lists.forEach((list) => {
      for (const one of list) all[end++] = one;
    });
    [this.begins, this.all] = [begins, all];
  }

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
    this.taken = new Lists(eqns.map(({ invars }) => invars));
    this.made = new Lists(eqns.map(({ outvars }) => outvars));
    const producer = new Int32Array(vars.length).fill(-1);
    eqns.forEach(({ outvars }, eqn) => {
      for (const variable of outvars) producer[variable] = eqn;
    });
    const begins = new Int32Array(vars.length + 1);
    this.taken.all.forEach((variable) => {
      begins[variable + 1]! += 1;
    });
    vars.forEach((_, at) => {
      begins[at + 1]! += begins[at]!;
    });
    const ends = begins.slice();
    const users = new Int32Array(this.taken.all.length);
    eqns.forEach(({ invars }, eqn) => {
      for (const variable of invars) {
        const end = ends[variable]!;
        if (end > begins[variable]! && users[end - 1] === eqn) continue;
        users[end] = eqn;
        ends[variable] = end + 1;
      }
    });
    this.producer = producer;
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

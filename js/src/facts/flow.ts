/** Which eqns of a graph make and use its vars. */
import type { Eqn, Graph } from '../schema';
import { cached } from './cached';

/** Which eqn makes each var of a graph, and which use it. */
class Flow {
  /** For each var the eqn that makes it, or -1 (an input, a const or a literal). */
  readonly producer: Int32Array;
  /** The users of all vars, one var's after the other's; and where those of each begin. */
  readonly #users: Int32Array;
  readonly #begins: Int32Array;

  constructor({ vars, eqns }: Graph) {
    this.producer = new Int32Array(vars.length).fill(-1);
    this.#begins = new Int32Array(vars.length + 1);
    eqns.forEach(({ outvars }, eqn) => {
      for (const variable of outvars) this.producer[variable] = eqn;
    });
    eachUse(eqns, vars.length, (variable) => {
      this.#begins[variable + 1]! += 1;
    });
    for (let at = 0; at < vars.length; at++) this.#begins[at + 1]! += this.#begins[at]!;
    const next = this.#begins.slice();
    this.#users = new Int32Array(next[vars.length]!);
    eachUse(eqns, vars.length, (variable, eqn) => {
      this.#users[next[variable]!++] = eqn;
    });
  }

  /** The eqns that use a var, in order, each once. */
  users(variable: number): Int32Array {
    return this.#users.subarray(this.#begins[variable] ?? 0, this.#begins[variable + 1] ?? 0);
  }

  /** The last eqn that uses a var, or -1. */
  lastUser(variable: number): number {
    const end = this.#begins[variable + 1] ?? 0;
    return end > (this.#begins[variable] ?? 0) ? (this.#users[end - 1] as number) : -1;
  }
}

/** Tells each use of a var by an eqn, in the order of the eqns; once where the eqn uses it twice. */
function eachUse(
  eqns: readonly Eqn[],
  vars: number,
  tell: (variable: number, eqn: number) => void,
): void {
  const last = new Int32Array(vars).fill(-1);
  for (let eqn = 0; eqn < eqns.length; eqn++) {
    for (const variable of (eqns[eqn] as Eqn).invars) {
      if (last[variable] === eqn) continue;
      last[variable] = eqn;
      tell(variable, eqn);
    }
  }
}

export const flowOf = cached((graph: Graph): Flow => new Flow(graph));

const returnedBy = cached((graph: Graph): ReadonlySet<number> => new Set(graph.outvars));

/** Tells whether a var that an eqn before `stop` makes is used from there on, or returned. */
export function leaving(graph: Graph, stop: number): (variable: number) => boolean {
  const [flow, returned] = [flowOf(graph), returnedBy(graph)];
  return (variable) => flow.lastUser(variable) >= stop || returned.has(variable);
}

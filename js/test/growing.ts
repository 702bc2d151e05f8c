import type { Eqn, Graph, Group } from '../src/schema';
import { JAXPR, plainGroup } from './fixtures';

/** A graph that grows eqn by eqn, so that every operand is made before it is used. */
export class Growing {
  readonly graph: Graph;
  private readonly taken: () => number;

  /** `numbers` are taken in turn, so that a smaller list is a smaller program. */
  constructor(numbers: readonly number[], inputs: string[]) {
    let at = 0;
    this.taken = () => numbers[at++ % numbers.length] ?? 0;
    this.graph = {
      name: 'f',
      vars: [],
      constvars: [],
      invars: [],
      outvars: [],
      args: inputs,
      results: [],
      eqns: [],
      groups: [],
      effects: [],
    };
    this.graph.invars = inputs.map(() => this.variable());
  }

  below(limit: number): number {
    return limit <= 0 ? 0 : this.taken() % limit;
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** True once in `times` times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  variable(): number {
    return (
      this.graph.vars.push({ name: `v${this.graph.vars.length}`, aval: 0, literal: false }) - 1
    );
  }

  /** Adds an eqn, and returns its first result. */
  eqn(op: string, invars: number[], results = 1, bodies: Eqn['bodies'] = []): number {
    const outvars = Array.from({ length: results }, () => this.variable());
    const plain = {
      name: '',
      params: [],
      attributes: null,
      effects: [],
      frame: null,
      call: null,
      inherited: false,
    };
    const own = { op, invars, outvars, bodies, scope: 0, span: null };
    this.graph.eqns.push({ ...plain, ...own, ...JAXPR });
    return outvars[0] ?? -1;
  }

  /** A group over the eqns that `grow` adds; none where it adds none. Returns its index. */
  group(name: string, parent: number | null, about: Partial<Group>, grow: (own: number) => void) {
    const start = this.graph.eqns.length;
    const group = { ...plainGroup(start, start, name), parent };
    const own = this.graph.groups.push({ ...group, ...about }) - 1;
    grow(own);
    (this.graph.groups[own] as Group).stop = this.graph.eqns.length;
    if (this.graph.eqns.length === start) this.graph.groups.splice(own);
    return own;
  }
}

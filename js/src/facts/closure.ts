/** Finds, within one graph, the eqns and vars that some of them depend on, or that depend on them.
 * `reach.ts` puts the graphs of a program together from these. */
import type { Eqn, Graph } from '../schema';
import { carryOf } from './graph';

/** `up` goes against the flow of data, to what an item depends on; `down` goes with it. */
export type Toward = 'up' | 'down';

/** The eqns and vars that are kept of one instance of a graph. */
export interface Region {
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
export type Carry = { from: number; to: number };

export function carriedBy(eqn: Eqn, body: number, graph: Graph): Carry[] {
  const pairs = carryOf(eqn, body)?.pairs ?? [];
  return pairs.flatMap(({ input, output }) => {
    const [from, to] = [graph.outvars[output], graph.invars[input]];
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
}

/** The eqns and vars of a graph that lead to (or come from) eqns `[start, stop)` and the vars in
 * `seeds`. `through` is the eqn whose body the search came out of: it is kept whatever it uses and
 * makes. */
export function close(
  graph: Graph,
  toward: Toward,
  { start, stop }: { start: number; stop: number },
  seeds: readonly number[],
  carried: readonly Carry[],
  through = -1,
): Region {
  const vars = new Uint8Array(graph.vars.length);
  const keeps = new Uint8Array(graph.eqns.length);
  for (const one of seeds) vars[one] = 1;
  if (through >= 0) keeps[through] = 1;
  const length = graph.eqns.length;
  const round = () => {
    for (let step = 0; step < length; step++) {
      const index = toward === 'up' ? length - 1 - step : step;
      const { invars, outvars } = graph.eqns[index] as Eqn;
      const [near, far] = toward === 'up' ? [outvars, invars] : [invars, outvars];
      const own = start <= index && index < stop;
      if (!own && !near.some((one) => vars[one] === 1 && !graph.vars[one]?.literal)) continue;
      keeps[index] = 1;
      for (const one of far) vars[one] = 1;
    }
  };
  const returned = new Set(seeds);
  const carry = () => {
    let more = false;
    for (const { from, to } of carried) {
      const [have, want] = toward === 'up' ? [to, from] : [from, to];
      if (vars[have] !== 1) continue;
      if (toward === 'up') returned.add(want);
      if (vars[want] !== 1) more = true;
      vars[want] = 1;
    }
    return more;
  };
  do round();
  while (carry());
  const before = new Int32Array(length + 1);
  for (let index = 0; index < length; index++) {
    before[index + 1] = (before[index] as number) + (keeps[index] as number);
  }
  if (toward === 'down') {
    for (const one of graph.outvars) if (vars[one] === 1) returned.add(one);
  }
  return { vars, before, returned };
}

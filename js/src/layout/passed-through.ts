/** A pass of a derivative that only calls a jitted function, as `jax.grad` of such a function records it. The eqns of
 * the call stand in the lane itself, as those of `jax.jit(jax.grad(f))` do, without boxes for its inputs and results. */
import type { Id } from '../facts/ids';
import { plainName } from '../facts/kinds';
import type { Item } from '../facts/outline';
import type { Graph } from '../schema';
import { bodyOf } from './body';
import { isPill } from './caption';
import type { Frame } from './frame';
import type { Port } from './wires';

const CALLS = new Set(['jit', 'pjit', 'call']);

/** The call that is all of a lane's `items`, if it is open; else null. */
export function callIn(
  graph: Graph,
  [only, other]: readonly Item[],
  open: ReadonlySet<Id>,
): Item | null {
  if (!only || other || only.kind !== 'eqn' || !open.has(only.id)) return null;
  const { op = '', bodies = [] } = graph.eqns[only.start] ?? {};
  return bodies.length === 1 && CALLS.has(plainName(op)) ? only : null;
}

/** The items of a call that are drawn in its lane: all except its inputs and results. */
export const withinLane = (items: readonly Item[]): Item[] =>
  items.filter((item) => item.kind === 'const' || !isPill(item));

/** The lane with the contents of a call. Its ports carry the values of the lane's `graph`, not those of the body,
 * which is `own`. */
export function ofCall(graph: Graph, call: Item, own: Graph, frame: Frame): Frame {
  const { invars = [], outvars = [] } = graph.eqns[call.start] ?? {};
  const { inputs = [], outputs = [] } = bodyOf(graph, call)?.body ?? {};
  const passing =
    (inner: readonly number[], places: readonly number[], outer: readonly number[]) =>
    (port: Port): Port => {
      const passed = (one: number, at: number) =>
        port.vars.includes(one) ? (outer[places[at]!] ?? []) : [];
      return { ...port, vars: [...new Set(inner.flatMap(passed))] };
    };
  return {
    ...frame,
    call,
    entries: frame.entries.map(passing(own.invars, inputs, invars)),
    exits: frame.exits.map(passing(own.outvars, outputs, outvars)),
  };
}

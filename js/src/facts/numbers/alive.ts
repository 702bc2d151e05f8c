/** The values that are alive while an eqn runs, and the reason of each; and the largest values that a program makes. */
import type { Graph, Stage } from '../../schema';
import { innermostGroups } from '../enclosing';
import { flowOf } from '../flow';
import { avalOf } from '../graph';
import { plainName } from '../kinds';
import { cached } from '../maps';
import { isLoop, isWithin, runsOfBody, runsOfGraphs } from './costs';
import { lastUses, livenessOf, nameTest, sizesOf } from './liveness';

/** The reason that a value is alive. */
export type Reason =
  /** An input or a const: it is there throughout. */
  | 'input'
  /** The eqn itself makes it. */
  | 'made'
  /** The program, or the body, returns it. */
  | 'result'
  /** The forward pass made it, and the backward pass uses it last. */
  | 'residual'
  /** The eqn itself uses it, and nothing later does. */
  | 'used'
  /** An eqn further on uses it. */
  | 'later'
  /** The memory that the bodies of the eqn need besides their inputs. */
  | 'within';

/** A value that is alive while an eqn runs. */
export interface Alive {
  reason: Reason;
  bytes: number;
  /** Its index in the graph's vars; -1 for the memory of the eqn's bodies. */
  variable: number;
  /** The eqn that makes it, -1 for inputs and consts. */
  maker: number;
  /** The last eqn that uses it; -1 if there is none, or the graph returns it. */
  user: number;
}

/** The values alive while an eqn of a graph runs, the largest first. Their bytes add up to those of `livenessOf`;
 * values of unknown size are left out. */
export function aliveAt(stage: Stage, number: number, at: number): readonly Alive[] {
  const graph = stage.graphs[number] as Graph;
  const sizes = sizesOf(stage, graph);
  const isName = nameTest(stage);
  const last = lastUses(graph, isName);
  const found: Alive[] = [];
  const keep = (variable: number, maker: number) => {
    const until = last[variable]!;
    const user = until < graph.eqns.length ? until : -1;
    const reason = reasonOf(graph, { at, maker, until });
    const bytes = sizes[variable] || 0;
    if (bytes > 0) found.push({ reason, bytes, variable, maker, user });
  };
  for (const one of new Set([...graph.constvars, ...graph.invars])) keep(one, -1);
  graph.eqns.slice(0, at + 1).forEach((eqn, maker) => {
    if (isName(eqn)) return;
    for (const one of eqn.outvars) if (maker === at || last[one]! >= at) keep(one, maker);
  });
  const counted = found.reduce((sum, { bytes }) => sum + bytes, 0);
  const within = (livenessOf(stage)[number]?.bytes[at] ?? 0) - counted;
  if (within > 0)
    found.push({ reason: 'within', bytes: within, variable: -1, maker: at, user: -1 });
  return found.sort((one, other) => other.bytes - one.bytes);
}

interface Lifetime {
  at: number;
  maker: number;
  until: number;
}

function reasonOf(graph: Graph, { at, maker, until }: Lifetime): Reason {
  if (maker < 0) return 'input';
  if (until >= graph.eqns.length) return 'result';
  if (maker === at) return 'made';
  if (until === at) return 'used';
  const isResidual = roleAt(graph, maker) !== 'backward' && roleAt(graph, until) === 'backward';
  return isResidual ? 'residual' : 'later';
}

/** The part of a training step that an eqn belongs to. */
function roleAt(graph: Graph, eqn: number): string {
  return graph.groups[innermostGroups(graph)[eqn] ?? -1]?.role ?? '';
}

/** A value that an eqn makes. */
export interface Made {
  graph: number;
  eqn: number;
  variable: number;
  bytes: number;
}

/** The values between the inputs and the results, the largest first. A value that a body returns to its eqn counts in
 * the body; values inside a fusion or a reduction never reach memory. A tuple counts by its elements. The tuple
 * of a loop does not count, because its carry is made before the loop or inside it. */
export const largestMade = cached((stage: Stage): readonly Made[] => {
  const runs = runsOfGraphs(stage, (eqn) => !isWithin(eqn));
  const isName = nameTest(stage);
  const returned = resultsIn(stage);
  return stage.graphs
    .flatMap((graph, number): Made[] => {
      if (runs[number]?.times === 0) return [];
      const sizes = sizesOf(stage, graph);
      return graph.eqns.flatMap((eqn, at) => {
        if (isName(eqn) || (eqn.bodies.length > 0 && handsOn(eqn))) return [];
        return arraysOf(stage, graph, eqn).flatMap((variable) => {
          const bytes = sizes[variable] || 0;
          const isResult = returned[number]?.has(variable) ?? false;
          return bytes > 0 && !isResult ? [{ graph: number, eqn: at, variable, bytes }] : [];
        });
      });
    })
    .sort((one, other) => other.bytes - one.bytes);
});

type Holder = Stage['graphs'][number]['eqns'][number];

/** The vars that contain an eqn's results. */
function arraysOf(stage: Stage, graph: Stage['graphs'][number], eqn: Holder): readonly number[] {
  const [made] = eqn.outvars;
  if (made === undefined || avalOf(stage, graph, made).kind !== 'tuple') return eqn.outvars;
  if (isLoop(eqn)) return [];
  return [...flowOf(graph).users(made)].flatMap((user) => {
    const taken = graph.eqns[user];
    return taken && plainName(taken.op) === 'get_tuple_element' ? taken.outvars : [];
  });
}

/** True if the results of an eqn are those of its bodies: it is a call or a choice. */
const handsOn = (eqn: Holder): boolean =>
  !isLoop(eqn) && !isWithin(eqn) && eqn.bodies.some((body) => runsOfBody(eqn, body) !== null);

/** For each graph the vars that are results of the program, including those that a called body returns. */
function resultsIn(stage: Stage): ReadonlySet<number>[] {
  const found = stage.graphs.map(() => new Set<number>());
  for (const one of stage.graphs[0]?.outvars ?? []) found[0]?.add(one);
  for (const { op, outvars, invars } of stage.graphs[0]?.eqns ?? []) {
    const isRoot = plainName(op) === 'tuple' && found[0]?.has(outvars[0] ?? -1);
    for (const one of isRoot ? invars : []) found[0]?.add(one);
  }
  const waiting = [0];
  const seen = new Set(waiting);
  for (const number of waiting) {
    for (const eqn of stage.graphs[number]?.eqns ?? []) {
      if (!handsOn(eqn) || !eqn.outvars.some((one) => found[number]?.has(one))) continue;
      for (const { graph, outputs } of eqn.bodies) {
        stage.graphs[graph]?.outvars.forEach((one, at) => {
          const result = eqn.outvars[outputs[at] ?? -1];
          if (result !== undefined && found[number]?.has(result)) found[graph]?.add(one);
        });
        if (!seen.has(graph)) waiting.push(graph);
        seen.add(graph);
      }
    }
  }
  return found;
}

/** The bytes that are live while each eqn runs, if nothing were fused, and their curve. */
import { ALIASES } from '../../ops';
import type { Body, Eqn, Graph, Stage } from '../../schema';
import { eqnAt, graphAt, innermostFirst } from '../graph';
import { bodyId, graphPath, type Id, parse, ROOT } from '../ids';
import { plainKind, plainName } from '../kinds';
import { cached } from '../maps';
import { isLoop, isWithin, runsOfBody } from './costs';

/** The bytes that are live while each eqn of a graph runs, if every value had its own memory, with no fusion and no
 * reuse. XLA should need no more. */
export interface Liveness {
  /** For each eqn, bytes of the values that are still needed, of its results, and of the needs of its bodies. Inputs
   * and consts live throughout. */
  bytes: Float64Array;
  /** The first eqn with the most live bytes; -1 if there are no eqns. */
  peak: number;
  /** The most live bytes; those of inputs and consts if there are no eqns. */
  most: number;
  /** Bytes of the inputs and consts. */
  inputs: number;
  /** The number of values of unknown size, which are not counted. */
  unknown: number;
}

/** The liveness of each graph of a stage, in time linear in the operands of all eqns: a shared body is swept once. */
export const livenessOf = cached((stage: Stage): readonly Liveness[] => {
  const sizes = stage.graphs.map((graph) => sizesOf(stage, graph));
  const found: Liveness[] = [];
  const swept = { graphs: stage.graphs, isName: nameTest(stage), sizes, found };
  for (const graph of innermostFirst(stage)) found[graph] = sweep(swept, graph);
  return found;
});

/** The bytes of each var; NaN if they are not known. */
export function sizesOf({ avals }: Stage, { vars }: Graph): Float64Array {
  return Float64Array.from(vars, ({ aval, literal }) => {
    const { kind, bytes } = avals[aval] ?? { kind: 'other', bytes: null };
    return literal || kind === 'token' ? 0 : (bytes ?? Number.NaN);
  });
}

const sum = (sizes: Float64Array, vars: Iterable<number>): number => {
  let total = 0;
  for (const one of vars) total += sizes[one] || 0;
  return total;
};

/** The state of a sweep over the graphs of a stage, inner ones first. */
interface StageSweep {
  graphs: readonly Graph[];
  isName: (eqn: Eqn) => boolean;
  /** For each graph, the bytes of its vars. */
  sizes: readonly Float64Array[];
  /** The liveness of the graphs that are done, by their index. */
  found: Liveness[];
}

function sweep(swept: StageSweep, graph: number): Liveness {
  const { eqns, invars, constvars } = swept.graphs[graph] as Graph;
  const sizes = swept.sizes[graph]!;
  const { isName } = swept;
  const ended = endedAt(swept.graphs[graph] as Graph, isName, sizes);
  const bytes = new Float64Array(eqns.length);
  const inputs = sum(sizes, new Set([...constvars, ...invars]));
  let live = inputs;
  let [peak, most] = [-1, inputs];
  eqns.forEach((eqn, at) => {
    const made = isName(eqn) ? 0 : sum(sizes, eqn.outvars);
    bytes[at] = live + needed(swept, sizes, eqn, made);
    if (peak < 0 || bytes[at]! > most) [peak, most] = [at, bytes[at]!];
    live += made - ended[at]!;
  });
  const unknown = sizes.reduce((count, size) => count + Number(Number.isNaN(size)), 0);
  return { bytes, peak, most, inputs, unknown };
}

/** Ops whose results are their operands under another name, and live as long as they do. */
const ALIAS_OPS = new Set(ALIASES.split(' '));
/** The same in optimized HLO, with loops: a loop works in place, and eqns of their own make the necessary copies. */
const HLO_ALIAS_OPS = new Set([...ALIAS_OPS, 'while']);

/** Returns a test for eqns of a stage whose results are their operands under another name. */
export function nameTest({ kind }: Stage): (eqn: Eqn) => boolean {
  const names = plainKind(kind) === 'hlo' ? HLO_ALIAS_OPS : ALIAS_OPS;
  return ({ op }) => names.has(plainName(op));
}

/** For each var, the last eqn that needs it under any name. For a result it is the number of eqns, for an unused var
 * -1. */
export function lastUses(
  { vars, eqns, outvars }: Graph,
  isName: (eqn: Eqn) => boolean,
): Int32Array {
  const last = new Int32Array(vars.length).fill(-1);
  for (const one of outvars) last[one] = eqns.length;
  for (let at = eqns.length - 1; at >= 0; at--) {
    const eqn = eqns[at] as Eqn;
    const until = isName(eqn) ? Math.max(at, ...eqn.outvars.map((one) => last[one]!)) : at;
    for (const one of eqn.invars) last[one] = Math.max(last[one]!, until);
  }
  return last;
}

/** For each eqn, the bytes of values that end with it: no later eqn needs them. The last number is that of the graph's
 * results. */
function endedAt(graph: Graph, isName: (eqn: Eqn) => boolean, sizes: Float64Array): Float64Array {
  const last = lastUses(graph, isName);
  const ended = new Float64Array(graph.eqns.length + 1);
  graph.eqns.forEach((eqn, at) => {
    if (isName(eqn)) return;
    for (const one of eqn.outvars) ended[Math.max(at, last[one]!)]! += sizes[one] || 0;
  });
  return ended;
}

/** The bytes that an eqn adds while it runs: its results, and the needs of its bodies besides their inputs. The
 * results of a call are those of its body and count once; a loop has results of its own. */
function needed(swept: StageSweep, sizes: Float64Array, eqn: Eqn, made: number): number {
  if (eqn.bodies.length === 0) return made;
  const within = eqn.bodies
    .filter((body) => !isWithin(eqn) && runsOfBody(eqn, body) !== null)
    .map((body) => (swept.found[body.graph]?.most ?? 0) - bytesGiven(swept, sizes, eqn, body));
  const most = Math.max(0, ...within);
  return isLoop(eqn) ? made + most : Math.max(made, most);
}

/** The bytes of a body's inputs that are whole operands of its eqn. The slices of a scan are values of their own. */
function bytesGiven(swept: StageSweep, sizes: Float64Array, { invars }: Eqn, body: Body): number {
  const inner = swept.sizes[body.graph]!;
  const inputs = swept.graphs[body.graph]?.invars ?? [];
  return inputs.reduce((total, input, index) => {
    const operand = invars[body.inputs[index] ?? -1];
    const same = operand !== undefined && sizes[operand] === inner[input];
    return total + (same ? inner[input]! : 0);
  }, 0);
}

/** A long list of numbers in few columns: the largest number of each column, and its index in the list. */
export interface Curve {
  values: Float64Array;
  at: Int32Array;
}

/** The curve of a list in at most `most` columns, or in one column per number if there are fewer. */
export function curveOf(numbers: Float64Array, most: number): Curve {
  const columns = Math.max(0, Math.min(numbers.length, Math.floor(most)));
  const values = new Float64Array(columns);
  const at = new Int32Array(columns);
  for (let column = 0; column < columns; column++) {
    const start = Math.floor((column * numbers.length) / columns);
    const stop = Math.floor(((column + 1) * numbers.length) / columns);
    let best = start;
    for (let index = start; index < stop; index++)
      if (numbers[index]! > numbers[best]!) best = index;
    values[column] = numbers[best]!;
    at[column] = best;
  }
  return { values, at };
}

/** The eqns `[start, stop)` in the graph at a path that an id stands for: the eqn that it is or is inside of, or
 * those of its group. Null if it stands for none. */
export function eqnsIn(
  stage: Stage,
  path: Id,
  id: Id | null,
): { start: number; stop: number } | null {
  if (id === null || id === ROOT || !(path === ROOT || id.startsWith(`${path}/`))) return null;
  const [first = ''] = id.slice(path === ROOT ? 0 : path.length + 1).split('/');
  const { step } = parse(first);
  if (step.kind === 'eqn') return { start: step.index, stop: step.index + 1 };
  if (step.kind === 'body') return { start: step.eqn, stop: step.eqn + 1 };
  const group = step.kind === 'group' ? graphAt(stage, path)?.groups[step.index] : undefined;
  return group ? { start: group.start, stop: group.stop } : null;
}

/** The graphs whose curve is offered at an id: the root, those around it, outermost first, and its own bodies. */
export function graphsAround(stage: Stage, id: Id | null): Id[] {
  const found: Id[] = [];
  for (let path = id === null ? ROOT : graphPath(id); path !== ROOT; path = parse(path).path) {
    found.push(path);
  }
  const place = id === null ? null : eqnAt(stage, id);
  const bodies = place?.eqn.bodies.flatMap((body, number) =>
    isWithin(place.eqn) || runsOfBody(place.eqn, body) === null
      ? []
      : [bodyId(place.path, place.index, number)],
  );
  return [ROOT, ...found.reverse(), ...(bodies ?? [])];
}

/** The path of the graph that is the program itself: the first that does not just call another. */
export function programPath(stage: Stage): Id {
  let path = ROOT;
  for (let graph = stage.graphs[0]; graph; ) {
    const [only, second] = graph.eqns;
    const body = only?.bodies[0];
    const calls = only && body && !second && only.bodies.length === 1 && !isWithin(only);
    if (!calls || isLoop(only) || runsOfBody(only, body) === null) break;
    path = bodyId(path, 0, 0);
    graph = stage.graphs[body.graph];
  }
  return path;
}

import { ALIASES } from '../../ops';
import type { Body, Eqn, Graph, Stage } from '../../schema';
import { innermostFirst } from '../census';
import { plainName } from '../family';
import { isLoop, isWithin, runsOfBody } from './runs';

/** How many bytes are live while each eqn of a graph runs, if every value had memory of its own:
 * nothing fused, nothing written over what it was made from. XLA should need no more than that. */
export interface Liveness {
  /** By eqn: the values that are still needed, its results, and what its bodies need. Inputs and
   * consts live throughout. */
  bytes: Float64Array;
  /** The first eqn at which that is most, -1 where there are none. */
  peak: number;
  /** Bytes at the peak; of a graph without eqns what goes in. */
  most: number;
  /** Bytes of the inputs and consts. */
  inputs: number;
  /** Values whose size is not known, which are not counted. */
  unknown: number;
}

const known = new WeakMap<Stage, readonly Liveness[]>();

/** Of each graph of a stage. Linear in the operands of all eqns: a shared body is looked at once. */
export function livenessOf(stage: Stage): readonly Liveness[] {
  const cached = known.get(stage);
  if (cached) return cached;
  const sizes = stage.graphs.map((graph) => sizesOf(stage, graph));
  const found: Liveness[] = [];
  const names = stage.kind === 'hlo' ? HLO_NAMES : NAMES;
  const looked = { graphs: stage.graphs, names, sizes, found };
  for (const graph of innermostFirst(stage)) found[graph] = sweep(looked, graph);
  known.set(stage, found);
  return found;
}

/** Bytes of each var; NaN where that is not known. */
function sizesOf({ avals }: Stage, { vars }: Graph): Float64Array {
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

/** What is known while the graphs are looked at. */
interface Looked {
  graphs: readonly Graph[];
  names: ReadonlySet<string>;
  /** By graph, the bytes of its vars. */
  sizes: readonly Float64Array[];
  /** Of the graphs so far. */
  found: Liveness[];
}

function sweep(looked: Looked, graph: number): Liveness {
  const { eqns, invars, constvars } = looked.graphs[graph] as Graph;
  const sizes = looked.sizes[graph]!;
  const isName = ({ op }: Eqn) => looked.names.has(plainName(op));
  const ends = endsOf(looked.graphs[graph] as Graph, isName);
  const bytes = new Float64Array(eqns.length);
  const inputs = sum(sizes, new Set([...constvars, ...invars]));
  let live = inputs;
  let [peak, most] = [-1, inputs];
  eqns.forEach((eqn, at) => {
    const made = isName(eqn) ? 0 : sum(sizes, eqn.outvars);
    bytes[at] = live + needed(looked, sizes, eqn, made);
    if (peak < 0 || bytes[at]! > most) [peak, most] = [at, bytes[at]!];
    live += made - sum(sizes, ends[at]!);
  });
  const unknown = sizes.reduce((count, size) => count + Number(Number.isNaN(size)), 0);
  return { bytes, peak, most, inputs, unknown };
}

/** Ops whose results are their operands by another name, which live as long as they do. */
const NAMES = new Set(ALIASES.split(' '));
/** In optimized HLO a loop works where its operand lies: what must be copied has a copy. */
const HLO_NAMES = new Set([...NAMES, 'while']);

/** By eqn, the vars that eqns made and that nothing needs behind it. */
function endsOf({ vars, eqns, outvars }: Graph, isName: (eqn: Eqn) => boolean): number[][] {
  const last = new Int32Array(vars.length).fill(-1);
  for (const one of outvars) last[one] = eqns.length;
  for (let at = eqns.length - 1; at >= 0; at--) {
    const eqn = eqns[at] as Eqn;
    const until = isName(eqn) ? Math.max(at, ...eqn.outvars.map((one) => last[one]!)) : at;
    for (const one of eqn.invars) last[one] = Math.max(last[one]!, until);
  }
  const ends: number[][] = eqns.map(() => []);
  eqns.forEach((eqn, at) => {
    if (isName(eqn)) return;
    for (const one of eqn.outvars) ends[Math.max(at, last[one]!)]?.push(one);
  });
  return ends;
}

/** What an eqn adds while it runs: its results, and what its bodies need beside what they are given.
 * The results of a call are those of its body; a loop has its own beside those of its body. */
function needed(looked: Looked, sizes: Float64Array, eqn: Eqn, made: number): number {
  const within = eqn.bodies
    .filter((body) => !isWithin(eqn) && runsOfBody(eqn, body) !== null)
    .map((body) => (looked.found[body.graph]?.most ?? 0) - given(looked, sizes, eqn, body));
  const most = Math.max(0, ...within);
  return isLoop(eqn) ? made + most : Math.max(made, most);
}

/** Bytes of a body's inputs that are whole operands of its eqn: the slices of a scan are not. */
function given(looked: Looked, sizes: Float64Array, { invars }: Eqn, body: Body): number {
  const inner = looked.sizes[body.graph]!;
  const inputs = looked.graphs[body.graph]?.invars ?? [];
  return inputs.reduce((total, input, index) => {
    const operand = invars[body.inputs[index] ?? -1];
    const same = operand !== undefined && sizes[operand] === inner[input];
    return total + (same ? inner[input]! : 0);
  }, 0);
}

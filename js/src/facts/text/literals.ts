/** Constants that are drawn as literals. A `2.0` of a jaxpr is an eqn of its own in StableHLO and HLO, and mostly a
 * second one that broadcasts it. Their value is written on the boxes of the eqns that use it, and they have no box
 * themselves. The tuple in which HLO returns its results has none either, since nothing uses it. The tree, the text,
 * counts and Find still show them. */

import { BROADCASTS, type Eqn, type Graph, type Stage } from '../../schema';
import { flowOf } from '../flow';
import { conditionCasts } from '..//graph';
import { graphAt } from '../graph';
import { binderId, eqnId, type Id, parse, ROOT } from '../ids';
import { plainName } from '../kinds';
import { cached } from '../maps';

/** The bits of floats without digits (infinity, NaN), and their names. */
const NAMES_OF_BITS = new Map(
  [
    ['inf', '7F800000 7F80 7C00 7FF0000000000000'],
    ['-inf', 'FF800000 FF80 FC00 FFF0000000000000'],
    ['nan', '7FC00000 7FC0 7E00 7FF8000000000000'],
  ].flatMap(([name, all]) =>
    (all as string).split(' ').map((bits): [string, string] => [`0x${bits}`, name as string]),
  ),
);
/** The most characters of a value that is written as a literal. */
const LONGEST_LITERAL = 12;

/** The value of a constant that is a scalar, or has the same value everywhere: `2.0`. Empty for any other constant. */
export function literalOf({ params }: Eqn): string {
  const whole = params.find(({ name }) => name === 'value' || name === 'literal')?.value ?? '';
  const inner = /^dense<([^<>]*)>/.exec(whole)?.[1] ?? whole;
  const text = NAMES_OF_BITS.get(inner) ?? plainNumber(inner);
  return text.length <= LONGEST_LITERAL && /^[-\w.+]+$/.test(text) && /\w/.test(text) ? text : '';
}

/** Writes `3.000000e+00` as `3.0` and `1.500000e-08` as `1.5e-8`. */
function plainNumber(text: string): string {
  const match = /^(-?)(\d)\.(\d+)[eE]([+-]\d+)$/.exec(text);
  if (!match) return text;
  const [, sign, first = '', rest = '', power] = match;
  const digits = (first + rest).replace(/0+$/, '') || '0';
  const by = Number(power);
  if (by > 6 || by < -4) {
    return `${sign}${digits[0]}${digits.length > 1 ? '.' : ''}${digits.slice(1)}e${by}`;
  }
  if (by < 0) return `${sign}0.${'0'.repeat(-by - 1)}${digits}`;
  const padded = digits.padEnd(by + 2, '0');
  return `${sign}${padded.slice(0, by + 1)}.${padded.slice(by + 1)}`;
}

/** The bits of the significand of floats, by their short names. */
const SIGNIFICANT_BITS: Record<string, number> = { f64: 53, f32: 24, f16: 11, bf16: 8 };

/** A literal of a jaxpr without its type. JAX writes an f32 with the digits of an f64, `0.10000000149011612:f32[]`.
 * If that is longer than `most` characters, it gets as few digits as distinguish it from its neighbours: `0.1`, and
 * `-1e9` for `-1000000000.0:f32[]`. */
export function shortNumber(literal: string, most: number): string {
  const text = literal.replace(/:[^:]*$/, '');
  const bits = SIGNIFICANT_BITS[/:~?(\w+)\[\]$/.exec(literal)?.[1] ?? ''];
  const value = Number(text);
  if (text.length <= most || bits === undefined || !Number.isFinite(value)) return text;
  for (let digits = 1; digits < 17; digits++) {
    const short = Number(value.toPrecision(digits));
    const least = Math.min(Math.abs(short), Math.abs(value));
    const halfStep = 2 ** (Math.floor(Math.log2(least)) - bits); // to the next larger float
    if (Math.abs(short - value) < halfStep) {
      return plainNumber(short.toExponential(Math.max(1, digits - 1)));
    }
  }
  return text;
}

/** The literals of a graph: by var, the text that is written on the eqns that use it. */
export type Literals = ReadonlyMap<number, string>;

const NO_LITERALS: Literals = new Map();
const literalCache = new WeakMap<Graph, Literals>();

export function literalsOf(stage: Stage, graph: Graph): Literals {
  if (stage.kind === 'jaxpr') return NO_LITERALS;
  const before = literalCache.get(graph);
  if (before) return before;
  const found = new Map<number, string>();
  const flow = flowOf(graph);
  const returned = new Set(graph.outvars);
  const spread = stage.kind === 'stablehlo' || fusedOf(stage).has(graph);
  for (const eqn of graph.eqns) {
    const [made] = eqn.outvars;
    if (made === undefined || eqn.outvars.length > 1 || returned.has(made)) continue;
    const plain = plainName(eqn.op);
    if (flow.users(made).length === 0) {
      if (plain === 'tuple') found.set(made, '');
      continue;
    }
    const text =
      plain === 'constant'
        ? literalOf(eqn)
        : spread && BROADCASTS.includes(plain)
          ? found.get(eqn.invars[0] ?? -1)
          : undefined;
    if (text) found.set(made, text);
  }
  literalCache.set(graph, found);
  return found;
}

/** The bodies of fusions. Only their results are written to memory. */
const fusedOf = cached((stage: Stage): ReadonlySet<Graph> => {
  const eqns = stage.graphs.flatMap((graph) => graph.eqns.filter(({ op }) => op === 'fusion'));
  const found = new Set(eqns.flatMap(({ bodies }) => stage.graphs[bodies[0]?.graph ?? -1] ?? []));
  return found;
});

/** True if an eqn has no box: its value is written on the boxes of its users, or it casts the condition of one. */
export function isWritten(stage: Stage, graph: Graph, index: number): boolean {
  if (conditionCasts(graph).has(index)) return true;
  const [made] = graph.eqns[index]?.outvars ?? [];
  return made !== undefined && literalsOf(stage, graph).has(made);
}

/** The id of the box that shows an eqn. If it is written as a literal, or casts a condition: the box of its first user.
 * If it is the tuple of all results: the box of the first result. Otherwise its own box. */
export function writtenOn(stage: Stage, id: Id): Id {
  if (id === ROOT) return id;
  const { path, step } = parse(id);
  const graph = step.kind === 'eqn' ? graphAt(stage, path) : null;
  if (!graph || step.kind !== 'eqn') return id;
  let at = step.index;
  for (let user = at; isWritten(stage, graph, at); at = user) {
    user = flowOf(graph).users(graph.eqns[at]?.outvars[0] ?? -1)[0] ?? -1;
    if (user <= at) return binderId(path, 'out', 0);
  }
  return eqnId(path, at);
}

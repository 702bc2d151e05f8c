/** The few words after an eqn's name that distinguish it from others of its primitive: its axes, the dimensions it
 * contracts, the devices between which it moves data, the argument that it takes out of a tuple. */
import { __, _n, thousands } from '../../language';
import { IDLE, OPS_OF_BODIES } from '../../ops';
import type { Body, Eqn, Graph, Stage } from '../../schema';
import { flowOf } from '../flow';
import { carryOf, nestingOf } from '../graph';
import type { Family } from '../kinds';
import { familyOf, plainName } from '../kinds';
import { cached } from '../maps';
import { exchangeOf } from '../numbers/exchanges';
import { bytesText, cut, joined, labelOf } from './describe';
import { literalOf } from './literals';

/** Params that distinguish two eqns of one primitive. The box shows the first of these that an eqn has. */
const DETAIL_PARAMS = [
  'axes',
  'axis',
  'axis_name',
  'dimension',
  'dimensions',
  'new_dtype',
  'new_sizes',
  'shape',
  'permutation',
  'broadcast_dimensions',
  'y',
  'length',
  'reverse',
  'policy',
  'name',
  'iota_dimension',
  'all_gather_dim',
  'slice',
  'dynamic_slice_sizes',
  'call_target_name',
];
/** Values of params that are not shown. */
const EMPTY_VALUES = new Set(['', 'None', 'False', 'false', '{}', '[]', '()']);
/** The most characters of a detail that fits into a box. */
const LONGEST_DETAIL = 28;
/** Short forms of the params of StableHLO and HLO, whose names are long. */
const SHORT_NAMES = new Map([
  ['dimension', 'dim'],
  ['dimensions', 'dims'],
  ['broadcast_dimensions', 'dims'],
  ['iota_dimension', 'dim'],
  ['all_gather_dim', 'dim'],
  ['permutation', 'perm'],
  ['dynamic_slice_sizes', 'sizes'],
]);

/** The words that distinguish an eqn from others of its primitive, short enough for a box; empty if there are none. */
export function detailOf(stage: Stage, eqn: Eqn): string {
  const plain = plainName(eqn.op);
  if (plain === 'dot_general' || plain === 'dot') return contraction(eqn);
  if (plain === 'fusion') return fusedFrom(stage, eqn);
  if (plain === 'constant') return literalOf(eqn);
  if (plain === 'get_tuple_element') return `#${paramOf(eqn, 'index')}`;
  if (plain === 'compare') return paramOf(eqn, 'direction') || paramOf(eqn, 'comparison_direction');
  if (LOOPS.has(plain) && eqn.trips !== null) return tripsText(eqn, eqn.trips);
  if (CHOICES.has(plain) && eqn.bodies.length > 1) return __('runs one of %1', eqn.bodies.length);
  const transfer = familyOf(eqn.op, eqn.name) === 'collective';
  const devices = transfer ? devicesOf(stage, eqn) : '';
  const parts = [
    applied(stage, eqn),
    devices === '' ? detailParam(stage, eqn) : devices,
    transfer ? sent(stage, eqn) : '',
  ];
  return cut(parts.filter((part) => part !== '').join(' '), LONGEST_DETAIL);
}

/** True if an op is a loop, or runs one of its bodies. */
export const isLoopOrChoice = (op: string): boolean =>
  LOOPS.has(plainName(op)) || CHOICES.has(plainName(op));

/** The words beside the title of an open loop or choice, such as `100 iterations · i: 0 … 99 · recorded as scan`;
 * empty for any other eqn. */
export function openDetailOf(stage: Stage, graph: Graph, eqn: Eqn): string {
  const plain = plainName(eqn.op);
  if (!isLoopOrChoice(eqn.op)) return '';
  const { trips, name } = eqn;
  const isReversed = paramOf(eqn, 'reverse') === 'True';
  const recorded = name === '' || name.startsWith(plain) ? '' : __('recorded as %1', plain);
  const parts = LOOPS.has(plain)
    ? [
        trips === null ? '' : _n('%1 iteration', '%1 iterations', trips),
        isReversed ? __('from the last to the first') : counterOf(stage, graph, eqn),
      ]
    : [detailOf(stage, eqn)];
  return joined(' · ', [...parts, recorded]);
}

/** The values of a loop's counter, `i: 0 … 99`, if the user has a name for it. */
function counterOf(stage: Stage, { vars }: Graph, eqn: Eqn): string {
  const { bodies, invars, trips } = eqn;
  const [body] = bodies;
  const inner = stage.graphs[body?.graph ?? -1];
  if (!body || !inner || !trips) return '';
  const { producer } = flowOf(inner);
  for (const { input, output } of carryOf(eqn, 0)) {
    const start = vars[invars[body.inputs[input] ?? -1] ?? -1];
    const step = inner.eqns[producer[inner.outvars[output] ?? -1] ?? -1];
    const [counted, by] = step?.invars ?? [];
    const name = inner.args[input] ?? '';
    const isCounter = step?.op === 'add' && counted === inner.invars[input];
    if (!isCounter || !start?.literal || !/^\w+$/.test(name)) continue;
    if (!/^1:~?[iu]\d+\[\]$/.test(inner.vars[by ?? -1]?.name ?? '')) continue;
    const first = Number(/^-?\d+(?=:)/.exec(start.name)?.[0] ?? Number.NaN);
    if (Number.isSafeInteger(first)) return `${name}: ${first} … ${first + trips - 1}`;
  }
  return '';
}

/** Loops with a known number of iterations, and ops that run one of their bodies. */
const LOOPS = new Set(['while', 'scan']);
const CHOICES = new Set(OPS_OF_BODIES.chosen.split(' '));

/** The number of iterations of a loop: `×10`. */
const tripsText = (eqn: Eqn, trips: number): string =>
  `×${thousands(trips)}${paramOf(eqn, 'reverse') === 'True' ? ' reverse' : ''}`;

/** The number of repetitions of a row of groups: `×12`; for an unrolled Python loop with its line: `for ×12, line 3`.
 * Empty in a later stage whose iterations are too short for groups. */
export function timesOf(graph: Graph, row: number): string {
  const { loop = '', loop_line = 0 } = graph.groups[row] ?? {};
  const members = nestingOf(graph).members[row]!;
  if (members === 0) return '';
  const times = `×${thousands(members)}`;
  return loop === '' ? times : __('%1 %2, line %3', loop, times, loop_line);
}

/** The name of a row of groups: just `cell` for `cell 1…30`, if `timesOf` says the number of iterations. */
export function nameOfRow(graph: Graph, row: number): string {
  const { name = '' } = graph.groups[row] ?? {};
  const members = nestingOf(graph).members[row]!;
  return members === 0 ? name : name.replace(new RegExp(` 1…${members}(?= |$)`), '');
}

const paramOf = ({ params }: Eqn, name: string): string =>
  params.find((one) => one.name === name)?.value ?? '';

function detailParam({ kind }: Stage, eqn: Eqn): string {
  for (const name of DETAIL_PARAMS) {
    const value = paramOf(eqn, name);
    if (EMPTY_VALUES.has(value) || (name === 'name' && eqn.name !== '')) continue;
    if (kind === 'jaxpr') return `${name}=${value}`;
    return `${SHORT_NAMES.get(name) ?? name}=${value.replaceAll(', ', ',')}`;
  }
  return '';
}

/** The dimensions that a contraction sums over: `1·0` for dimension 1 of the left with 0 of the right. */
const contraction = ({ attributes }: Eqn): string =>
  attributes?.kind === 'dot' ? `${attributes.lhs.join(',')}·${attributes.rhs.join(',')}` : '';

/** Ops whose body only says how two values become one, or which of two comes first: reductions, sorts. */
const APPLIES = new Set(OPS_OF_BODIES.applied.split(' '));

/** The op of such a body if it has only one: `add`. */
function applied(stage: Stage, { op, bodies }: Eqn): string {
  const [first] = appliesBody(op) ? bodies : [];
  const [only, ...more] = stage.graphs[first?.graph ?? -1]?.eqns ?? [];
  return only && more.length === 0 ? labelOf(only) : '';
}

/** True if the bodies of an op only say how it works on single values (see `APPLIES`). */
export const appliesBody = (op: string): boolean => APPLIES.has(plainName(op));

/** Families whose ops come first in the detail of a fusion, the most costly first. */
const LISTED_FIRST: readonly Family[] = [
  'contraction',
  'collective',
  'reduction',
  'control',
  'random',
];

/** The ops that were fused into a fusion, each once, costly ones first: `dot add tanh`. Ops that only move data are
 * listed if there are no others. */
function fusedFrom(stage: Stage, { bodies }: Eqn): string {
  const eqns = stage.graphs[bodies[0]?.graph ?? -1]?.eqns ?? [];
  const rank = ({ op, name }: Eqn): number => {
    const family = familyOf(op, name);
    const at = LISTED_FIRST.indexOf(family);
    return at >= 0 ? at : LISTED_FIRST.length + (family === 'movement' ? 1 : 0);
  };
  const ranked = eqns.filter(({ op }) => !isFree(op)).sort((a, b) => rank(a) - rank(b));
  const work = ranked.filter((one) => rank(one) <= LISTED_FIRST.length);
  const listed = [work, ranked, eqns].find((some) => some.length > 0) ?? [];
  const names = [...new Set(listed.map(labelOf))];
  return cut(names.join(' '), LONGEST_DETAIL);
}

/** Ops that do no work at run time. */
const FREE_OPS = new Set(IDLE.split(' '));

/** True if an op does no work when it runs: it only renames or bundles values. */
export const isFree = (op: string): boolean => FREE_OPS.has(plainName(op));

/** The number of devices between which a collective moves data: `8 devices`, `2×4 devices` for two groups of four, `8
 * pairs`. */
function devicesOf({ kind }: Stage, { attributes }: Eqn): string {
  if (kind === 'jaxpr') return ''; // its axes say it
  if (attributes?.kind === 'pairs') return plural(attributes.sources.length, 'pair');
  if (attributes?.kind !== 'groups' || attributes.count === 0) return '';
  const each = plural(attributes.size, 'device');
  return attributes.count === 1 ? each : `${attributes.count}×${each}`;
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** The bytes that each device sends in one run. */
function sent(stage: Stage, eqn: Eqn): string {
  const bytes = exchangeOf(stage, eqn)?.sent;
  return bytes ? bytesText(bytes) : '';
}

/** A body and the eqn that calls it. */
interface Holder {
  outer: Graph;
  eqn: Eqn;
  body: Body;
}

/** For each graph the first eqn that calls it. */
const holdersOf = cached((stage: Stage): ReadonlyMap<Graph, Holder> => {
  const found = new Map<Graph, Holder>();
  for (const outer of stage.graphs) {
    for (const eqn of outer.eqns) {
      for (const body of eqn.bodies) {
        const graph = stage.graphs[body.graph];
        if (graph && !found.has(graph)) found.set(graph, { outer, eqn, body });
      }
    }
  }
  return found;
});

/** The most eqns and bodies that are followed back. */
const MOST_STEPS = 64;
/** Ops whose result is their operand. */
const COPIES = new Set(['bitcast', 'copy']);

/** The user's path of the argument that a `get-tuple-element` returns. Empty for any other value, and for one that a
 * loop changes. */
export function argumentOf(stage: Stage, graph: Graph, eqn: Eqn): string {
  if (eqn.op !== 'get-tuple-element') return '';
  let [at, variable]: [Graph, number | undefined] = [graph, eqn.outvars[0]];
  let element: number | null = null;
  for (let step = 0; step < MOST_STEPS && variable !== undefined; step++) {
    const input = at.invars.indexOf(variable);
    if (input >= 0) {
      const holder = holdersOf(stage).get(at);
      if (!holder) return element === null ? (at.args[input] ?? '') : '';
      if (!isPassedOn(at, holder, variable, element)) return '';
      variable = holder.eqn.invars[holder.body.inputs[input] ?? -1];
      at = holder.outer;
      continue;
    }
    const made = at.eqns[flowOf(at).producer[variable] ?? -1];
    const op = made ? plainName(made.op) : '';
    if (element === null && op === 'get_tuple_element') element = indexOf(made as Eqn);
    else if (element !== null && op === 'tuple') {
      variable = made?.invars[element];
      element = null;
      continue;
    } else if (element !== null || !COPIES.has(op)) return '';
    variable = made?.invars[0];
  }
  return '';
}

const indexOf = ({ params }: Eqn): number =>
  Number(params.find(({ name }) => name === 'index')?.value ?? -1);

/** True if an input of a body has the same value in each run. The body of a loop must return it unchanged, because its
 * next iteration gets what it returns. */
function isPassedOn(graph: Graph, { eqn }: Holder, input: number, element: number | null): boolean {
  if (plainName(eqn.op) !== 'while') return true;
  const { producer } = flowOf(graph);
  const made = (variable: number | undefined) => graph.eqns[producer[variable ?? -1] ?? -1];
  const returned = made(graph.outvars[0]);
  // What a loop's condition returns is no tuple: whether the body keeps it is not known here.
  if (element === null || returned?.op !== 'tuple') return false;
  const passed = made(returned.invars[element]);
  return (
    passed?.invars[0] === input && passed.op === 'get-tuple-element' && indexOf(passed) === element
  );
}

/** The params of a jaxpr's eqns that say nothing: None, or what they are where nobody asks for
 * anything else. What is left stands on one line where it has room. */
import type { Eqn, Graph, Stage } from '../../schema';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { type Range, rangesOf } from '../text/spans';
import { operandsOf } from './names';

/** Values, by param, that JAX gives where the user asks for none. */
const DEFAULTS = new Map([
  ['_split_transpose', 'False'],
  ['batch_group_count', '1'],
  ['feature_group_count', '1'],
  ['indices_are_sorted', 'False'],
  ['inline', 'False'],
  ['is_stable', 'True'],
  ['keep_unused', 'False'],
  ['num_keys', '1'],
  ['reverse', 'False'],
  ['symbolic_zeros', 'False'],
  ['unique_indices', 'False'],
  ['unroll', '1'],
  ['weak_type', 'False'],
]);

/** Characters of the params that are drawn together on one line. */
const LONGEST_LINE = 64;

const isPlain = (name: string, value: string): boolean =>
  value === 'None' || DEFAULTS.get(name) === value || ALL_FALSE.test(value);

/** One answer for each operand, all of them no: `linear=(False, False)`. */
const ALL_FALSE = /^\((?:False,? ?)+\)$/;

/** A param in the text: its range, without the blanks before it. */
interface Printed extends Range {
  name: string;
  value: string;
}

/** The params of an eqn without bodies, which stand in brackets between its op and its operands. */
export function inBrackets(stage: Stage, graph: Graph, eqn: Eqn, range: Range): Shortening[] {
  const { text } = stage;
  const [first] = operandsOf(stage, graph, eqn.invars, range);
  const own = text.slice(range.from, first?.from ?? range.to).trimEnd();
  const at = own.indexOf(`${eqn.op}[`);
  if (at < 0 || !own.endsWith(']') || (!first && eqn.invars.length > 0)) return [];
  const inner = { from: range.from + at + eqn.op.length + 1, to: range.from + own.length - 1 };
  const params = paramsIn(stage, inner);
  const kept = params.filter(
    ({ name, value }) => !isPlain(name, value) && !isOwnType(stage, graph, eqn, name),
  );
  if (kept.length === 0) return [gone(inner.from - 1, inner.to + 1)];
  const size = kept.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const joined = size <= LONGEST_LINE && !kept.some(({ value }) => value.includes('\n'));
  return joined ? between(text, inner, kept) : without(params, kept);
}

/** Whether the param names the dtype that the operands and the result have anyway. */
function isOwnType(stage: Stage, graph: Graph, { invars, outvars }: Eqn, name: string): boolean {
  if (name !== 'preferred_element_type') return false;
  const dtypes = [...invars, ...outvars].map((one) => avalOf(stage, graph, one)?.dtype);
  return new Set(dtypes).size === 1;
}

/** All but the params that are kept, which then stand on one line. */
function between(text: string, inner: Range, kept: readonly Printed[]): Shortening[] {
  const edges = [inner.from, ...kept.flatMap(({ from, to }) => [from, to]), inner.to];
  const found: Shortening[] = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] as number, edges[at + 1] as number];
    const shown = at === 0 || at === edges.length - 2 ? '' : ' ';
    if (from < to && text.slice(from, to) !== shown) found.push(gone(from, to, shown));
  }
  return found;
}

/** The params that are not kept, each with the blanks that separate it from the one before. */
function without(params: readonly Printed[], kept: readonly Printed[]): Shortening[] {
  return params.flatMap((param, at) => {
    if (kept.includes(param)) return [];
    const before = params[at - 1];
    const next = params[at + 1];
    if (before) return [gone(before.to, param.to)];
    return [gone(param.from, next?.from ?? param.to)];
  });
}

/** The params in a range of a stage's text. */
function paramsIn(stage: Stage, { from, to }: Range): Printed[] {
  const text = stage.text.slice(from, to);
  const known = paramsKnown(stage);
  const found = known.get(text) ?? findParams(text);
  known.set(text, found);
  return found.map((one) => ({ ...one, from: from + one.from, to: from + one.to }));
}

/** What was found in each piece of text: most eqns have the params of another. */
const paramsKnown = cached((_: Stage) => new Map<string, readonly Printed[]>());

/** The params in a piece of text, which blanks separate that are in no brackets and quotes. */
function findParams(text: string): Printed[] {
  const found: Printed[] = [];
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === "'" || char === '"') quote = char;
    else if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    if (depth !== 0 || quote !== '' || (at > 0 && !/\s/.test(text[at - 1] as string))) continue;
    const [name] = /^\w+(?==)/.exec(text.slice(at, at + LONGEST_NAME)) ?? [];
    if (name !== undefined) found.push({ from: at, to: text.length, name, value: '' });
  }
  return found.map((param, at) => {
    const all = text.slice(param.from, found[at + 1]?.from ?? text.length).trimEnd();
    return { ...param, to: param.from + all.length, value: all.slice(param.name.length + 1) };
  });
}

const LONGEST_NAME = 60;

/** The params of an eqn with bodies that stand on lines of their own before and after these. */
export function aroundBodies(stage: Stage, { bodies }: Eqn, range: Range): Shortening[] {
  const held = bodies.map(({ graph }) => rangesOf(stage)[graph]);
  const inner = held.flatMap((ranges) => [ranges?.[0], ranges?.at(-1)]);
  const known = inner.filter(
    (one): one is Range => !!one && one.from > range.from && one.to < range.to,
  );
  if (known.length === 0) return [];
  const first = Math.min(...known.map(({ from }) => from));
  const last = Math.max(...known.map(({ to }) => to));
  return [
    { from: range.from, to: first },
    { from: last, to: range.to },
  ].flatMap((part) => plainLines(stage.text, part));
}

const LINE = /\n\s+(\w+)=(\S.*)(?=\n)/g;

function plainLines(text: string, { from, to }: Range): Shortening[] {
  return [...text.slice(from, to).matchAll(LINE)].flatMap((line) => {
    const [all, name = '', value = ''] = line;
    const start = from + line.index;
    return isPlain(name, value) ? [gone(start, start + all.length)] : [];
  });
}

export interface Shortening extends Range {
  /** Empty where nothing is shown. */
  text: string;
  /** Whether it stands for a list that opens when it is clicked. */
  folded: boolean;
  /** What is shown otherwise in that list. */
  inside?: readonly Shortening[];
}

export const gone = (from: number, to: number, text = ''): Shortening => ({
  from,
  to,
  text,
  folded: false,
});

/** What a weak type is written with; JAX's printer leaves it out. */
export const WEAK = '~';

/** A mark before each weak type, where variables are bound at these places. */
export function weakMarks(
  stage: Stage,
  graph: Graph,
  variables: readonly number[],
  places: readonly Range[],
): Shortening[] {
  return places.flatMap(({ from }, at) => {
    const variable = variables[at] as number;
    const type = from + (graph.vars[variable]?.name ?? '').length + 1;
    const isWeak = avalOf(stage, graph, variable)?.weak_type === true;
    return isWeak && stage.text[type] !== WEAK ? [gone(type, type, WEAK)] : [];
  });
}

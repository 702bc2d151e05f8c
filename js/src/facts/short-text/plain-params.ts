/** The params of a jaxpr's eqns that say nothing: None, or their default. The other params of an eqn share one line
 * if there is room. */
import type { Eqn, Graph, Stage } from '../../schema';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { type Range, rangesOf } from '../text/spans';
import { operandsOf } from './names';

/** The values, by param, that JAX uses by default. */
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

/** The most characters of params that share one line. */
const LONGEST_LINE = 64;

const isPlain = (name: string, value: string): boolean =>
  value === 'None' || DEFAULTS.get(name) === value || ALL_FALSE.test(value);

/** A tuple of `False` only: `linear=(False, False)`. */
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
  const shown = params.filter(
    ({ name, value }) => !isPlain(name, value) && !isOwnType(stage, graph, eqn, name),
  );
  if (shown.length === 0) return [hidden(inner.from - 1, inner.to + 1)];
  const size = shown.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const joined = size <= LONGEST_LINE && !shown.some(({ value }) => value.includes('\n'));
  return joined ? between(text, inner, shown) : without(params, shown);
}

/** True if the param names the dtype that the operands and the result have anyway. */
function isOwnType(stage: Stage, graph: Graph, { invars, outvars }: Eqn, name: string): boolean {
  if (name !== 'preferred_element_type') return false;
  const dtypes = [...invars, ...outvars].map((one) => avalOf(stage, graph, one)?.dtype);
  return new Set(dtypes).size === 1;
}

/** Hides all but the shown params, which then share one line. */
function between(text: string, inner: Range, shown: readonly Printed[]): Shortening[] {
  const edges = [inner.from, ...shown.flatMap(({ from, to }) => [from, to]), inner.to];
  const found: Shortening[] = [];
  for (let at = 0; at < edges.length; at += 2) {
    const [from, to] = [edges[at] as number, edges[at + 1] as number];
    const blank = at === 0 || at === edges.length - 2 ? '' : ' ';
    if (from < to && text.slice(from, to) !== blank) found.push(hidden(from, to, blank));
  }
  return found;
}

/** Hides the params that are not shown, each with the blanks before it. */
function without(params: readonly Printed[], shown: readonly Printed[]): Shortening[] {
  return params.flatMap((param, at) => {
    if (shown.includes(param)) return [];
    const before = params[at - 1];
    const next = params[at + 1];
    if (before) return [hidden(before.to, param.to)];
    return [hidden(param.from, next?.from ?? param.to)];
  });
}

/** The params in a range of a stage's text. */
function paramsIn(stage: Stage, { from, to }: Range): Printed[] {
  const text = stage.text.slice(from, to);
  const cache = paramsCache(stage);
  const found = cache.get(text) ?? findParams(text);
  cache.set(text, found);
  return found.map((one) => ({ ...one, from: from + one.from, to: from + one.to }));
}

/** The params of each piece of text: most eqns have the params of another. */
const paramsCache = cached((_: Stage) => new Map<string, readonly Printed[]>());

/** The params in a piece of text, separated by blanks outside of brackets and quotes. */
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

/** The params of an eqn with bodies that stand on lines of their own before and after its bodies. */
export function aroundBodies(stage: Stage, { bodies }: Eqn, range: Range): Shortening[] {
  const ranges = bodies.map(({ graph }) => rangesOf(stage)[graph]);
  const inner = ranges.flatMap((own) => [own?.[0], own?.at(-1)]);
  const outer = inner.filter(
    (one): one is Range => !!one && one.from > range.from && one.to < range.to,
  );
  if (outer.length === 0) return [];
  const first = Math.min(...outer.map(({ from }) => from));
  const last = Math.max(...outer.map(({ to }) => to));
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
    return isPlain(name, value) ? [hidden(start, start + all.length)] : [];
  });
}

export interface Shortening extends Range {
  /** Empty if nothing is shown. */
  text: string;
  /** True if it is a list that opens when it is clicked. */
  folded: boolean;
  /** The replacements inside that list. */
  inside?: readonly Shortening[];
}

export const hidden = (from: number, to: number, text = ''): Shortening => ({
  from,
  to,
  text,
  folded: false,
});

/** The mark of a weak type, which JAX's printer leaves out. */
export const WEAK = '~';

/** A mark before each weak type of variables that are bound at these places. */
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
    return isWeak && stage.text[type] !== WEAK ? [hidden(type, type, WEAK)] : [];
  });
}

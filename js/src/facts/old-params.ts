/** Reads off the params of programs up to format 5 what `Eqn.attributes` is from format 6 on, as
 * `give_attributes` in `jaxviz/schema/upgrade.py` does. */

import {
  DOTS,
  type Dot,
  type Eqn,
  type Groups,
  PATTERNS,
  type Pairs,
  type Program,
  SIDES,
} from '../schema';

/** Gives the matrix products and collectives of a program what their params say, in place. */
export function giveAttributes({ stages }: Program): void {
  for (const { kind, graphs } of stages) {
    for (const eqn of graphs.flatMap(({ eqns }) => eqns)) {
      eqn.attributes = attributesOf(eqn, kind === 'jaxpr');
    }
  }
}

function attributesOf({ op, params }: Eqn, isJaxpr: boolean): Eqn['attributes'] {
  const whole = params.filter(({ value, size }) => size <= [...value].length);
  const texts = new Map(whole.map(({ name, value }) => [name, value]));
  const pairs = isJaxpr ? undefined : texts.get('source_target_pairs');
  if (pairs !== undefined) return pairsOf(pairs);
  const groups = isJaxpr ? undefined : texts.get('replica_groups');
  if (groups !== undefined) return groupsOf(groups);
  return DOTS.includes(op) ? dotOf(texts) : null;
}

function dotOf(texts: ReadonlyMap<string, string>): Dot | null {
  const named = texts.get('dot_dimension_numbers');
  const lists =
    named !== undefined
      ? SIDES.map(([inStablehlo]) => listNamed(inStablehlo, named))
      : texts.has('lhs_contracting_dims')
        ? SIDES.map(([, inHlo]) => texts.get(inHlo) ?? '')
        : found('list', texts.get('dimension_numbers') ?? '').map(([, list = '']) => list);
  if (lists.length !== SIDES.length) return null;
  const [lhs, rhs, lhs_batch, rhs_batch] = lists.map(numbersIn) as [
    number[],
    number[],
    number[],
    number[],
  ];
  return { kind: 'dot', lhs, rhs, lhs_batch, rhs_batch };
}

function groupsOf(text: string): Groups {
  const [count, size] = sizesOf(text);
  return {
    kind: 'groups',
    axes: [],
    count,
    size,
    devices: [],
    dims: [],
    order: [],
    dimensions: [],
  };
}

/** How many groups of how many devices there are. */
function sizesOf(text: string): [number, number] {
  const [mesh] = found('mesh', text);
  if (mesh) {
    const [, axes = '', used = ''] = mesh;
    const sizes = new Map(found('axis', axes).map(([, name, size]) => [name, Number(size ?? 0)]));
    const each = used.includes(':')
      ? 0
      : product(found('axis', used).map(([, name]) => sizes.get(name) ?? 0));
    return each === 0 ? [0, 0] : [Math.floor(product([...sizes.values()]) / each), each];
  }
  const [shape] = found('shape', text);
  if (shape) return [Number(shape[1]), Number(shape[2])];
  const groups = found('list', text)
    .map(([, list = '']) => numbersIn(list))
    .filter(({ length }) => length > 0);
  return [groups.length, Math.max(0, ...groups.map(({ length }) => length))];
}

function pairsOf(text: string): Pairs {
  const pairs = found('list', text)
    .map(([, list = '']) => numbersIn(list))
    .filter(({ length }) => length === 2);
  const side = (at: number) => pairs.map((pair) => pair[at] as number);
  return { kind: 'pairs', axes: [], sources: side(0), targets: side(1) };
}

const found = (name: keyof typeof PATTERNS, text: string): RegExpMatchArray[] => [
  ...text.matchAll(new RegExp(PATTERNS[name], 'g')),
];

const listNamed = (name: string, text: string): string =>
  found('named_list', text).find(([, found]) => found === name)?.[2] ?? '';

const numbersIn = (text: string): number[] =>
  found('number', text).map(([digits]) => Number(digits));

const product = (numbers: readonly number[]): number =>
  numbers.reduce((all, number) => all * number, 1);

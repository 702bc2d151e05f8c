/** Writes types: of a value for labels, with its split over devices; and of a program's arguments and results, for
 * headings. */
import { __, _n } from '../../language';
import type { Aval, Leaf, Program, Stage } from '../../schema';
import { append } from '../maps';
import { keys } from './pytree';

/** The most characters of a type that fits beside an edge. */
const LONGEST_TYPE = 30;

/** A type as the stage writes it; `~f32[]` is weak, as in JAX's messages about calls. */
export const typeText = ({ text, weak_type }: Aval): string =>
  weak_type && !text.includes('~') ? `~${text}` : text;

/** A type as it is written beside an edge: as the stage writes it, with its split over devices. `f32[8@data,64]` is
 * split along a named axis of the mesh, as in jaxprs, and `f32[8/4,64]` into four parts. Optimized HLO is the
 * program of one device: `f32[2×4,64]` is one of four parts, each of two rows. */
export function typeLabel(stage: Stage, aval: Aval): string {
  if (aval.kind === 'tuple') return tuple(aval);
  const splits = splitsOf(aval);
  if (splits.every((one) => one === '')) return typeText(aval);
  const sizes = (aval.shape ?? []).map((size, axis) => {
    const split = splits[axis] ?? '';
    if (split === '') return size;
    const named = /\D/.test(split);
    return `${size}${named ? '@' : stage.kind === 'hlo' ? '×' : '/'}${split}`;
  });
  const whole = typeText(aval);
  return `${whole.slice(0, whole.indexOf('['))}[${sizes.join(',')}]`;
}

/** For each dimension, the axes or the number of parts that split it; empty if it is whole. Reads the forms of XLA
 * (`{devices=[4,1]<=[4]}`) and of Shardy (`<@mesh, [{"data"}, {}]>`). */
function splitsOf({ text, shape, sharding }: Aval): string[] {
  if (sharding === null || shape === null || !/^[^@]*\[[^@]*$/.test(text)) return [];
  const parts = /devices=\[([\d,]+)\]/.exec(sharding)?.[1];
  if (parts !== undefined) {
    return parts
      .split(',')
      .slice(0, shape.length)
      .map((one) => (one === '1' ? '' : one));
  }
  const axes = /\[(\s*\{[^\]]*\}\s*)\]/.exec(sharding)?.[1] ?? '';
  return [...axes.matchAll(/\{([^}]*)\}/g)].map(([, names = '']) =>
    [...names.matchAll(/"([^"]*)"/g)].map(([, name]) => name).join('.'),
  );
}

/** The type of a tuple, or the number of its values if the list is too long. */
function tuple({ text }: Aval): string {
  if (text.length <= LONGEST_TYPE) return text;
  let [depth, count] = [0, 0];
  for (const char of text) {
    if ('([{'.includes(char)) depth += 1;
    else if (')]}'.includes(char)) depth -= 1;
    else if (char === ',' && depth === 1) count += 1;
  }
  return `(${count + 1} values)`;
}

/** The unusual properties of a value, a word for each. */
export function badgesOf(aval: Aval): string[] {
  const kind = aval.kind === 'array' ? [] : [aval.kind];
  return [
    ...(aval.weak_type ? ['weak type'] : []),
    ...kind,
    ...(aval.sharding === null ? [] : [`sharding ${aval.sharding}`]),
    ...(aval.memory === null ? [] : [`memory ${aval.memory}`]),
    ...(aval.layout === null ? [] : [`layout ${aval.layout}`]),
  ];
}

/** The arguments and results of a call by their types: `(params: {b1: f32[64]}, x: f32[8,32]) →
 * f32[]`. */
export function signature(program: Program): string {
  return `(${argumentsOf(program, types)}) → ${resultsOf(program, types)}`;
}

/** The signature, with the fixed arguments of the program: `(x: f32[5], mode='sum') → f32[]`. If it has more than
 * `longest` characters, the leaves of each pytree are counted instead: `(params(148), tokens: i32[16])`. */
export function shortSignature(program: Program, longest: number): string {
  const fixed = program.fixed.map(({ path, text }) => `${path}=${text}`);
  const written = (show: Show) => {
    const args = [argumentsOf(program, show), ...fixed].filter((part) => part !== '');
    return `(${args.join(', ')}) → ${resultsOf(program, show)}`;
  };
  if (program.args.length + program.results.length <= longest) {
    const whole = written(types);
    if (whole.length <= longest) return whole;
  }
  return written(counted);
}

/** The values that were passed but are no inputs of the program: `constant: lower=0, upper=100`. Empty if there
 * are none. */
export function fixedText({ fixed }: Program): string {
  const listed = (kind: string) =>
    fixed
      .filter((one) => one.kind === kind)
      .map(({ path, text }) => `${path}=${text}`)
      .join(', ');
  const passed = listed('static');
  const closed = listed('closed over');
  return [
    ...(passed ? [__('static: %1', passed)] : []),
    ...(closed ? [__('constant: %1', closed)] : []),
  ].join(' · ');
}

/** The arguments that are donated: `donated: w, state (2 of 3 arrays)`. Empty if none is. */
export function donatedText({ args, stages }: Program): string {
  const given = stages.find(({ error }) => error === null)?.call?.donated ?? [];
  const root = (leaf: Leaf | undefined) => keys(leaf?.path ?? '')[0] ?? '';
  const times = (leaves: readonly (Leaf | undefined)[], name: string) =>
    leaves.filter((leaf) => root(leaf) === name).length;
  const donated = given.map((at) => args[at]);
  const parts = [...new Set(donated.map(root))].map((name) => {
    const [count, every] = [times(donated, name), times(args, name)];
    return count === every ? name : __('%1 (%2 of %3 arrays)', name, count, every);
  });
  return parts.length === 0 ? '' : __('donated: %1', parts.join(', '));
}

/** A leaf, and its keys that are not written yet. */
interface RemainingLeaf {
  keys: string[];
  type: string;
}

type Show = (leaves: RemainingLeaf[]) => string;

function argumentsOf({ args }: Program, show: Show): string {
  return [...byKey(restsOf(args))]
    .map(([name, leaves]) => {
      if (name === '') return show(leaves);
      return show === counted && !isLeaf(leaves)
        ? `${name}(${leaves.length})`
        : `${name}: ${show(leaves)}`;
    })
    .join(', ');
}

function resultsOf({ results }: Program, show: Show): string {
  const rests = restsOf(results).map((rest) => ({ ...rest, keys: rest.keys.slice(1) }));
  if (rests.length === 0) return '()';
  const parts = byKey(rests);
  if (show !== counted || [...parts.keys()].some((key) => !/^\[\d+\]$/.test(key))) {
    return show(rests);
  }
  return `(${[...parts.values()].map(show).join(', ')})`;
}

const restsOf = (leaves: readonly Leaf[]): RemainingLeaf[] =>
  leaves.map(({ path, aval }) => ({ keys: keys(path), type: typeText(aval) }));

/** Leaves grouped by their first key, which is removed from them. */
function byKey(rests: readonly RemainingLeaf[]): Map<string, RemainingLeaf[]> {
  const groups = new Map<string, RemainingLeaf[]>();
  for (const { keys: own, type } of rests) {
    const [first = '', ...others] = own;
    append(groups, first, { keys: others, type });
  }
  return groups;
}

/** Levels of a pytree that are written out. */
const DEEPEST_TREE = 12;

const types: Show = (leaves) => typesTo(leaves, DEEPEST_TREE);

function typesTo(leaves: readonly RemainingLeaf[], depth: number): string {
  const [only] = leaves;
  if (leaves.length === 1 && only?.keys.length === 0) return only.type;
  if (depth === 0) return '…';
  const parts = [...byKey(leaves)];
  const inner = parts.map(([key, rest]) => `${nameOf(key)}${typesTo(rest, depth - 1)}`).join(', ');
  return parts.every(([key]) => /^\[\d+\]$/.test(key)) ? `(${inner})` : `{${inner}}`;
}

/** The text of a key before its value: `w1: ` for `['w1']` and `.w1`, nothing for a position. */
function nameOf(key: string): string {
  if (/^\[\d*\]$/.test(key)) return '';
  const name = key.startsWith('.') ? key.slice(1) : key.replace(/^\[['"]?|['"]?\]$/g, '');
  return name === '' ? '' : `${name}: `;
}

/** True if the leaves are one array, and no pytree. */
const isLeaf = ([first, ...others]: RemainingLeaf[]): boolean =>
  others.length === 0 && first?.keys.length === 0;

const counted: Show = (leaves) =>
  isLeaf(leaves) ? (leaves[0]?.type ?? '') : _n('%1 array', '%1 arrays', leaves.length);

import { __ } from '../language';
import type { Leaf, Program } from '../schema';
import { keys } from './pytree';

/** A call's arguments and results by their types: `(params: {b1: f32[64]}, x: f32[8,32]) → f32[]`. */
export function signature(program: Program): string {
  return `(${argumentsOf(program, types)}) → ${resultsOf(program, types)}`;
}

/** The signature if it has at most `longest` characters, else with each pytree counted. */
export function shortSignature(program: Program, longest: number): string {
  const whole = signature(program);
  if (whole.length <= longest) return whole;
  return `(${argumentsOf(program, counted)}) → ${resultsOf(program, counted)}`;
}

/** What was passed and is no input: `closed over: lower=0, upper=100`; empty where nothing was. */
export function fixedText({ fixed }: Program): string {
  const listed = (kind: string) =>
    fixed
      .filter((one) => one.kind === kind)
      .map(({ path, text }) => `${path}=${text}`)
      .join(', ');
  const given = listed('static');
  const closed = listed('closed over');
  return [
    ...(given ? [__('static: %1', given)] : []),
    ...(closed ? [__('closed over: %1', closed)] : []),
  ].join(' · ');
}

/** A leaf and the keys that lead to it from here. */
interface Rest {
  keys: string[];
  type: string;
}

type Show = (leaves: Rest[]) => string;

function argumentsOf({ args }: Program, show: Show): string {
  return [...byKey(restsOf(args))]
    .map(([name, leaves]) => (name === '' ? show(leaves) : `${name}: ${show(leaves)}`))
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

const restsOf = (leaves: readonly Leaf[]): Rest[] =>
  leaves.map(({ path, aval }) => ({ keys: keys(path), type: aval.text }));

/** Leaves by their first key, which is taken off. */
function byKey(rests: readonly Rest[]): Map<string, Rest[]> {
  const groups = new Map<string, Rest[]>();
  for (const { keys: own, type } of rests) {
    const [first = '', ...others] = own;
    const group = groups.get(first);
    if (group) group.push({ keys: others, type });
    else groups.set(first, [{ keys: others, type }]);
  }
  return groups;
}

const DEEPEST = 12;

const types: Show = (leaves) => typesTo(leaves, DEEPEST);

function typesTo(leaves: readonly Rest[], depth: number): string {
  const [only] = leaves;
  if (leaves.length === 1 && only?.keys.length === 0) return only.type;
  if (depth === 0) return '…';
  const parts = [...byKey(leaves)];
  const inner = parts.map(([key, rest]) => `${nameOf(key)}${typesTo(rest, depth - 1)}`).join(', ');
  return parts.every(([key]) => /^\[\d+\]$/.test(key)) ? `(${inner})` : `{${inner}}`;
}

/** `['w1']` and `.w1` are called `w1: `, a position needs no name. */
function nameOf(key: string): string {
  if (/^\[\d*\]$/.test(key)) return '';
  const name = key.startsWith('.') ? key.slice(1) : key.replace(/^\[['"]?|['"]?\]$/g, '');
  return name === '' ? '' : `${name}: `;
}

const counted: Show = (leaves) => {
  const [only] = leaves;
  return leaves.length === 1 && only?.keys.length === 0 ? only.type : `{${leaves.length}}`;
};

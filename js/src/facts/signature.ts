/** Writes the arguments and results of a program by their types, as headings show them. */

import { __ } from '../language';
import type { Leaf, Program } from '../schema';
import { append } from './gather';
import { keys } from './pytree';

/** The arguments and results of a call by their types: `(params: {b1: f32[64]}, x: f32[8,32]) →
 * f32[]`. */
export function signature(program: Program): string {
  return `(${argumentsOf(program, types)}) → ${resultsOf(program, types)}`;
}

/** The signature where it has at most `longest` characters; else with the leaves of each pytree
 * counted instead. */
export function shortSignature(program: Program, longest: number): string {
  const whole = signature(program);
  if (whole.length <= longest) return whole;
  return `(${argumentsOf(program, counted)}) → ${resultsOf(program, counted)}`;
}

/** What was passed but is not an input of the program: `closed over: lower=0, upper=100`. Empty
 * where there is none. */
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

/** A leaf and those of its keys that were not written yet. */
interface RemainingLeaf {
  keys: string[];
  type: string;
}

type Show = (leaves: RemainingLeaf[]) => string;

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

const restsOf = (leaves: readonly Leaf[]): RemainingLeaf[] =>
  leaves.map(({ path, aval }) => ({ keys: keys(path), type: aval.text }));

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

/** How a key is written before its value: `w1: ` for `['w1']` and `.w1`, nothing for a position. */
function nameOf(key: string): string {
  if (/^\[\d*\]$/.test(key)) return '';
  const name = key.startsWith('.') ? key.slice(1) : key.replace(/^\[['"]?|['"]?\]$/g, '');
  return name === '' ? '' : `${name}: `;
}

const counted: Show = (leaves) => {
  const [only] = leaves;
  return leaves.length === 1 && only?.keys.length === 0 ? only.type : `{${leaves.length}}`;
};

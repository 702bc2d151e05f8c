/**
 * The user's paths into pytrees, cut into keys and gathered by them. Paths are written as JAX prints them: `params['layers'][0].kernel`.
 * A path is cut into the argument's name and its keys: `params`, `['layers']`, `[0]`, `.kernel`.
 */
import { gather as gathered } from '../maps';

const KEY = /^[^.[]+|\.[^.[]+|\['(?:[^'\\]|\\.)*'\]|\["(?:[^"\\]|\\.)*"\]|\[[^\]]*\]/y;

export function keys(path: string): string[] {
  const found: string[] = [];
  let at = 0;
  while (at < path.length) {
    KEY.lastIndex = at;
    const key = KEY.exec(path)?.[0] ?? path.slice(at);
    found.push(key);
    at += key.length;
  }
  return found;
}

/** True if a path equals a prefix or is below it: `params2` is not below `params`. */
export function within(path: string, prefix: string): boolean {
  if (!path.startsWith(prefix)) return false;
  return prefix === '' || path.length === prefix.length || '.['.includes(path[prefix.length] ?? '');
}

/** The leaves below one prefix, or a single leaf. Leaves are indices into the list of paths. */
export interface Branch {
  prefix: string;
  leaves: number[];
}

/** Gathers paths by the first `depth` of their keys, in order of first appearance. JAX sorts the keys
 * of a dict as texts; keys that differ only in numbers are put in the order of these. */
function gather(below: ReadonlyMap<number, readonly string[]>, depth: number): Branch[] {
  const branches = new Map<string, Branch>();
  for (const [index, own] of below) {
    const prefix = own.slice(0, depth).join('');
    const branch = branches.get(prefix) ?? { prefix, leaves: [] };
    branch.leaves.push(index);
    branches.set(prefix, branch);
  }
  return inNaturalOrder([...branches.values()]);
}

const NUMBERS = /\d+/g;

/** Sorts branches whose prefixes differ only in numbers: `w2` before `w12`. Others stay in their places. */
function inNaturalOrder(branches: readonly Branch[]): Branch[] {
  const places = gathered(branches.keys(), (at) => branches[at]!.prefix.replace(NUMBERS, '#'));
  const found = [...branches];
  for (const family of places.values()) {
    const sorted = family
      .map((at) => ({ branch: branches[at]!, numbers: numbersIn(branches[at]!.prefix) }))
      .sort((a, b) => compared(a.numbers, b.numbers));
    family.forEach((at, order) => {
      found[at] = sorted[order]!.branch;
    });
  }
  return found;
}

const numbersIn = (prefix: string): number[] => (prefix.match(NUMBERS) ?? []).map(Number);

/** Negative if the first list is lexicographically smaller. */
function compared(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
}

/** The most characters of names that stand side by side in a view of a notebook. */
const ROW_COLUMNS = 64;

/** True if names take more than a row. */
export const isMoreThanRow = (names: readonly string[]): boolean =>
  names.length > 1 && names.reduce((sum, { length }) => sum + length, 0) > ROW_COLUMNS;

/** A root that all paths share (`result`) is replaced by the branches below it, unless there are more than this, or
 * more than fit in a row. */
export const MOST_BELOW_ROOT = 12;

/** The branches directly below a prefix, or of the whole tree for an empty one. A level with a single branch is
 * skipped, the root only if it has at most `mostBelowRoot`. */
export function branches(
  paths: readonly string[],
  prefix: string,
  mostBelowRoot = MOST_BELOW_ROOT,
): Branch[] {
  const below = new Map<number, string[]>();
  for (const [index, path] of paths.entries()) {
    if (within(path, prefix)) below.set(index, keys(path));
  }
  const deepest = [...below.values()].reduce((most, { length }) => Math.max(most, length), 0);
  let depth = keys(prefix).length + 1;
  let found = gather(below, depth);
  while (found.length === 1 && depth < deepest) {
    depth += 1;
    const deeper = gather(below, depth);
    const many = deeper.length > mostBelowRoot || isMoreThanRow(deeper.map((one) => one.prefix));
    if (prefix === '' && many) break;
    found = deeper;
  }
  return found;
}

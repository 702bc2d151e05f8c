import type { Change } from '../../schema';

/** A stretch of the text of a change. */
export interface Piece {
  text: string;
  /** What it was before, what it is now, or what did not change. */
  of: 'before' | 'after' | 'both';
}

/** The changes in one line, as the kernel tells them (`jaxviz/analysis/hints.py`):
 * `x: f32[8→5, 32]; lr: weak f32[] (float) → f32[]`. */
export function told(reason: readonly Change[]): string {
  const texts = reason.map((change) => textOf(piecesOf(change)));
  return [...new Set(texts)].join('; ');
}

export const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

/** One change in words: where it is, and what is different. */
export function piecesOf(change: Change): Piece[] {
  const fixed = WHOLE.get(change.kind);
  if (fixed !== undefined) return [both(fixed)];
  return [both(`${placeOf(change)}: `), ...differenceOf(change)];
}

const WHOLE = new Map([
  ['first', 'first call'],
  ['unknown', 'not known why'],
  ['cleared', "JAX's caches were cleared"],
  ['function', 'a new function object of the same code'],
]);

function placeOf({ kind, where }: Change): string {
  if (kind === 'static') return `static ${where}`;
  return where === '' ? kind : where;
}

/** What was and what is, where they differ: of types the dimensions or the dtype alone. */
function differenceOf({ kind, before, after }: Change): Piece[] {
  const merged = kind === 'shape' || kind === 'dtype' ? mergedOf(before, after) : null;
  return merged ?? [{ text: before, of: 'before' }, both(' → '), { text: after, of: 'after' }];
}

/** `f32[8→5, 32]`; null where the two have not as many dimensions. */
function mergedOf(before: string, after: string): Piece[] | null {
  const [left, right] = [dimensions(before), dimensions(after)];
  if (left.length !== right.length || !before.includes('[') || !after.includes('[')) return null;
  const sizes = left.flatMap((size, axis) => [
    both(axis === 0 ? '' : ', '),
    ...arrow(size, right[axis] ?? ''),
  ]);
  return [...arrow(dtype(before), dtype(after)), both('['), ...sizes, both(']')].filter(
    ({ text }) => text !== '',
  );
}

const arrow = (before: string, after: string): Piece[] =>
  before === after
    ? [both(before)]
    : [{ text: before, of: 'before' }, both('→'), { text: after, of: 'after' }];

const both = (text: string): Piece => ({ text, of: 'both' });

const dtype = (text: string): string => text.split('[', 1)[0] ?? '';

function dimensions(text: string): string[] {
  const inner = /^[^[]*\[([^\]]*)\]$/.exec(text)?.[1] ?? '';
  return inner === '' ? [] : inner.split(',');
}

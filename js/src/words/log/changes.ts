import { __ } from '../../language';
import type { Cause, Change, Variant } from '../../schema';
import { fromKernel } from '../kernel-words';

/** A stretch of the text of a change. */
export interface Piece {
  text: string;
  /** What it was before, what it is now, or what did not change. */
  of: 'before' | 'after' | 'both';
}

/** The changes in one line, as the kernel tells them (`jaxviz/analysis/retraces/hints.py`):
 * `x: f32[8→5, 32]; lr: weak f32[] (float) → f32[]`. */
export function told(reason: readonly Change[]): string {
  const texts = reason.map((change) => {
    const place = placeOf(change);
    return `${place === '' ? '' : `${place}: `}${textOf(differenceOf(change))}`;
  });
  return [...new Set(texts)].join('; ');
}

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ text }) => text).join('');

const WHOLE = new Map([
  ['first', () => __('first call')],
  ['unknown', () => __('not known why')],
  ['cleared', () => __("JAX's caches were cleared")],
  ['function', () => __('a new function object of the same code')],
]);

function placeOf({ kind, where }: Change): string {
  if (WHOLE.has(kind)) return '';
  if (kind === 'static') return `static ${where}`;
  return where === '' ? kind : where;
}

/** Where what was and what is are words, not values. */
const IN_WORDS = new Set(['style', 'committed', 'mesh', 'sharding']);

/** What was and what is: of types the dimensions or the dtype alone, where these differ. */
export function differenceOf({ kind, before, after }: Change): Piece[] {
  const whole = WHOLE.get(kind)?.();
  if (whole !== undefined) return [both(whole)];
  const merged = kind === 'shape' || kind === 'dtype' ? mergedOf(before, after) : null;
  if (merged) return merged;
  const said = IN_WORDS.has(kind) ? fromKernel : (text: string) => text;
  return [{ text: said(before), of: 'before' }, both(' → '), { text: said(after), of: 'after' }];
}

/** `f32[8→5, 32]`; null where the two have not as many dimensions. */
function mergedOf(before: string, after: string): Piece[] | null {
  const [left, right] = [dimensions(before), dimensions(after)];
  if (left.length !== right.length || !before.includes('[') || !after.includes('[')) return null;
  const sizes = left.flatMap((size, axis) => [
    ...(axis === 0 ? [] : [both(', ')]),
    ...arrow(size, right[axis] ?? ''),
  ]);
  return [...arrow(dtype(before), dtype(after)), both('['), ...sizes, both(']')];
}

const arrow = (before: string, after: string): Piece[] =>
  before === after
    ? [both(before)]
    : [{ text: before, of: 'before' }, both('→'), { text: after, of: 'after' }];

const both = (text: string): Piece => ({ text, of: 'both' });

const dtype = (text: string): string => text.slice(0, text.indexOf('['));

function dimensions(text: string): string[] {
  const inner = /^[^[]*\[([^\]]*)\]$/.exec(text)?.[1] ?? '';
  return inner === '' ? [] : inner.split(',');
}

/** Changes of one kind, those that are the same at several places once. */
export interface Group {
  kind: string;
  changes: { wheres: string[]; difference: Piece[] }[];
}

/** The changes of a reason by their kinds, in the order in which these are first met. */
export function grouped(reason: readonly Change[]): Group[] {
  const groups = new Map<string, Map<string, Group['changes'][number]>>();
  for (const change of reason) {
    const group = groups.get(change.kind) ?? new Map();
    groups.set(change.kind, group);
    const difference = differenceOf(change);
    const same = group.get(textOf(difference));
    if (same) same.wheres.push(change.where);
    else group.set(textOf(difference), { wheres: [change.where], difference });
  }
  return [...groups].map(([kind, changes]) => ({ kind, changes: [...changes.values()] }));
}

/** Values that are named in one line. */
const NAMED_VALUES = 3;

/** All that a cause was, each with how often; of a log of an earlier format the latest alone. */
export const variantsOf = ({ values, reason, times }: Cause): readonly Variant[] =>
  values.length > 0 ? values : [{ reason, times }];

/** How often a cause was another than those that are listed. */
export const othersOf = (cause: Cause): number =>
  cause.times - variantsOf(cause).reduce((sum, { times }) => sum + times, 0);

/** What changed, in one line: `x: f32[256→1024, 4] ×2, f32[64→256, 4], …`. */
export function valuesText(cause: Cause): string {
  const all = variantsOf(cause);
  const isOne = all.length === 1 && othersOf(cause) <= 0;
  const texts = all.slice(0, NAMED_VALUES).map(({ reason, times }, index) => {
    const [change] = reason;
    const isShort = index > 0 && reason.length === 1 && change !== undefined;
    const text = isShort ? textOf(differenceOf(change)) : told(reason);
    return isOne || times === 1 ? text : `${text} ×${times.toLocaleString('en')}`;
  });
  const isMore = all.length > NAMED_VALUES || othersOf(cause) > 0;
  return [...texts, ...(isMore ? ['…'] : [])].join(', ');
}

/** The words of a function's cache: how many programs and hits it has, and what is left out. */
import { __, _n, thousands } from '../../language';
import type { CacheCall, CacheColumn, CacheTable } from '../../schema';
import { fromKernel } from '../from-kernel';

/** `3 programs · 9 hits`. */
export function cacheText({ rows, omitted, hits }: CacheTable): string {
  const programs = _n('%1 program', '%1 programs', rows.length + omitted);
  return hits === null ? programs : `${programs} · ${_n('%1 hit', '%1 hits', hits)}`;
}

/** Kinds of columns whose cells are words, not values. */
const IN_WORDS = new Set(['style', 'mesh', 'sharding', 'weak type']);

/** What stands in a cell. An argument may be left out in a column of any kind. */
export const cellText = ({ kind }: CacheColumn, cell: string): string =>
  IN_WORDS.has(kind) || cell === 'left out' ? fromKernel(cell) : cell;

const ENDS = new Map([
  ['hit', () => __('hit')],
  ['miss', () => __('miss')],
  ['compiled again', () => __('compiled again')],
  ['traced earlier', () => __('traced earlier')],
]);

/** How a call ended, and how often in a row: `hit ×3`. */
export const endText = ({ end, times }: CacheCall): string =>
  `${ENDS.get(end)?.() ?? end}${times > 1 ? ` ×${thousands(times)}` : ''}`;

/** What a table does not show, and what its marks mean, a sentence each. */
export function cacheNotes({ rows, calls, more, omitted, hits }: CacheTable): string[] {
  const listed = calls.reduce((sum, { end, times }) => sum + (end === 'hit' ? times : 0), 0);
  const left = (hits ?? 0) - listed;
  return [
    ...(rows.some(({ differs }) => differs.length > 0)
      ? [__('Highlighted: what differs from the most similar earlier row.')]
      : []),
    ...(hits === null ? [__('To count cached calls too, use %1.', '%%jaxviz --hits')] : []),
    ...(left > 0 ? [_n('%1 hit is not listed.', '%1 hits are not listed.', left)] : []),
    ...(more > 0 ? [_n('%1 column is left out.', '%1 columns are left out.', more)] : []),
    ...(omitted > 0 ? [_n('%1 program is left out.', '%1 programs are left out.', omitted)] : []),
  ];
}

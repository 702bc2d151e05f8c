/** Lists of dimensions, as JAX writes them, in words. */
import { __, _n } from '../../language';
import type { About } from './params-table';

/** `1`, `(0, 1)`, `[2]`: null where there is more to it. */
export function numbersIn(value: string): number[] | null {
  if (!/^[([]?[\d, ]*[)\]]?$/.test(value)) return null;
  return (value.match(/\d+/g) ?? []).map(Number);
}

/** `0, 1 and 2`. */
export function listed(numbers: readonly number[]): string {
  const last = numbers.at(-1);
  if (numbers.length < 2) return `${last ?? ''}`;
  return __('%1 and %2', numbers.slice(0, -1).join(', '), last);
}

/** `dimensions 0 and 1`. */
export const dimensions = (numbers: readonly number[]): string =>
  _n('dimension %2', 'dimensions %2', numbers.length, listed(numbers));

/** Of a param that is one dimension or some: empty where it is none. */
export const along =
  (say: (dimensions: string) => string): About =>
  (value) => {
    const numbers = numbersIn(value);
    return numbers && numbers.length > 0 ? say(dimensions(numbers)) : '';
  };

/** Those that a field of a param lists: `offset_dims=(1,)`. */
export function field(value: string, name: string): number[] {
  const found = new RegExp(`\\b${name}=(\\([\\d, ]*\\)|\\d+)`).exec(value);
  return numbersIn(found?.[1] ?? '()') ?? [];
}

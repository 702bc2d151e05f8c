/** Where the links of a node meet a row, sorted, and the middle of them. */

/** So few values are sorted sooner by hand than by the engine. */
const FEW = 16;

/** Sorts the values `[from, to)`. */
export function sortPart(values: Float64Array, from: number, to: number): void {
  if (to - from > FEW) values.subarray(from, to).sort();
  else {
    for (let i = from + 1; i < to; i++) {
      const one = values[i]!;
      let at = i;
      for (; at > from && values[at - 1]! > one; at--) values[at] = values[at - 1]!;
      values[at] = one;
    }
  }
}

/** Sorts the first `count` nodes or edges of a list. */
export function sortFirst(
  list: Int32Array,
  count: number,
  compare: (one: number, other: number) => number,
): void {
  if (count > FEW) list.subarray(0, count).sort(compare);
  else {
    for (let i = 1; i < count; i++) {
      const one = list[i]!;
      let at = i;
      for (; at > 0 && compare(list[at - 1]!, one) > 0; at--) list[at] = list[at - 1]!;
      list[at] = one;
    }
  }
}

/** The middle of `count` sorted values; of an even number, nearer to the half that stands closer together. */
export function median(values: Float64Array, count: number): number {
  const half = count >> 1;
  const above = values[half]!;
  if (count % 2 === 1) return above;
  const below = values[half - 1]!;
  const left = below - values[0]!;
  const right = values[count - 1]! - above;
  return left + right === 0 ? (below + above) / 2 : (below * right + above * left) / (left + right);
}

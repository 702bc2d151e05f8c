/** Where the links of a node meet the row above or below, from left to right. */
type Ends = (node: number) => readonly number[];

/** Goes along a row and exchanges neighbours where fewer links cross then (`transpose` of Gansner,
 * Koutsofios, North and Vo, 1993). Returns how many fewer. */
export function exchange(row: Int32Array, endsAbove: Ends, endsBelow: Ends): number {
  let saved = 0;
  let above = endsAbove(row[0]!);
  let below = endsBelow(row[0]!);
  for (let i = 1; i < row.length; i++) {
    const nextAbove = endsAbove(row[i]!);
    const nextBelow = endsBelow(row[i]!);
    const fewer = surplus(above, nextAbove) + surplus(below, nextBelow);
    if (fewer > 0) {
      [row[i - 1], row[i]] = [row[i]!, row[i - 1]!];
      saved += fewer;
    } else {
      above = nextAbove;
      below = nextBelow;
    }
  }
  return saved;
}

/** How many more links of two neighbours cross than would if they were exchanged. */
function surplus(left: readonly number[], right: readonly number[]): number {
  let more = 0;
  let less = 0;
  let equal = 0;
  for (const end of left) {
    while (less < right.length && right[less]! < end) less++;
    equal = Math.max(equal, less);
    while (equal < right.length && right[equal] === end) equal++;
    more += less - (right.length - equal);
  }
  return more;
}

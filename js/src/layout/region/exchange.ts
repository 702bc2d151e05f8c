/** Where the links of a node meet the row above or below, from left to right. */
type Ends = (node: number) => readonly number[];

/** Goes along a row and exchanges neighbours where fewer links cross then, and with `even` where no
 * more do, which leads out of dead ends. Returns how many fewer. */
export function exchange(row: Int32Array, endsAbove: Ends, endsBelow: Ends, even: boolean): number {
  let saved = 0;
  let above = endsAbove(row[0]!);
  let below = endsBelow(row[0]!);
  for (let i = 1; i < row.length; i++) {
    const nextAbove = endsAbove(row[i]!);
    const nextBelow = endsBelow(row[i]!);
    const now = crossing(above, nextAbove) + crossing(below, nextBelow);
    const then = crossing(nextAbove, above) + crossing(nextBelow, below);
    if (now > 0 && (then < now || (even && then === now))) {
      [row[i - 1], row[i]] = [row[i]!, row[i - 1]!];
      saved += now - then;
    } else {
      above = nextAbove;
      below = nextBelow;
    }
  }
  return saved;
}

/** How many links of two neighbours cross. */
function crossing(left: readonly number[], right: readonly number[]): number {
  let sum = 0;
  let before = 0;
  for (const end of left) {
    while (before < right.length && right[before]! < end) before++;
    sum += before;
  }
  return sum;
}

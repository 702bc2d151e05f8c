/** Exchanges neighbours on a row where fewer links cross then. */

/** Where the links of the nodes of a row meet the row above or below: those of the node that was at
 * `i` when this was made are `value[start[i]]` up to `value[start[i + 1]]`, from left to right. */
export interface Ends {
  readonly start: Int32Array;
  readonly value: Float64Array;
}

/** Goes along a row and exchanges neighbours where fewer links cross then; if `even`, also where as
 * many do, which leads out of dead ends. Returns how many crossings fewer there are. */
export function exchange(row: Int32Array, above: Ends, below: Ends, even: boolean): number {
  let saved = 0;
  let left = 0;
  for (let i = 1; i < row.length; i++) {
    const now = crossing(above, left, i) + crossing(below, left, i);
    const then = now === 0 ? 0 : crossing(above, i, left) + crossing(below, i, left);
    if (then < now || (even && then === now && now > 0)) {
      [row[i - 1], row[i]] = [row[i]!, row[i - 1]!];
      saved += now - then;
    } else left = i;
  }
  return saved;
}

/** How many links of two neighbours cross. */
function crossing({ start, value }: Ends, left: number, right: number): number {
  const stop = start[right + 1]!;
  let next = start[right]!;
  let sum = 0;
  for (let k = start[left]!; k < start[left + 1]!; k++) {
    while (next < stop && value[next]! < value[k]!) next++;
    sum += next - start[right]!;
  }
  return sum;
}

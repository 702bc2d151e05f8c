/** Fits numbers that must rise: the places of boxes that keep their order. */

/**
 * Least-squares fit of a rising sequence, by pooling adjacent violators (Barlow et al., 1972):
 * turns the first `size` of `value` into the `z` with `z[i] <= z[i + 1]` that is nearest to them
 * under `weight`. Linear.
 *
 * Boxes on a rank are a case of it: with `offset[i]` the least distance of box `i` from box 0,
 * `x[i] - offset[i]` must rise.
 */
export function isotonic(value: Float64Array, weight: Float64Array, size = value.length): void {
  if (rises(value, size)) return;
  if (pooled.stop.length < size) pooled = poolsOf(2 * size);
  const { sum, mass, stop } = pooled;
  let pools = 0;
  for (let i = 0; i < size; i++) {
    sum[pools] = value[i]! * weight[i]!;
    mass[pools] = weight[i]!;
    stop[pools] = i + 1;
    pools++;
    while (pools > 1 && sum[pools - 2]! / mass[pools - 2]! > sum[pools - 1]! / mass[pools - 1]!) {
      pools--;
      sum[pools - 1]! += sum[pools]!;
      mass[pools - 1]! += mass[pools]!;
      stop[pools - 1] = stop[pools]!;
    }
  }
  for (let pool = 0, i = 0; pool < pools; pool++) {
    const mean = sum[pool]! / mass[pool]!;
    for (; i < stop[pool]!; i++) value[i] = mean;
  }
}

/** The pools of a fit, kept for the next one, as there is a fit for each row of each sweep. */
const poolsOf = (size: number) => ({
  sum: new Float64Array(size),
  mass: new Float64Array(size),
  stop: new Int32Array(size),
});
let pooled = poolsOf(64);

/** Whether the sequence rises already. */
function rises(value: Float64Array, size: number): boolean {
  for (let i = 1; i < size; i++) if (value[i - 1]! > value[i]!) return false;
  return true;
}

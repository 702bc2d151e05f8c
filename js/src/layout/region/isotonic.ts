/**
 * Least-squares fit of a rising sequence, by pooling adjacent violators (Barlow et al., 1972):
 * returns the `z` with `z[i] <= z[i + 1]` that is nearest to `value` under `weight`. Linear.
 *
 * Boxes on a rank are a case of it: with `offset[i]` the least distance of box `i` from box 0,
 * `x[i] - offset[i]` must rise.
 */
export function isotonic(value: ArrayLike<number>, weight: ArrayLike<number>): Float64Array {
  const sum = new Float64Array(value.length);
  const mass = new Float64Array(value.length);
  const stop = new Int32Array(value.length);
  let pools = 0;
  for (let i = 0; i < value.length; i++) {
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
  const fitted = new Float64Array(value.length);
  for (let pool = 0, i = 0; pool < pools; pool++) {
    const mean = sum[pool]! / mass[pool]!;
    for (; i < stop[pool]!; i++) fitted[i] = mean;
  }
  return fitted;
}

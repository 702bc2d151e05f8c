/** To the nearest 64th of a px, in which sums are exact: what is upright stays so. */
export function snap(length: number): number {
  return Math.floor(length * 64 + 0.5) / 64;
}

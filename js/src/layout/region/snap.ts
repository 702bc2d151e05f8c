/** Rounds a length in px to the nearest 64th. Sums of these are exact, so that what is upright
 * stays so. */
export function snap(length: number): number {
  return Math.floor(length * 64 + 0.5) / 64;
}

/** Answers the keys that walk through a long list of rows, of which one is active. */

/** The row to which a key leads, in the list or beyond its ends; undefined for any other key. `page` is how
 * many rows Page Up and Page Down move. */
export function rowReached(
  key: string,
  { active, count, page }: { active: number; count: number; page: number },
): number | undefined {
  const steps = new Map([
    ['ArrowDown', active + 1],
    ['ArrowUp', active - 1],
    ['PageDown', active + page],
    ['PageUp', active - page],
    ['Home', 0],
    ['End', count - 1],
  ]);
  return steps.get(key);
}

/** A list that shows its first rows, and the others on request. */
import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

interface Fold<Row> {
  shown: readonly Row[];
  isWhole: boolean;
  /** The button that shows the others; null if there are none, or if they stay shown. */
  button: VNode | null;
}

/** Shows the first `most` rows. `more` says how many others there are; with `fewer` they can be hidden
 * again. */
export function useFold<Row>(
  rows: readonly Row[],
  most: number,
  more: (count: number) => string,
  fewer?: () => string,
): Fold<Row> {
  const [isWhole, showAll] = useState(false);
  const count = rows.length - most;
  const isOffered = count > 0 && (!isWhole || fewer !== undefined);
  return {
    shown: isWhole ? rows : rows.slice(0, most),
    isWhole,
    button: isOffered ? (
      <button type="button" class="jxv-link" onClick={() => showAll(!isWhole)}>
        {isWhole ? fewer?.() : more(count)}
      </button>
    ) : null,
  };
}

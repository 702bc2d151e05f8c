/** Decides how high the rows of a region are and how far apart they stand. */
import type { Layered } from './chain';
import { PIN, type Region } from './placement';
import type { Rows } from './rows';

/** The gap between two rows grows by this share of the px that its most slanting link goes aside,
 * so that links do not run flat. */
const GAP_GROWTH = 0.08;
/** The most px by which a gap grows. */
const MOST_GAP_GROWTH = 48;

/** The band of each row: where its tallest box begins and ends, px. */
export interface Bands {
  readonly top: Float64Array;
  readonly bottom: Float64Array;
}

/** Stacks the rows of each component downwards from 0. If `shared`, the rows of one rank have one
 * band across all components. `gap` is in px; below a row without height, that of a border's ports,
 * it is half as wide. */
export function stackBands(
  region: Region,
  graph: Layered,
  rows: Rows,
  x: Float64Array,
  gap: number,
  shared: boolean,
): Bands {
  const count = rows.start.length - 1;
  const level = Int32Array.from({ length: count }, (_, r) =>
    shared ? graph.rank[rows.order[rows.start[r]!]!]! : r,
  );
  const height = new Float64Array(count + 1);
  for (let v = 0; v < graph.boxes; v++) {
    const at = level[rows.row[v]!]!;
    height[at] = Math.max(height[at]!, region.height[v]!);
  }
  const run = new Float64Array(count + 1);
  for (let l = 0; l < graph.source.length; l++) {
    const from = x[graph.source[l]!]! + graph.sourceX[l]!;
    const to = x[graph.target[l]!]! + graph.targetX[l]!;
    const at = level[rows.row[graph.source[l]!]!]!;
    run[at] = Math.max(run[at]!, Math.abs(to - from));
  }
  const begin = new Float64Array(count + 1);
  for (let at = 0; at < count; at++) {
    const below = height[at] === 0 ? gap / 2 : gap;
    const slope = Math.min(MOST_GAP_GROWTH, Math.floor(run[at]! * GAP_GROWTH));
    begin[at + 1] = begin[at]! + height[at]! + below + slope;
  }
  const top = new Float64Array(count);
  const bottom = new Float64Array(count);
  for (let c = 0; c + 1 < rows.first.length; c++) {
    const origin = shared ? 0 : begin[rows.first[c]!]!;
    for (let r = rows.first[c]!; r < rows.first[c + 1]!; r++) {
      top[r] = begin[level[r]!]! - origin;
      bottom[r] = top[r]! + height[level[r]!]!;
    }
  }
  return { top, bottom };
}

/** Whether any box is kept at a border of the region: then all components stand side by side. */
export function isPinned(region: Region): boolean {
  const pin = region.pin;
  return pin !== undefined && Array.from(pin).some((p) => p === PIN.first || p === PIN.last);
}

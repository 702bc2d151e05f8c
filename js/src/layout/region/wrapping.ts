/** Wraps the rows that are wider than the view: the boxes of one rank then stand on several, one below the
 * other. */
import { PIN, type Region } from './region';

/** Gives the boxes of too wide ranks new ranks, and moves those below down. `gap` is between two boxes, px. What
 * is not connected is wrapped by itself, but for a body, whose borders all reach. */
export function wrapRanks(region: Region, rank: Int32Array, gap: number, wide: number): void {
  const pinned = Array.from(region.pin ?? []).some((pin) => pin === PIN.first || pin === PIN.last);
  const part = pinned ? new Int32Array(rank.length) : partsOf(region);
  const rows = new Map<number, Map<number, number[]>>();
  for (let v = 0; v < rank.length; v++) {
    const own = rows.get(part[v]!) ?? new Map<number, number[]>();
    rows.set(part[v]!, own);
    const row = own.get(rank[v]!);
    if (row) row.push(v);
    else own.set(rank[v]!, [v]);
  }
  for (const own of rows.values()) {
    let shift = 0;
    for (const [, row] of [...own].sort(([a], [b]) => a - b)) {
      shift += wrapRow(region, rank, row, shift, gap, wide);
    }
  }
}

/** Moves a row down by `shift` ranks and wraps it. Returns how many ranks it takes besides one. */
function wrapRow(
  region: Region,
  rank: Int32Array,
  row: readonly number[],
  shift: number,
  gap: number,
  wide: number,
): number {
  const room = (v: number) =>
    Math.max(region.width[v]!, region.width[v]! / 2 + (region.reach?.[v] ?? 0)) + gap;
  const whole = row.reduce((sum, v) => sum + room(v), 0);
  const lines = Math.min(row.length, Math.ceil(whole / wide));
  let line = 0;
  let filled = 0;
  for (const v of row) {
    if (filled + room(v) / 2 > ((line + 1) * whole) / lines && line + 1 < lines) line++;
    filled += room(v);
    rank[v]! += shift + line;
  }
  return line;
}

/** For each box the first of those that are connected with it. */
function partsOf({ width, source, target }: Region): Int32Array {
  const part = Int32Array.from({ length: width.length }, (_, v) => v);
  const find = (v: number): number => {
    let at = v;
    while (part[at] !== at) {
      part[at] = part[part[at]!]!;
      at = part[at]!;
    }
    return at;
  };
  for (let e = 0; e < source.length; e++) {
    const [one, other] = [find(source[e]!), find(target[e]!)];
    part[Math.max(one, other)] = Math.min(one, other);
  }
  return part.map((_, v) => find(v));
}

/** Wraps the rows that are wider than the view: the boxes of one rank then stand on several, one below the
 * other. */
import { isPinned, type Region } from './region';

/** Gives the boxes of too wide ranks new ranks, and moves those below down. `gap` is between two boxes, px. What
 * is not connected is wrapped by itself, but for a body, whose borders all reach. Returns the least
 * `wide` at which the same rows would be wrapped: infinite where any is. */
export function wrapRanks(region: Region, rank: Int32Array, gap: number, wide: number): number {
  const part = isPinned(region) ? new Int32Array(rank.length) : partsOf(region);
  const rows = new Map<number, Map<number, number[]>>();
  for (let v = 0; v < rank.length; v++) {
    const own = rows.get(part[v]!) ?? new Map<number, number[]>();
    rows.set(part[v]!, own);
    const row = own.get(rank[v]!);
    if (row) row.push(v);
    else own.set(rank[v]!, [v]);
  }
  let widest = 0;
  for (const own of rows.values()) {
    let shift = 0;
    for (const [, row] of [...own].sort(([a], [b]) => a - b)) {
      const rooms = row.map((v) => roomOf(region, v) + gap);
      widest = Math.max(widest, sum(rooms));
      shift += wrapRow(rank, row, rooms, shift, wide);
    }
  }
  return widest <= wide ? widest : Number.POSITIVE_INFINITY;
}

/** The width of a box with the text at it. */
const roomOf = ({ width, reach }: Region, v: number): number =>
  Math.max(width[v]!, width[v]! / 2 + (reach?.[v] ?? 0));

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** Moves a row of boxes, which take so much room each, down by `shift` ranks and wraps it. Returns how many
 * ranks it takes besides one. */
function wrapRow(
  rank: Int32Array,
  row: readonly number[],
  rooms: readonly number[],
  shift: number,
  wide: number,
): number {
  const whole = sum(rooms);
  const lines = Math.min(row.length, Math.ceil(whole / wide));
  let line = 0;
  let filled = 0;
  for (const [at, v] of row.entries()) {
    const room = rooms[at]!;
    if (filled + room / 2 > ((line + 1) * whole) / lines && line + 1 < lines) line++;
    filled += room;
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

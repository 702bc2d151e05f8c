/** Counts crossings of the polylines (x and y in turn) that are drawn for edges. A segment that several
 * edges of one source share is drawn once and counts once. Edges with a common end do not count with
 * each other. All close pairs are tried, from top to bottom. */
export function countCrossings(lines, source, target) {
  const segments = segmentsOf(lines, source);
  const { x0, y0, x1, y1, edge, count } = segments;
  const order = Array.from({ length: count }, (_, s) => s).sort((a, b) => y0[a] - y0[b]);
  let active = [];
  let crossings = 0;
  for (const s of order) {
    const e = edge[s];
    const left = Math.min(x0[s], x1[s]);
    const right = Math.max(x0[s], x1[s]);
    let kept = 0;
    for (const t of active) {
      if (y1[t] < y0[s]) continue;
      active[kept++] = t;
      if (Math.max(x0[t], x1[t]) < left || Math.min(x0[t], x1[t]) > right) continue;
      const f = edge[t];
      if (source[e] === source[f] || target[e] === target[f]) continue;
      if (source[e] === target[f] || target[e] === source[f]) continue;
      if (cross(segments, s, t)) crossings++;
    }
    active.length = kept;
    active.push(s);
  }
  return crossings;
}

/** All segments, each from its upper end to its lower one. */
function segmentsOf(lines, source) {
  const drawn = new Set();
  const strokes = [];
  const heights = heightsOf(lines, source);
  for (const [e, line] of lines.entries()) {
    for (let i = 0; i + 3 < line.length; i += 2) {
      for (const stroke of pieces(line.slice(i, i + 4), heights.get(source[e]))) {
        const key = [source[e], ...stroke].join();
        if (!drawn.has(key)) strokes.push([e, stroke]);
        drawn.add(key);
      }
    }
  }
  const ends = (at) => Float64Array.from(strokes, ([, stroke]) => stroke[at]);
  const edge = Int32Array.from(strokes, ([e]) => e);
  return { x0: ends(0), y0: ends(1), x1: ends(2), y1: ends(3), edge, count: strokes.length };
}

/** The heights of all points on the lines of each source, from top to bottom. */
function heightsOf(lines, source) {
  const heights = new Map();
  for (const [e, line] of lines.entries()) {
    const own = heights.get(source[e]) ?? new Set();
    heights.set(source[e], own);
    for (let i = 1; i < line.length; i += 2) own.add(line[i]);
  }
  return new Map([...heights].map(([u, own]) => [u, [...own].sort((a, b) => a - b)]));
}

/** A segment, from its upper end on; an upright one in pieces, so that what lines of one source share is
 * the same piece of each. */
function pieces([ax, ay, bx, by], heights) {
  const [x0, y0, x1, y1] = ay > by ? [bx, by, ax, ay] : [ax, ay, bx, by];
  if (x0 !== x1) return [[x0, y0, x1, y1]];
  const cuts = heights.filter((y) => y >= y0 && y <= y1);
  return cuts.slice(1).map((y, i) => [x0, cuts[i], x0, y]);
}

/** True if two segments cross. A point on a line counts as on its right, so that a crossing in a
 * bend counts once. */
function cross({ x0, y0, x1, y1 }, s, t) {
  const side = (px, py, k) =>
    (x1[k] - x0[k]) * (py - y0[k]) - (y1[k] - y0[k]) * (px - x0[k]) > 0;
  return (
    side(x0[s], y0[s], t) !== side(x1[s], y1[s], t) &&
    side(x0[t], y0[t], s) !== side(x1[t], y1[t], s)
  );
}

/** How often lines cross, of polylines (x and y in turn) that are drawn for edges. What several edges
 * of one source share is drawn once and counts once. Edges that share an end do not count with one
 * another. All pairs that are close are tried, from top to bottom. */
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
  const most = lines.reduce((sum, line) => sum + Math.max(0, line.length / 2 - 1), 0);
  const [x0, y0, x1, y1] = Array.from({ length: 4 }, () => new Float64Array(most));
  const edge = new Int32Array(most);
  let s = 0;
  for (const [e, line] of lines.entries()) {
    for (let i = 0; i + 3 < line.length; i += 2) {
      const stroke = [source[e], ...line.slice(i, i + 4)].join();
      if (drawn.has(stroke)) continue;
      drawn.add(stroke);
      const upwards = line[i + 1] > line[i + 3];
      const [a, b] = upwards ? [i + 2, i] : [i, i + 2];
      x0[s] = line[a];
      y0[s] = line[a + 1];
      x1[s] = line[b];
      y1[s] = line[b + 1];
      edge[s++] = e;
    }
  }
  return { x0, y0, x1, y1, edge, count: s };
}

/** Whether two segments cross. A point on a line counts as on its right, so that a crossing in a
 * bend counts once. */
function cross({ x0, y0, x1, y1 }, s, t) {
  const side = (px, py, k) =>
    (x1[k] - x0[k]) * (py - y0[k]) - (y1[k] - y0[k]) * (px - x0[k]) > 0;
  return (
    side(x0[s], y0[s], t) !== side(x1[s], y1[s], t) &&
    side(x0[t], y0[t], s) !== side(x1[t], y1[t], s)
  );
}

/** Lays out one region: boxes in ranks, and the edges between them. Each stage has a file of its
 * own. */
import { besideTexts } from './beside-texts';
import { foldRows, wrapRanks } from './folding';
import { rankBoxes } from './layering';
import { orderedRows } from './ordered-rows';
import { extents, placeNodes } from './placing';
import { isPinned, OPTIONS, type Options, type Placement, type Region } from './region';
import { enterTargets, routeEdges } from './routing';
import { assemble, centreOf, stackBands, unfolded } from './stacking';

export { OPTIONS, type Options, PIN, type Placement, type Region } from './region';

/** Lays a region out in ranks, data flowing down. It is pure, and linear in boxes and edges except for the sorting of
 * rows. */
export function layoutRegion(region: Region, options: Options = OPTIONS): Placement {
  check(region);
  const rank = rankBoxes(region);
  const { shape } = options;
  const widest = shape ? wrapRanks(region, rank, options.gapX, shape.wide) : 0;
  const { graph, near, rows } = orderedRows(region, rank, options.cut);
  const extent = extents(region, graph);
  const aside = new Set(region.aside?.map((edge) => graph.last[edge]!));
  const x = placeNodes(graph, rows, near, extent, aside, options);
  const pinned = isPinned(region);
  const entering = enterTargets(region, graph, x);
  const stacked = (shared: boolean, upright?: Float64Array) =>
    stackBands(region, graph, rows, x, options.gapY, shared, upright);
  const bending = stacked(false);
  const across = { region, graph, near, rows, extent, x, entering, bands: bending };
  const upright = besideTexts(across, options.gapY);
  const loose = upright ? stacked(false, upright) : bending;
  const flat = unfolded(graph, rows, loose);
  const isTall = shape !== null && flat.height.some((height) => height > shape.tall);
  const folded = isTall && foldRows(graph, rows, extent, x, loose, shape, options.gapX, flat);
  const shared = pinned && !folded;
  const isPacked = !pinned && rows.first.length > 2;
  const bands = shared ? stacked(true, upright) : loose;
  const columns = folded ? flat : unfolded(graph, rows, bands);
  const size = assemble(rows, extent, bands, columns, x, options, pinned);
  const enters = folded ? enterTargets(region, graph, x) : entering;
  const y = new Float64Array(graph.boxes);
  const column = new Int32Array(graph.boxes);
  for (let v = 0; v < graph.boxes; v++) {
    const r = rows.row[v]!;
    y[v] = centreOf(bands.top[r]!, bands.bottom[r]!, region.height[v]!);
    column[v] = columns.number[r]!;
  }
  return {
    x: x.slice(0, graph.boxes),
    y,
    rank: graph.rank.slice(0, graph.boxes),
    column,
    ...size,
    leastWide: isTall || isPacked ? Number.POSITIVE_INFINITY : widest,
    ...routeEdges(region, graph, near, rows, bands, columns, x, y, enters),
  };
}

/** Throws if an edge does not lead to a later box. */
function check(region: Region): void {
  for (let e = 0; e < region.source.length; e++) {
    const source = region.source[e]!;
    const target = region.target[e]!;
    if (source < 0 || source >= target || target >= region.width.length) {
      throw new RangeError(
        `Edge ${e} leads from box ${source} to box ${target}, not to a later one.`,
      );
    }
  }
}

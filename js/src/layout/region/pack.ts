/** Packs the components of a region beside and below one another. */
import type { Bands } from './bands';
import type { Columns } from './columns';
import type { Extent } from './place';
import type { Options } from './placement';
import type { Rows } from './rows';
import { snap } from './snap';

/** The width of the whole divided by its height, where the options ask for no shape. */
const USUAL_ASPECT = 1.6;

/** Where the components stand, and the size of the whole, px. */
interface Packing {
  /** Of each component, its upper left corner. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly width: number;
  readonly height: number;
}

/** Packs components on shelves, in order. Where one fits below the last on its shelf it goes
 * there, so that small ones make columns beside a tall one. `abreast` puts all on one shelf. */
function packComponents(
  width: Float64Array,
  height: Float64Array,
  gapX: number,
  gapY: number,
  aspect: number,
  abreast: boolean,
): Packing {
  const limit = abreast ? Infinity : shelfWidth(width, height, gapX, gapY, aspect);
  const x = new Float64Array(width.length);
  const y = new Float64Array(width.length);
  const shelf = { top: 0, height: 0 };
  const column = { left: 0, width: 0, bottom: 0 };
  const whole = { width: 0, height: 0 };
  for (let c = 0; c < width.length; c++) {
    const stacks = !abreast && c > 0 && column.bottom + height[c]! <= shelf.top + shelf.height;
    if (c > 0 && !stacks) {
      column.left += column.width + gapX;
      column.width = 0;
      column.bottom = shelf.top;
      if (column.left + width[c]! > limit) {
        shelf.top += shelf.height + gapY;
        shelf.height = 0;
        column.left = 0;
        column.bottom = shelf.top;
      }
    }
    x[c] = column.left;
    y[c] = column.bottom;
    column.width = Math.max(column.width, width[c]!);
    column.bottom += height[c]!;
    shelf.height = Math.max(shelf.height, column.bottom - shelf.top);
    whole.width = Math.max(whole.width, x[c]! + width[c]!);
    whole.height = Math.max(whole.height, column.bottom);
    column.bottom += gapY;
  }
  return { x, y, ...whole };
}

/** The width of a shelf, px, with which the whole has about that aspect. */
function shelfWidth(
  width: Float64Array,
  height: Float64Array,
  gapX: number,
  gapY: number,
  aspect: number,
) {
  let area = 0;
  let widest = 0;
  for (let c = 0; c < width.length; c++) {
    area += (width[c]! + gapX) * (height[c]! + gapY);
    widest = Math.max(widest, width[c]!);
  }
  return Math.max(widest, Math.sqrt(area * aspect));
}

/** Moves all components to where they are packed: `x` of the nodes, bands and columns of the rows. */
export function assemble(
  rows: Rows,
  extent: Extent,
  bands: Bands,
  columns: Columns,
  x: Float64Array,
  options: Options,
  abreast: boolean,
): { width: number; height: number } {
  const count = rows.first.length - 1;
  const left = new Float64Array(count);
  const width = new Float64Array(count);
  const { gutter, low, high, height } = columns;
  for (let c = 0; c < count; c++) {
    const [from, to] = nodesOf(rows, c);
    let low = Infinity;
    let high = -Infinity;
    for (let i = from; i < to; i++) {
      const v = rows.order[i]!;
      low = Math.min(low, x[v]! - extent.left[v]!);
      high = Math.max(high, x[v]! + extent.right[v]!);
    }
    left[c] = low;
    width[c] = high - low;
  }
  const aspect = options.shape?.aspect ?? USUAL_ASPECT;
  const gaps = [2 * options.gapX, 2 * options.gapY] as const;
  const packing = packComponents(width, height, ...gaps, aspect, abreast);
  for (let c = 0; c < count; c++) {
    const [from, to] = nodesOf(rows, c);
    for (let i = from; i < to; i++) {
      const v = rows.order[i]!;
      x[v] = snap(x[v]! - left[c]! + packing.x[c]!);
    }
    for (let r = rows.first[c]!; r < rows.first[c + 1]!; r++) {
      bands.top[r]! += packing.y[c]!;
      bands.bottom[r]! += packing.y[c]!;
      gutter[r] = snap(gutter[r]! - left[c]! + packing.x[c]!);
      low[r]! += packing.y[c]!;
      high[r]! += packing.y[c]!;
    }
  }
  return { width: packing.width, height: packing.height };
}

/** Where the nodes of a component begin and end in `rows.order`. */
function nodesOf(rows: Rows, c: number): [number, number] {
  return [rows.start[rows.first[c]!]!, rows.start[rows.first[c + 1]!]!];
}

/** What the layout of a region takes, and what it returns. */

/** One region: boxes in topological order and the edges between them. */
export interface Region {
  /** Of each box, px. */
  readonly width: ArrayLike<number>;
  readonly height: ArrayLike<number>;
  /** Of each edge, with `source < target`; parallel edges are merged by the caller. */
  readonly source: ArrayLike<number>;
  readonly target: ArrayLike<number>;
  /** Where an edge leaves or enters, px right of the box's centre. Without `sourceX` edges leave
   * at the centre. Without `targetX`, or where it is NaN, they enter as near as there is room to
   * where they come from. */
  readonly sourceX?: ArrayLike<number>;
  readonly targetX?: ArrayLike<number>;
  /** Of each box, what a label needs below it and right of its centre, px. */
  readonly reach?: ArrayLike<number>;
  /** Of each box a `PIN`; all free without it. */
  readonly pin?: ArrayLike<number>;
}

/** Where a box is kept. */
export const PIN = {
  free: 0,
  /** On the first rank, alone with its like: the upper border's ports. Has no incoming edge. */
  first: 1,
  /** On the last rank, alone with its like: the lower border's ports. Has no outgoing edge. */
  last: 2,
  /** On the last rank, unless a long edge would then run through the picture: an output. */
  low: 3,
} as const;

export interface Options {
  /** Least space between neighbours on a rank, and between two ranks, px. */
  readonly gapX: number;
  readonly gapY: number;
  /** An edge over more ranks than this is cut: drawn as a stub at either end. */
  readonly cut: number;
  /** The shape to fit, null for any. Of a component taller than `tall` px the rows stand in
   * columns side by side, so that its width is about `aspect` times its height. */
  readonly shape: { readonly aspect: number; readonly tall: number } | null;
}

/** The options where a caller has none of its own. */
export const OPTIONS: Options = { gapX: 24, gapY: 32, cut: 8, shape: null };

/** Where the boxes of a region stand, and how its edges run. */
export interface Placement {
  /** Centres of the boxes, px from the region's upper left corner. */
  readonly x: Float64Array;
  readonly y: Float64Array;
  readonly rank: Int32Array;
  /** Of the whole region, px. */
  readonly width: number;
  readonly height: number;
  /** All edges' points, x and y in turn. Edge `e` has points `[start[e], start[e + 1])`, at least
   * two: the first on the lower border of its source, the last on the upper border of its target.
   * From one to the next an edge runs upright or level, or (between two ranks, where no box is) as
   * a cubic whose tangents are vertical. A cut edge has its two ends alone. */
  readonly points: Float64Array;
  readonly start: Int32Array;
  /** 1 where the edge is cut. */
  readonly cut: Uint8Array;
}

/** The shape of the view that a picture is to fit: a cell is wide and low, a panel narrow and tall. */
export interface Shape {
  readonly name: 'wide' | 'even' | 'narrow';
  /** Width divided by height. */
  readonly aspect: number;
  /** Px of height up to which rows are not folded into columns. */
  readonly tall: number;
}

export const WIDE: Shape = { name: 'wide', aspect: 1.8, tall: 760 };
const EVEN: Shape = { name: 'even', aspect: 1, tall: 900 };
const NARROW: Shape = { name: 'narrow', aspect: 0.5, tall: 1300 };

/** The shape for a view of that size, px. Few shapes, so that small changes move nothing. */
export function shapeOf(width: number, height: number): Shape {
  const aspect = width / Math.max(1, height);
  return aspect >= 1.3 ? WIDE : aspect >= 0.75 ? EVEN : NARROW;
}

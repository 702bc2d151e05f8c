import { type Colouring, holds } from '../facts/colours/colouring';

/** What is shown of a scene beside the scene itself. Boxes and edges by their index. */
export interface Marks {
  selected: number;
  hovered: number;
  matches: ReadonlySet<number>;
  /** The current match, -1 where none is. */
  match: number;
  /** Boxes that a selection elsewhere is linked to, and those of them that only a guess leads to. */
  linked: ReadonlySet<number>;
  guesses: ReadonlySet<number>;
  /** Edges of the selected box, and of the hovered one. */
  lit: ReadonlySet<number>;
  /** Boxes that lead to the selection or come from it, itself too: where not null, all others but
   * loud ones are faint. */
  near: ReadonlySet<number> | null;
  /** What the colours tell; null where that is not known yet. */
  colours: Colouring | null;
  /** The class of colours beside which all boxes are faint, -1 where none is. */
  only: number;
}

export const NO_MARKS: Marks = {
  selected: -1,
  hovered: -1,
  matches: new Set(),
  match: -1,
  linked: new Set(),
  guesses: new Set(),
  lit: new Set(),
  near: null,
  colours: null,
  only: -1,
};

/** Whether a box is beside the matter. What differs between two programs is not for being far from
 * the selection: nothing comes from what was removed. */
export function isPale({ near, only, colours }: Marks, box: number): boolean {
  const isLoud = colours?.classes[colours.of[box] ?? 0]?.loud ?? false;
  if (near && !near.has(box) && !isLoud) return true;
  return only >= 0 && colours !== null && !holds(colours, box, only);
}

/** Whether anything but colours is shown. */
export const isMarked = ({ selected, only, near, matches, linked, lit }: Marks): boolean =>
  selected >= 0 || only >= 0 || near !== null || matches.size + linked.size + lit.size > 0;

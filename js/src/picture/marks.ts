/** What is marked in a picture: what is selected, found, linked or lit, and which boxes are
 * faint. */
import { type Colouring, holds } from '../facts/colours/colouring';

/** What is marked in a scene. Boxes and edges are given by their index. */
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
  /** The selected box and those that lead to it or come from it; all others but loud ones are
   * faint. Null where none is. */
  near: ReadonlySet<number> | null;
  /** The colours of the boxes; null where they are not known yet. */
  colours: Colouring | null;
  /** The colour class that is shown alone, so that all other boxes are faint; -1 where none is. */
  only: number;
}

/** Nothing is marked. */
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

/** Whether a box is faint. What differs between two programs is not faint for being unconnected
 * with the selection, as nothing comes from what was removed. */
export function isPale({ near, only, colours }: Marks, box: number): boolean {
  const isLoud = colours?.classes[colours.of[box] ?? 0]?.loud ?? false;
  if (near && !near.has(box) && !isLoud) return true;
  return only >= 0 && colours !== null && !holds(colours, box, only);
}

/** Whether anything but colours is shown. */
export const isMarked = ({ selected, only, near, matches, linked, lit }: Marks): boolean =>
  selected >= 0 || only >= 0 || near !== null || matches.size + linked.size + lit.size > 0;

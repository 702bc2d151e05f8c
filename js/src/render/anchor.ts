import type { Id } from '../facts/ids';
import type { Box, Scene } from '../layout/scene';

/** A box of a scene and the same in the next one. */
export interface Anchor {
  from: Box;
  to: Box;
}

/**
 * What stays where it is on the screen when a scene gives way to another: of these ids, or of all
 * boxes that both have, the one nearest to a point of the scene; null where there is none.
 */
export function anchorNear(
  before: Scene,
  after: Scene,
  ids: Iterable<Id>,
  at: { x: number; y: number },
): Anchor | null {
  let found: Anchor | null = null;
  let least = Infinity;
  for (const id of ids) {
    const from = before.boxes[before.index.get(id) ?? -1];
    const to = after.boxes[after.index.get(id) ?? -1];
    if (!from || !to) continue;
    const away = Math.hypot(from.x + from.w / 2 - at.x, from.y + TITLE - at.y);
    if (away >= least) continue;
    least = away;
    found = { from, to };
  }
  return found;
}

/** Where the title of a box is read, px below its upper side. */
const TITLE = 12;

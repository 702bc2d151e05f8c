/** Chooses what *Expand all* opens: everything, or one more level of a program that has too many boxes
 * for one picture. */
import { type Id, ROOT } from '../facts/ids';
import { drawn } from '../facts/outline';
import { __, _n, thousands } from '../language';
import type { Stage } from '../schema';
import { canOpen, everything, isSealed, MOST_BOXES, regionOf } from './open-items';

/** The most boxes that one press opens. */
const MOST_MORE = 2000;

/** The open items after *Expand all*: all, if that makes at most 2,000 boxes. Otherwise the first
 * level that is not open yet, the largest item first, with at most 2,000 more boxes. */
export function expanded(stage: Stage, open: ReadonlySet<Id>): ReadonlySet<Id> {
  const all = everything(stage);
  if (boxesIn(stage, all) <= MOST_MORE) return all;
  const { closed } = levelsOf(stage, open);
  const sizes = new Map(closed.map((id) => [id, boxesIn(stage, open, id)]));
  closed.sort((a, b) => sizes.get(b)! - sizes.get(a)!);
  const present = boxesIn(stage, open);
  const next = new Set(open);
  let left = Math.min(MOST_MORE, MOST_BOXES - present);
  for (const id of closed) {
    if (sizes.get(id)! > left) continue;
    next.add(id);
    left -= sizes.get(id)!;
  }
  // One that is larger than a press allows is opened alone: else the next press would do nothing.
  const smallest = closed.at(-1);
  if (next.size === open.size && smallest && present + sizes.get(smallest)! <= MOST_BOXES) {
    next.add(smallest);
  }
  return next;
}

/** A sentence that says how far *Expand all* came; null if nothing is closed. */
export function expandedNote(stage: Stage, open: ReadonlySet<Id>): string | null {
  const { levels, count } = levelsOf(stage, open);
  if (count === 0) return null;
  const isFull = boxesIn(stage, expanded(stage, open)) <= boxesIn(stage, open);
  const stay = _n(
    'Open down to depth %2: %1 group stays closed.',
    'Open down to depth %2: %1 groups stay closed.',
    count,
    String(levels),
  );
  const more = isFull
    ? __('At most %1 boxes are drawn.', thousands(MOST_BOXES))
    : __('Expand all once more opens the next level.');
  return `${stay} ${more}`;
}

interface Levels {
  /** The number of whole levels that are open. */
  levels: number;
  /** The closed items of the first level that is not open. */
  closed: Id[];
  /** The number of all closed items in view. */
  count: number;
}

/** Counts the open levels of a stage and its closed items. */
function levelsOf(stage: Stage, open: ReadonlySet<Id>): Levels {
  const found: Levels = { levels: 0, closed: [], count: 0 };
  let level: readonly Id[] = [ROOT];
  while (level.length > 0) {
    const within = level.flatMap((id) => openableIn(stage, id));
    const closed = within.filter((id) => !open.has(id));
    if (found.count === 0) {
      found.closed = closed;
      if (closed.length === 0 && within.length > 0) found.levels += 1;
    }
    found.count += closed.length;
    level = within.filter((id) => open.has(id));
  }
  return found;
}

/** The items of a region that can be opened. */
function openableIn(stage: Stage, id: Id): Id[] {
  const { graph, items } = regionOf(stage, id);
  return items.flatMap((item) => (canOpen(item) && !isSealed(graph, item.id) ? [item.id] : []));
}

/** The number of boxes in an open item, with those in the open items in it. */
function boxesIn(stage: Stage, open: ReadonlySet<Id>, id: Id = ROOT): number {
  let count = 0;
  for (const waiting = [id]; waiting.length > 0; ) {
    const items = drawn(stage, waiting.pop()!);
    count += items.length;
    for (const item of items) if (open.has(item.id)) waiting.push(item.id);
  }
  return count;
}

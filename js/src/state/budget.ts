/** Opens all of a program within limits: what "expand all" opens, and what a chosen depth or number of boxes
 * opens at first. */

import { pairOf } from '../facts/graph';
import { type Id, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { __ } from '../language';
import type { Opening, Stage } from '../schema';
import { isInner, isSealed, isWork, type Region, regionOf } from './regions';
import type { WorthOpening } from './worth';

/** The most boxes that "expand all" opens: a body that is shared 2^16 times must not fill the
 * memory. */
export const MOST_BOXES = 20_000;

/** The limits to what is opened. */
interface Limits {
  /** The most boxes up to which wrappers are opened. */
  most?: number;
  /** The most levels that are opened, counted as they are drawn. */
  depth?: number;
}

/** Chooses what to open so that at most `budget` boxes show. It goes level by level and opens what
 * holds most first: every item that still fits and is `worth` it. A wrapper (the only eqn or group
 * of its region) is opened whatever it costs, up to `most` boxes. A forward group and its backward
 * group are opened together or not at all, and count once, as they stand side by side. What lies
 * deeper than `depth` levels stays closed. */
export function openWithin(
  stage: Stage,
  budget: number,
  worth: WorthOpening = () => true,
  { most = MOST_BOXES, depth = Number.POSITIVE_INFINITY }: Limits = {},
): Set<Id> {
  const open = new Set<Id>();
  const root = regionOf(stage, ROOT);
  let boxes = root.items.length;
  let level: Region[] = [root];
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    const next: Region[] = [];
    const shown = new Set(level.flatMap(({ items }) => items.map(({ id }) => id)));
    for (const region of level) {
      const single = region.items.filter(isWork).length === 1;
      for (const item of largestFirst(region)) {
        if (!holds(item) || open.has(item.id)) continue;
        if (!(single && !isInner(region, item)) && !worth(item, region, open, single)) continue;
        const together = [item.id, ...pairOf(stage, item.id).filter((id) => shown.has(id))];
        if (together.some((id) => isSealed(region.graph, id))) continue;
        const held = together.map((id) => regionOf(stage, id));
        const more = Math.max(...held.map(({ items }) => items.length));
        if (!(single && more <= most) && boxes + more > budget) continue;
        for (const id of together) open.add(id);
        boxes += more;
        next.push(...held);
      }
    }
    level = boxes > most ? [] : next;
  }
  return open;
}

/** Whether an item can be opened at first. Gathered inputs stay gathered. */
const holds = ({ foldable, kind }: Item): boolean => foldable && kind !== 'gathered';

/** The items of a region, those that hold most first. */
const largestFirst = ({ items }: Region): Item[] => [...items].sort((a, b) => b.count - a.count);

/** Whether all is open down to the chosen depth. */
export function isOpenTo(stage: Stage, open: ReadonlySet<Id>, depth: Opening['depth']): boolean {
  let level: readonly Id[] = [ROOT];
  for (let at = 0; at < (depth ?? 0) && level.length > 0; at += 1) {
    level = level.flatMap((id) => drawn(stage, id).filter(holds)).map(({ id }) => id);
    if (level.some((id) => !open.has(id))) return false;
  }
  return true;
}

/** A sentence that says that not all could be opened down to the chosen depth; null where all is. */
export function whatIsCut(
  stage: Stage,
  open: ReadonlySet<Id>,
  { depth, boxes }: Opening,
): string | null {
  if (isOpenTo(stage, open, depth)) return null;
  const most = Math.min(boxes ?? MOST_BOXES, MOST_BOXES).toLocaleString('en');
  return __('Not all down to depth %1 is open: at most %2 boxes are drawn.', String(depth), most);
}

/** What "expand all" opens. */
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

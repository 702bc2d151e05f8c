/** Opens all of a program within limits: what "expand all" opens, and what a chosen depth opens at first. */

import { type Id, ROOT } from '../facts/ids';
import { drawn, type Item } from '../facts/outline';
import { __ } from '../language';
import type { Opening, Stage } from '../schema';
import { holds, openable, type Region, regionOf } from './regions';

/** The most boxes that "expand all" opens: a body that is shared 2^16 times must not fill the
 * memory. */
export const MOST_BOXES = 20_000;

/** Chooses what to open so that at most `budget` boxes show, `depth` levels deep, counted as they are drawn. It
 * goes level by level and opens what holds most first: every item that still fits. A forward group and
 * its backward group count once, as they stand side by side. */
export function openWithin(
  stage: Stage,
  budget: number,
  depth = Number.POSITIVE_INFINITY,
): Set<Id> {
  const open = new Set<Id>();
  const root = regionOf(stage, ROOT);
  let boxes = root.items.length;
  let level: Region[] = [root];
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    const next: Region[] = [];
    const shown = new Set(level.flatMap(({ items }) => items.map(({ id }) => id)));
    for (const region of level) {
      for (const item of largestFirst(region)) {
        const together = open.has(item.id) ? [] : openable(stage, region, item, shown);
        const held = together.map((id) => regionOf(stage, id));
        const more = Math.max(...held.map(({ items }) => items.length));
        if (held.length === 0 || boxes + more > budget) continue;
        for (const id of together) open.add(id);
        boxes += more;
        next.push(...held);
      }
    }
    level = next;
  }
  return open;
}

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

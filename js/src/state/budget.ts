/** Opens all of a program within limits: what "expand all" opens, and what a chosen depth opens at first. */

import { type Id, ROOT } from '../facts/ids';
import { drawn } from '../facts/outline';
import { __, thousands } from '../language';
import type { Opening, Stage } from '../schema';
import { opened } from './opened';
import { holds } from './regions';

/** The most boxes that "expand all" opens: a body that is shared 2^16 times must not fill the
 * memory. */
export const MOST_BOXES = 20_000;

/** All of a stage `depth` levels deep, as far as at most `budget` boxes show, counted as they are drawn: level by
 * level, what holds most first, every item that still fits. */
export const openWithin = (
  stage: Stage,
  budget: number,
  depth = Number.POSITIVE_INFINITY,
): Set<Id> =>
  opened(stage, {
    order: ({ level, item }) => [level, -item.count],
    worth: ({ level }) => level < depth,
    admits: (_, boxes) => boxes <= budget,
  });

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
  const most = thousands(Math.min(boxes ?? MOST_BOXES, MOST_BOXES));
  return __(
    'Not everything down to depth %1 is open: at most %2 boxes are drawn.',
    String(depth),
    most,
  );
}

/** What "expand all" opens. */
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

/** The one search for what to open: one item after another, as long as a choice admits what is then open. */

import { type Id, ROOT } from '../facts/ids';
import type { Item } from '../facts/outline';
import type { Stage } from '../schema';
import { holds, isWork, openable, type Region, regionOf } from './regions';

/** An item that can be opened, where it stands. */
export interface Candidate {
  readonly item: Item;
  readonly region: Region;
  /** How many open items it stands in. */
  readonly level: number;
  /** Whether it alone does work in its place. */
  readonly alone: boolean;
}

/** What is opened, and what before what. */
export interface Choice {
  /** The place of an item in the order, as `isLess` has it: the least opens first. */
  order(candidate: Candidate): readonly number[];
  /** Whether an item is worth being opened beside what is open by then. */
  worth(candidate: Candidate, open: ReadonlySet<Id>): boolean;
  /** Whether so much may be open, which shows so many boxes. A forward group and its backward group count
   * once, as they stand side by side. */
  admits(open: ReadonlySet<Id>, boxes: number, candidate: Candidate): boolean;
  /** Whether an item may open without its twin, where both are not admitted. */
  opensAlone?(candidate: Candidate): boolean;
}

/** What a choice opens of a stage. An item that is not admitted stays closed, whatever opens later. */
export function opened(stage: Stage, choice: Choice): Set<Id> {
  const shown = new Set<Id>();
  const waiting: Candidate[] = [];
  const show = (id: Id, level: number): number => {
    const region = regionOf(stage, id);
    const alone = region.items.filter(isWork).length === 1;
    for (const item of region.items) shown.add(item.id);
    for (const item of region.items) {
      if (holds(item)) insert(waiting, { item, region, level, alone }, choice);
    }
    return region.items.length;
  };
  const open = new Set<Id>();
  let boxes = show(ROOT, 0);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { item, region, level } = next;
    if (open.has(item.id) || !choice.worth(next, open)) continue;
    const together = openable(stage, region, item, shown).filter((id) => !open.has(id));
    const ways =
      together.length > 1 && choice.opensAlone?.(next) ? [together, [item.id]] : [together];
    for (const added of ways) {
      const more = Math.max(...added.map((id) => regionOf(stage, id).items.length));
      for (const id of added) open.add(id);
      if (added.length > 0 && choice.admits(open, boxes + more, next)) {
        for (const id of added) show(id, level + 1);
        boxes += more;
        break;
      }
      for (const id of added) open.delete(id);
    }
  }
  return open;
}

/** Adds a candidate to those that wait, of which the last is opened next, and the older of two alike. */
function insert(waiting: Candidate[], one: Candidate, { order }: Choice): void {
  let [low, high] = [0, waiting.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isLess(order(one), order(waiting[middle]!))) low = middle + 1;
    else high = middle;
  }
  waiting.splice(low, 0, one);
}

/** Whether of two lists the first number that differs is less in the first list. */
export function isLess(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && a[at]! < b[at]!;
}

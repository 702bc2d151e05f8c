import type { Stage } from '../schema';
import { type Id, ROOT } from './ids';
import { children, type Item } from './outline';

/** Boxes that one can take in at a glance. */
const FIRST_VIEW = 24;
/** Boxes that "expand all" stops at: a body shared 2^16 times must not fill the memory. */
const MOST_BOXES = 20_000;

/**
 * What to open so that at most `budget` boxes show: breadth first, in program order, each item that
 * still fits. A wrapper (the only eqn or group of its region) is opened whatever it costs.
 */
export function openWithin(stage: Stage, budget: number): Set<Id> {
  const open = new Set<Id>();
  const root = children(stage, ROOT);
  let boxes = root.length;
  let level: Item[][] = [root];
  while (level.length > 0) {
    const next: Item[][] = [];
    for (const items of level) {
      const work = items.filter((item) => item.kind === 'eqn' || item.kind === 'group');
      for (const item of items) {
        if (!item.foldable || item.kind === 'gathered') continue;
        const held = children(stage, item.id);
        const wrapper = work.length === 1 && held.length <= MOST_BOXES;
        if (!wrapper && boxes + held.length > budget) continue;
        open.add(item.id);
        boxes += held.length;
        next.push(held);
      }
    }
    level = boxes > MOST_BOXES ? [] : next;
  }
  return open;
}

export const firstView = (stage: Stage): Set<Id> => openWithin(stage, FIRST_VIEW);
export const everything = (stage: Stage): Set<Id> => openWithin(stage, MOST_BOXES);

/** What alone of a program is bright, such as all ways from one item to another. */
import type { Stage } from '../schema';
import type { Id } from './ids';
import type { Item } from './outline';
import { carries, kept } from './reach';

/** What of a program is seen while all else is faint. */
export interface Bright {
  has: (item: Item) => boolean;
  /** The values whose edges are lit; without it those of what is selected. */
  carries?: (path: Id, variable: number) => boolean;
  /** Only while this is selected. */
  at?: Id;
}

/** All ways from an item to another: what depends on the one and what the other depends on. */
export function waysBetween(stage: Stage, from: Id, to: Id): Bright {
  const [after, before] = [kept(stage, from, 'down'), kept(stage, to, 'up')];
  return {
    has: (item) => after(item) && before(item),
    carries: (path, variable) =>
      carries(stage, { id: from, toward: 'down' }, path, variable) &&
      carries(stage, { id: to, toward: 'up' }, path, variable),
    at: from,
  };
}

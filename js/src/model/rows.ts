import type { Stage } from '../schema';
import { placeOf } from './describe';
import { type Id, ROOT } from './ids';
import { children, type Item } from './outline';
import { count } from './parts';
import { sourceOf } from './source';

/** One line of the outline as it is open now. */
export interface Row {
  item: Item;
  /** From 1. */
  level: number;
  /** Its place among `size` siblings, from 1. */
  position: number;
  size: number;
  open: boolean;
  parent: Id | null;
}

/** The lines of the outline, in the order they are read. */
export function rowsOf(stage: Stage, open: ReadonlySet<Id>): Row[] {
  const rows: Row[] = [];
  const stack = siblings(stage, open, ROOT, 1).reverse();
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row);
    if (row.open) stack.push(...siblings(stage, open, row.item.id, row.level + 1).reverse());
  }
  return rows;
}

function siblings(stage: Stage, open: ReadonlySet<Id>, parent: Id, level: number): Row[] {
  return children(stage, parent).map((item, index, { length }) => ({
    item,
    level,
    position: index + 1,
    size: length,
    open: item.foldable && open.has(item.id),
    parent: parent === ROOT ? null : parent,
  }));
}

/** An item in words: `reduce_sum, axes=(0,), f32[], cell 3, line 4`. */
export function spoken(stage: Stage, item: Item): string {
  const source = item.kind === 'eqn' ? sourceOf(stage, item.id) : null;
  return [
    ['input', 'output', 'const'].includes(item.kind) ? `${item.kind} ${item.label}` : item.label,
    item.detail,
    item.type,
    held(item),
    source ? placeOf(source.frame) : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function held(item: Item): string {
  const one = item.kind === 'gathered' ? 'array' : 'eqn';
  return item.count === 0 ? '' : `${count(item.count, one)} inside`;
}

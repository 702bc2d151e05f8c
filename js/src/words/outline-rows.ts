import { placeOf } from '../facts/describe';
import { type Id, ROOT } from '../facts/ids';
import { children, type Item } from '../facts/outline';
import { kept, type Only } from '../facts/reach';
import { roleOf } from '../facts/role';
import { sourceOf } from '../facts/source';
import { __, _n } from '../language';
import type { Stage } from '../schema';
import { stops } from '../state/tour';
import { nameOf } from './names';

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

/** The lines of the outline, in the order they are read; where `only` is given, of what it keeps. */
export function rowsOf(stage: Stage, open: ReadonlySet<Id>, only: Only | null = null): Row[] {
  const keep = only === null ? () => true : kept(stage, only.id, only.toward);
  const rows: Row[] = [];
  const below = (parent: Id, level: number) => siblings(stage, open, parent, level, keep).reverse();
  const stack = below(ROOT, 1);
  for (let row = stack.pop(); row; row = stack.pop()) {
    rows.push(row);
    if (!row.open) continue;
    for (const one of below(row.item.id, row.level + 1)) stack.push(one);
  }
  return rows;
}

function siblings(
  stage: Stage,
  open: ReadonlySet<Id>,
  parent: Id,
  level: number,
  keep: (item: Item) => boolean,
): Row[] {
  const held = children(stage, parent).filter(keep);
  return held.map((item, index, { length }) => ({
    item,
    level,
    position: index + 1,
    size: length,
    open: item.foldable && open.has(item.id),
    parent: parent === ROOT ? null : parent,
  }));
}

const ENDS = new Map<string, (label: string) => string>([
  ['input', (label) => __('input %1', label)],
  ['output', (label) => __('output %1', label)],
  ['const', (label) => __('const %1', label)],
]);

/** An item in words: `reduce_sum, axes=(0,), f32[], backward, cell 3, line 4`. */
export function spoken(stage: Stage, item: Item): string {
  const source = item.kind === 'eqn' ? sourceOf(stage, item.id) : null;
  return [
    ENDS.get(item.kind)?.(item.label) ?? item.label,
    item.detail,
    item.type,
    held(item),
    roleOf(stage, item.id),
    source ? placeOf(source.frame) : '',
  ]
    .filter((part) => part !== '')
    .join(', ');
}

function held(item: Item): string {
  if (item.count === 0) return '';
  return item.kind === 'gathered'
    ? _n('%1 array inside', '%1 arrays inside', item.count)
    : _n('%1 eqn inside', '%1 eqns inside', item.count);
}

const MOST_SPOKEN = 4;

const known = new WeakMap<Stage, Map<Id, string>>();

/** What stands beside an item along the data: `from x and sin, to reduce_sum`. */
export function neighbours(stage: Stage, id: Id): string {
  const ofStage = known.get(stage) ?? new Map<Id, string>();
  known.set(stage, ofStage);
  const found = ofStage.get(id) ?? beside(stage, id);
  ofStage.set(id, found);
  return found;
}

function beside(stage: Stage, id: Id): string {
  const names = (along: 'producers' | 'users') =>
    stops(stage, id, along).map((one) => nameOf(stage, one));
  const [makers, users] = [names('producers'), names('users')];
  return [
    ...(makers.length > 0 ? [__('from %1', listed(makers))] : []),
    ...(users.length > 0 ? [__('to %1', listed(users))] : []),
  ].join(', ');
}

function listed(names: readonly string[]): string {
  const rest = names.length - MOST_SPOKEN;
  const shown = rest > 1 ? [...names.slice(0, MOST_SPOKEN), __('%1 more', rest)] : names;
  return shown.length < 2
    ? (shown[0] ?? '')
    : __('%1 and %2', shown.slice(0, -1).join(', '), shown.at(-1));
}

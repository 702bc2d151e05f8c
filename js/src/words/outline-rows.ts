/** The lines of the outline, and their words for a screen reader. */
import type { Differences } from '../facts/differences';
import { roleOf } from '../facts/enclosing';
import { type Id, ROOT } from '../facts/ids';
import { cached } from '../facts/maps';
import { children, type Item } from '../facts/outline';
import { type ReachFilter, reachTest } from '../facts/reach';
import { sourceOf } from '../facts/source';
import { joined, placeOf } from '../facts/text/describe';
import { __, _n } from '../language';
import type { Stage } from '../schema';
import { stops } from '../state/tour';
import type { ViewState } from '../state/view-state';
import { differenceText } from './difference-words';
import { nameOf, typeOf } from './fact-parts';
import { detailsOf } from './item-details';

/** A line of the outline. */
export interface OutlineRow {
  item: Item;
  /** Its depth, from 1. */
  level: number;
  /** Its index among `size` siblings, from 1. */
  position: number;
  size: number;
  open: boolean;
  parent: Id | null;
}

/** The rows of the outline in reading order. `only` limits them. */
export function rowsOf(
  stage: Stage,
  open: ReadonlySet<Id>,
  only: ReachFilter | null = null,
): OutlineRow[] {
  const keep = only === null ? () => true : reachTest(stage, only.id, only.toward);
  const rows: OutlineRow[] = [];
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
): OutlineRow[] {
  const contentsText = children(stage, parent).filter(keep);
  return contentsText.map((item, index, { length }) => ({
    item,
    level,
    position: index + 1,
    size: length,
    open: item.foldable && open.has(item.id),
    parent: parent === ROOT ? null : parent,
  }));
}

const BINDER_TEXTS = new Map<string, (label: string) => string>([
  ['input', (label) => __('input %1', label)],
  ['output', (label) => __('output %1', label)],
  ['const', (label) => __('const %1', label)],
  ['fixed', (label) => __('fixed %1', label)],
]);

/** An item in words: `reduce_sum, axes=(0,), f32[], backward, cell 3, line 4`. */
export function itemText(stage: Stage, item: Item): string {
  const source = item.kind === 'eqn' ? sourceOf(stage, item.id) : null;
  return joined(', ', [
    BINDER_TEXTS.get(item.kind)?.(item.label) ?? item.label,
    item.detail,
    item.type,
    contentsText(item),
    roleOf(stage, item.id),
    source ? placeOf(source.frame) : '',
  ]);
}

function contentsText(item: Item): string {
  if (item.count === 0) return '';
  return item.kind === 'gathered'
    ? _n('%1 array inside', '%1 arrays inside', item.count)
    : _n('%1 eqn inside', '%1 eqns inside', item.count);
}

/** The most neighbours that are named. */
const MOST_SPOKEN = 4;

const neighboursIn = cached((_: Stage) => new Map<Id, string>());

/** The producers and users of an item in words: `from x and sin, to reduce_sum`. */
export function neighbours(stage: Stage, id: Id): string {
  const ofStage = neighboursIn(stage);
  const found = ofStage.get(id) ?? neighbourText(stage, id);
  ofStage.set(id, found);
  return found;
}

function neighbourText(stage: Stage, id: Id): string {
  const [makers, users] = [stops(stage, id, 'producers'), stops(stage, id, 'users')];
  return [
    ...(makers.length > 0 ? [__('from %1', listed(stage, makers))] : []),
    ...(users.length > 0 ? [__('to %1', listed(stage, users))] : []),
  ].join(', ');
}

function listed(stage: Stage, ids: readonly Id[]): string {
  const rest = ids.length - MOST_SPOKEN;
  const names = ids.slice(0, rest > 1 ? MOST_SPOKEN : ids.length).map((id) => nameOf(stage, id));
  const shown = rest > 1 ? [...names, __('%1 more', rest)] : names;
  return shown.length < 2
    ? (shown[0] ?? '')
    : __('%1 and %2', shown.slice(0, -1).join(', '), shown.at(-1));
}

const FILTER_TEXTS = {
  up: () => __('Showing only its inputs'),
  down: () => __('Showing only what depends on it'),
};

const TOUR_TEXTS = {
  producers: (at: number, of: number) => __('producer %1 of %2', at, of),
  users: (at: number, of: number) => __('user %1 of %2', at, of),
  calls: (at: number, of: number) => __('call %1 of %2', at, of),
  changes: (at: number, of: number) => __('change %1 of %2', at, of),
};

/** The words for a screen reader when the selection, the tour or the matches change. */
export function announcement(state: ViewState): string {
  const { stage, differences, selected, query, match, total, tour, only } = state;
  return joined('; ', [
    selected === null ? '' : selectedText(stage, selected, differences),
    tour ? TOUR_TEXTS[tour.along](tour.at + 1, tour.ids.length) : '',
    only ? FILTER_TEXTS[only.toward]() : '',
    query.trim() === '' ? '' : foundText(match, total),
  ]);
}

const foundText = (match: number, total: number): string =>
  match < 0 ? __('%1 found', total) : __('%1 of %2 found', match + 1, total);

/** `Selected c = sin a, added, f32[4], backward, from x, to add`. */
function selectedText(stage: Stage, id: Id, differences: Differences | null): string {
  const title = detailsOf(stage, id)?.title;
  if (title === undefined) return '';
  const differs = differences ? differenceText(differences, stage, id) : '';
  const parts = [title, differs, typeOf(stage, id), roleOf(stage, id), neighbours(stage, id)];
  return __('Selected %1', joined(', ', parts));
}

/** What is kept of a view when it closes. Items are kept by name, so that a program that was edited
 * and captured again opens as it was left, or as near to that as possible. */

import type { ColourBy } from '../facts/colours/colour-schemes';
import type { Differences } from '../facts/differences';
import { hiding } from '../facts/enclosing';
import { follow, namesTo } from '../facts/named-paths';
import type { View } from '../layout/measure';
import type { Opening, Stage } from '../schema';
import { find } from './find';
import { start, type ViewState } from './view-state';

/** What is kept of a view: JSON values only. */
export interface ViewMemo {
  /** The named path to the selection, as in a link; null where nothing was selected. */
  selected: string | null;
  /** The named paths to all that was open; null for the first view, and where it is too much to
   * keep. */
  open: readonly string[] | null;
  query: string;
  colours: ColourBy;
}

/** The most open items that are kept. With more open, the first view serves as well. */
const MOST_OPEN = 1000;
const LONGEST_QUERY = 1000;

export function memoOf({ stage, first, open, selected, query, colours }: ViewState): ViewMemo {
  const path = (id: string) => namesTo(stage, id).join('/');
  return {
    selected: selected === null ? null : path(selected),
    open: first || open.size > MOST_OPEN ? null : [...open].map(path),
    query: query.slice(0, LONGEST_QUERY),
    colours,
  };
}

/** The state of a stage as it was left. What the memo names and no longer exists is skipped. */
export function startFrom(
  stage: Stage,
  differences: Differences | null,
  memo: ViewMemo | null,
  opening: Opening = {},
  room?: View | null,
): ViewState {
  const state = start(stage, differences, opening, room);
  if (memo === null) return state;
  const open = memo.open?.flatMap((path) => {
    const { id, whole } = follow(stage, path.split('/'));
    return whole ? [id] : [];
  });
  const { id } = follow(stage, memo.selected === null ? [] : memo.selected.split('/'));
  const selected = id === '' ? null : id;
  const { ids, total } = find(stage, memo.query);
  return {
    ...state,
    first: memo.open === null && selected === null,
    selected,
    open: new Set([...(open ?? state.open), ...(selected === null ? [] : hiding(stage, selected))]),
    query: memo.query,
    colours: memo.colours === 'time' && !stage.times ? state.colours : memo.colours,
    matches: ids,
    total,
  };
}

const COLOUR_CHOICES: readonly ColourBy[] = [
  'family',
  'dtype',
  'scope',
  'flops',
  'bytes',
  'time',
  'change',
];

/** Whether data from a store is a memo. */
export function isMemo(data: unknown): data is ViewMemo {
  if (typeof data !== 'object' || data === null) return false;
  const { selected, open, query, colours } = data as Record<string, unknown>;
  return (
    (selected === null || typeof selected === 'string') &&
    (open === null || (Array.isArray(open) && open.every((one) => typeof one === 'string'))) &&
    typeof query === 'string' &&
    COLOUR_CHOICES.includes(colours as ColourBy)
  );
}

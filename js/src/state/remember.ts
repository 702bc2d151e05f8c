import { hiding } from '../facts/enclosing';
/** What of a view outlasts it: by names, so that a program that was edited and captured again is
 * found as it was left, or as near to that as can be. */

import type { ColourBy } from '../facts/colours/colour-classes';
import type { Differences } from '../facts/compared/differences';
import { follow, namesTo } from '../facts/named-paths';
import type { Opening, Stage } from '../schema';
import { find } from './find';
import { start, type ViewState } from './view-state';

/** Values of JSON alone. */
export interface Memo {
  /** The names to what was selected, as in a link; null where nothing was. */
  selected: string | null;
  /** The names to all that was open; null where that is the first view, or too much to keep. */
  open: readonly string[] | null;
  query: string;
  colours: ColourBy;
}

/** Of more that is open the first view is as good. */
const MOST_OPEN = 1000;
const LONGEST_QUERY = 1000;

export function memoOf({ stage, first, open, selected, query, colours }: ViewState): Memo {
  const path = (id: string) => namesTo(stage, id).join('/');
  return {
    selected: selected === null ? null : path(selected),
    open: first || open.size > MOST_OPEN ? null : [...open].map(path),
    query: query.slice(0, LONGEST_QUERY),
    colours,
  };
}

/** A stage as it was left. What the memo names and is no more is passed over. */
export function startFrom(
  stage: Stage,
  differences: Differences | null,
  memo: Memo | null,
  opening: Opening = {},
): ViewState {
  const state = start(stage, differences, opening);
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
    colours: memo.colours,
    matches: ids,
    total,
  };
}

const COLOURS: readonly ColourBy[] = ['family', 'dtype', 'scope', 'flops', 'bytes', 'change'];

/** What comes from a store is a memo, or is none. */
export function isMemo(data: unknown): data is Memo {
  if (typeof data !== 'object' || data === null) return false;
  const { selected, open, query, colours } = data as Record<string, unknown>;
  return (
    (selected === null || typeof selected === 'string') &&
    (open === null || (Array.isArray(open) && open.every((one) => typeof one === 'string'))) &&
    typeof query === 'string' &&
    COLOURS.includes(colours as ColourBy)
  );
}

/** The state of a view of a program, and how each action changes it. */
import type { ColourBy } from '../facts/colours/colour-schemes';
import type { Differences } from '../facts/differences';
import { hiding } from '../facts/enclosing';
import { pairOf } from '../facts/graph';
import type { Id } from '../facts/ids';
import { type LinkedItem, NO_LINKS, outermost } from '../facts/linked/linked';
import { keeps, type ReachFilter, type Toward } from '../facts/reach';
import { follow, isLink, namesTo, resolve } from '../facts/text/named-paths';
import { type Shape, shapeOf, type View, WIDE } from '../layout/measure';
import type { Opening, Stage } from '../schema';
import { expanded } from './expand-all';
import { find } from './find';
import { CELL, firstView } from './first-view';
import { type Tour, type TourPath, toured } from './tour';

/** The state of a view. It is never changed in place: `update` returns a new one. */
export interface ViewState extends Place {
  stage: Stage;
  /** The differences, if the stage shows two programs; else null. */
  differences: Differences | null;
  opening: Opening;
  /** True if the open items are still those of the first view, which adapts to the room. */
  first: boolean;
  /** The items that *Expand all* opened last; null before that. */
  expanded: ReadonlySet<Id> | null;
  /** The room for the picture; null until it is measured. Nothing is laid out before. */
  room: View | null;
  shape: Shape;
  hovered: Id | null;
  /** The items here that are linked to a selection in another stage or in the source; empty if the
   * selection was made here. */
  lit: readonly LinkedItem[];
  /** The scheme of the boxes' colours. */
  colours: ColourBy;
  query: string;
  /** The ids that match the query, in program order. */
  matches: readonly Id[];
  /** The index of the current match; -1 for none. */
  match: number;
  /** The number of all matches; `matches` may list only the first. */
  total: number;
  /** The tour with the selection as a stop. */
  tour: Tour | null;
  history: History<Place>;
}

/** The part of the state that Back restores. */
interface Place {
  /** Open eqns, bodies, groups and gathered pytrees. */
  open: ReadonlySet<Id>;
  selected: Id | null;
  /** Limits the picture to what an item depends on, or to what depends on it; null shows all. */
  only: ReachFilter | null;
}

export type Action =
  /** The room for the picture has changed. */
  | { type: 'view'; view: View }
  /** The same stage with more data. */
  | { type: 'stage'; stage: Stage }
  | { type: 'toggle'; id: Id }
  | { type: 'expand' }
  | { type: 'collapse' }
  /** Selects an item and opens all that hides it. */
  | { type: 'select'; id: Id | null }
  | { type: 'hover'; id: Id | null }
  /** Highlights items that are linked to a selection elsewhere, and opens what hides them; null ends
   * that. */
  | { type: 'light'; found: readonly LinkedItem[] | null }
  | { type: 'colour'; by: ColourBy }
  | { type: 'find'; query: string }
  /** Go to the next match (1) or the previous one (-1). */
  | { type: 'step'; by: 1 | -1 }
  /** Makes another match the current one, without selecting it. */
  | { type: 'mark'; match: number }
  /** Goes to the match with this index. */
  | { type: 'match'; match: number }
  /** Goes to the next or previous stop of a tour. */
  | { type: 'tour'; along: TourPath; by: 1 | -1 }
  /** Shows only what the selection depends on (`up`) or what depends on it (`down`); the same again
   * shows all. */
  | { type: 'only'; toward: Toward }
  | { type: 'all' }
  /** Back (-1) or forward (1). */
  | { type: 'travel'; by: 1 | -1 };

export function start(
  stage: Stage,
  differences: Differences | null = null,
  opening: Opening = {},
  room: View | null = CELL,
): ViewState {
  return {
    stage,
    differences,
    opening,
    first: true,
    expanded: null,
    room,
    ...(room ? firstView(stage, differences, room, opening) : NOTHING_OPEN),
    selected: null,
    only: null,
    hovered: null,
    lit: NO_LINKS,
    colours: opening.colours ?? coloursFor(stage, differences),
    query: '',
    matches: [],
    match: -1,
    total: 0,
    tour: null,
    history: NO_HISTORY,
  };
}

/** The colours without a choice: differences, else measured times, else the family of each op. */
function coloursFor({ times }: Stage, differences: Differences | null): ColourBy {
  if (differences && !differences.same) return 'change';
  return times ? 'time' : 'family';
}

const NOTHING_OPEN = { open: new Set<Id>(), shape: WIDE };

/** The state after an action. */
export function update(state: ViewState, action: Action): ViewState {
  if (action.type === 'travel') return travelled(state, action.by);
  if (action.type === 'view') return fitted(state, action.view);
  const next = changed(state, action);
  if (next.open === state.open && next.selected === state.selected && next.only === state.only) {
    return next;
  }
  return { ...next, first: false, history: left(state.history, placeOf(state)) };
}

function changed(
  state: ViewState,
  action: Exclude<Action, { type: 'travel' | 'view' }>,
): ViewState {
  switch (action.type) {
    case 'stage':
      return state.stage === action.stage ? state : { ...state, stage: action.stage };
    case 'toggle':
      return { ...state, open: toggled(state, action.id) };
    case 'expand': {
      const open = expanded(state.stage, state.open);
      return { ...state, open, expanded: open };
    }
    case 'collapse':
      return { ...state, open: new Set() };
    case 'select':
      return select(state, action.id);
    case 'hover':
      return state.hovered === action.id ? state : { ...state, hovered: action.id };
    case 'light':
      return light(state, action.found);
    case 'colour':
      return { ...state, colours: action.by };
    case 'find':
      return found(state, action.query);
    case 'step':
      return step(state, action.by);
    case 'mark':
      return { ...state, match: around(action.match, state.matches.length) };
    case 'match':
      return goTo(state, action.match);
    case 'tour': {
      const tour = toured(state, action.along, action.by);
      return tour ? { ...select(state, tour.ids[tour.at] ?? null), tour } : state;
    }
    case 'only':
      return only(state, action.toward);
    case 'all':
      return state.only === null ? state : { ...state, only: null };
  }
}

const placeOf = ({ open, selected, only }: Place): Place => ({ open, selected, only });

function travelled(state: ViewState, by: 1 | -1): ViewState {
  const to = travel(state.history, placeOf(state), by);
  return to ? { ...state, ...to.place, lit: NO_LINKS, history: to.history, tour: null } : state;
}

/** A smaller change of height, px, comes from a strip below the graph, such as a hint. It does not change the
 * picture. */
const STRIP = 40;

/** Adapts to the room: opens as much as it allows, until the reader opens or closes something. */
function fitted(state: ViewState, room: View): ViewState {
  const { stage, differences, opening, open: before } = state;
  if (room.width === state.room?.width && room.height === state.room.height) return state;
  if (!state.first) {
    const isStrip =
      room.width === state.room?.width && Math.abs(room.height - state.room.height) < STRIP;
    return isStrip ? state : { ...state, room, shape: shapeOf(room.width, room.height) };
  }
  const { open: first, shape } = firstView(stage, differences, room, opening);
  const open = openedForLit({ ...state, open: first }, state.lit);
  const same = open.size === before.size && [...open].every((id) => before.has(id));
  return { ...state, room, shape, open: same ? before : open };
}

/** Opens or closes an item. A forward group and its backward group do so together if both are
 * visible. */
function toggled({ stage, open }: ViewState, id: Id): ReadonlySet<Id> {
  const seen = pairOf(stage, id).filter((one) => hiding(stage, one).every((by) => open.has(by)));
  const next = new Set(open);
  const change = open.has(id) ? (one: Id) => next.delete(one) : (one: Id) => next.add(one);
  for (const one of [id, ...seen]) change(one);
  return next;
}

function select(state: ViewState, id: Id | null): ViewState {
  if (id === null) return { ...state, selected: null, lit: NO_LINKS, only: null, tour: null };
  const open = openedFor(state, [{ id }]);
  const only = state.only && keeps(state.stage, state.only, id) ? state.only : null;
  return { ...state, selected: id, lit: NO_LINKS, open, only, tour: null };
}

/** The open items once nothing hides the given items. */
function openedFor({ stage, open }: ViewState, items: readonly { id: Id }[]): ReadonlySet<Id> {
  const hidden = items.flatMap(({ id }) => hiding(stage, id)).filter((one) => !open.has(one));
  return hidden.length === 0 ? open : new Set([...open, ...hidden]);
}

/** The most highlighted items that are opened: more would bury the picture. */
const MOST_LIT_OPENED = 8;

/** Highlights items for a selection elsewhere, and opens what hides the outermost of them. */
function light(state: ViewState, found: readonly LinkedItem[] | null): ViewState {
  if (found === null) return state.lit === NO_LINKS ? state : { ...state, lit: NO_LINKS };
  const open = state.room ? openedForLit(state, found) : state.open; // `fitted` opens the others
  return { ...state, lit: found, selected: null, only: null, open, tour: null };
}

const openedForLit = (state: ViewState, lit: readonly LinkedItem[]): ReadonlySet<Id> =>
  openedFor(state, outermost(lit).slice(0, MOST_LIT_OPENED));

/** Follows a pasted link, or finds the matches of a query. */
function found(state: ViewState, query: string): ViewState {
  const linked = isLink(query) ? resolve(state.stage, query) : null;
  const { ids, total } = linked === null ? find(state.stage, query) : { ids: [linked], total: 1 };
  const next = { ...state, query, matches: ids, total, match: -1 };
  return linked === null ? next : goTo(next, 0);
}

function step(state: ViewState, by: 1 | -1): ViewState {
  const { length } = state.matches;
  if (length === 0) return state;
  return goTo(state, state.match < 0 && by < 0 ? length - 1 : state.match + by);
}

function goTo(state: ViewState, index: number): ViewState {
  const match = around(index, state.matches.length);
  return match < 0 ? state : { ...select(state, state.matches[match] ?? null), match };
}

const around = (index: number, length: number): number =>
  length === 0 ? -1 : (index + length) % length;

/** Shows only what the selection depends on, or what depends on it; the same again shows all. Does
 * nothing without a selection. */
function only(state: ViewState, toward: Toward): ViewState {
  const { selected: id } = state;
  if (state.only?.toward === toward && (id === null || id === state.only.id)) {
    return { ...state, only: null };
  }
  return id === null ? state : { ...state, only: { id, toward } };
}

/** The places of Back and Forward. It is never changed in place. */
export interface History<Place> {
  readonly past: readonly Place[];
  readonly future: readonly Place[];
}

/** The most places in the history. */
export const LONGEST_HISTORY = 100;

export const NO_HISTORY: History<never> = { past: [], future: [] };

/** The history after leaving a place. */
export function left<Place>({ past }: History<Place>, place: Place): History<Place> {
  return { past: [...past.slice(-(LONGEST_HISTORY - 1)), place], future: [] };
}

/** One step back (`by` -1) or forward (1) from a place: the next place and the new history; null if
 * there is none. */
export function travel<Place>(
  { past, future }: History<Place>,
  here: Place,
  by: 1 | -1,
): { place: Place; history: History<Place> } | null {
  const [from, to] = by === -1 ? [past, future] : [future, past];
  const place = from.at(-1);
  if (place === undefined) return null;
  const [fewer, more] = [from.slice(0, -1), [...to, here]];
  const history = by === -1 ? { past: fewer, future: more } : { past: more, future: fewer };
  return { place, history };
}

/** The saved part of a view: JSON values only. */
export interface ViewMemo {
  /** The named path of the selection, as in a link; null without a selection. */
  selected: string | null;
  /** The named paths of all open items; null for the first view, and if there are too many. */
  open: readonly string[] | null;
  query: string;
  colours: ColourBy;
}

/** The most open items that are saved. With more, the first view serves as well. */
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

/** The state of a stage from a memo. Names in the memo that no longer exist are skipped. */
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

/** True if data from a store is a memo. */
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

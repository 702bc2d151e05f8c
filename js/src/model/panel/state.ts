import type { Event, Log } from '../../schema';
import type { Wanted } from '../log/wanted';
import { EVERY, type Filter } from './events';
import type { Sort } from './functions';

export type List = 'functions' | 'events';
export type Tab = List | 'inspector';

/** What is shown in place of the lists or beside them: of a log, or a capture by its key. */
export type Opened = Wanted | { capture: string; name: string };

/** How a kernel is looked at. A value: `update` gives a new one. */
export interface PanelState {
  tab: Tab;
  /** The list that is or was shown last. */
  list: List;
  sort: Sort;
  /** The other way round. */
  reversed: boolean;
  /** Part of the names and places of the functions that are listed. */
  find: string;
  filter: Filter;
  /** Events that are listed at most. */
  most: number;
  /** The log as it was when the reader went down the list of its events, so that they stay where
   * they are; null where the newest are seen. */
  held: Log | null;
  /** The row of each list that the keyboard is at, by its key. */
  current: Readonly<Record<List, string>>;
  opened: Opened | null;
  /** The trace that is to be compared with the next one that is chosen. */
  picked: Event | null;
}

export type Action =
  | { type: 'tab'; tab: Tab; closes: boolean }
  | { type: 'sort'; sort: Sort; reversed: boolean }
  | { type: 'find'; find: string }
  | { type: 'filter'; filter: Partial<Filter> }
  | { type: 'kind'; kind: string }
  | { type: 'more' }
  | { type: 'hold'; log: Log | null }
  | { type: 'current'; key: string }
  | { type: 'open'; opened: Opened | null }
  | { type: 'pick'; picked: Event | null };

/** Events that are listed at first, and further ones each time. */
const STEP = 60;

export const START: PanelState = {
  tab: 'functions',
  list: 'functions',
  sort: 'time',
  reversed: false,
  find: '',
  filter: EVERY,
  most: STEP,
  held: null,
  current: { functions: '', events: '' },
  opened: null,
  picked: null,
};

export function update(state: PanelState, action: Action): PanelState {
  switch (action.type) {
    case 'tab':
      return toTab(state, action.tab, action.closes);
    case 'sort':
      return { ...state, sort: action.sort, reversed: action.reversed };
    case 'find':
      return { ...state, find: action.find };
    case 'filter':
      return filtered(state, action.filter);
    case 'kind':
      return filtered(state, { kinds: toggled(state, action.kind) });
    case 'more':
      return { ...state, most: state.most + STEP };
    case 'hold':
      return { ...state, held: action.log, most: action.log ? state.most : STEP };
    case 'current':
      return { ...state, current: { ...state.current, [state.list]: action.key } };
    case 'open':
      return { ...state, opened: action.opened, picked: null, tab: state.list };
    case 'pick':
      return { ...state, picked: action.picked, opened: null, tab: 'events', list: 'events' };
  }
}

/** What was opened is closed by choosing its list or the other, where it stands in its place. */
function toTab(state: PanelState, tab: Tab, closes: boolean): PanelState {
  if (tab === 'inspector') return { ...state, tab };
  const isBack = state.tab === 'inspector' && tab === state.list;
  return { ...state, tab, list: tab, opened: closes && !isBack ? null : state.opened };
}

/** What is listed anew is seen from its beginning. */
function filtered(state: PanelState, filter: Partial<Filter>): PanelState {
  return { ...state, filter: { ...state.filter, ...filter }, most: STEP, held: null };
}

/** Two traces compared, in the order in which they began. */
export function compared(one: Event, other: Event): Opened {
  const [before, after] = one.start <= other.start ? [one, other] : [other, one];
  return { before: before.number, after: after.number };
}

function toggled({ filter }: PanelState, kind: string): ReadonlySet<string> {
  const kinds = new Set(filter.kinds);
  if (!kinds.delete(kind)) kinds.add(kind);
  return kinds;
}

import type { Event } from '../../schema';
import type { Wanted } from '../log/wanted';
import { EVERY, type Filter } from './events';
import type { Sort } from './functions';

export type List = 'functions' | 'events';
export type Tab = List | 'inspector';

/** What is shown in place of the lists: of a log, or a capture by its key. */
export type Opened = Wanted | { capture: string; name: string };

/** How a kernel is looked at. A value: `update` gives a new one. */
export interface PanelState {
  tab: Tab;
  /** The list that is or was shown last. */
  list: List;
  sort: Sort;
  /** Part of the names of the functions that are listed. */
  find: string;
  filter: Filter;
  opened: Opened | null;
  /** The trace that is to be compared with the next one that is chosen. */
  picked: Event | null;
}

export type Action =
  | { type: 'tab'; tab: Tab }
  | { type: 'sort'; sort: Sort }
  | { type: 'find'; find: string }
  | { type: 'filter'; filter: Partial<Filter> }
  | { type: 'kind'; kind: string }
  | { type: 'open'; opened: Opened | null }
  | { type: 'pick'; picked: Event | null };

export const START: PanelState = {
  tab: 'functions',
  list: 'functions',
  sort: 'time',
  find: '',
  filter: EVERY,
  opened: null,
  picked: null,
};

export function update(state: PanelState, action: Action): PanelState {
  switch (action.type) {
    case 'tab':
      return toTab(state, action.tab);
    case 'sort':
      return { ...state, sort: action.sort };
    case 'find':
      return { ...state, find: action.find };
    case 'filter':
      return { ...state, filter: { ...state.filter, ...action.filter } };
    case 'kind':
      return { ...state, filter: { ...state.filter, kinds: toggled(state, action.kind) } };
    case 'open':
      return { ...state, opened: action.opened, picked: null, tab: state.list };
    case 'pick':
      return { ...state, picked: action.picked, opened: null, tab: 'events', list: 'events' };
  }
}

/** What was opened from a list is closed by choosing that or the other list, not by a look elsewhere. */
function toTab(state: PanelState, tab: Tab): PanelState {
  if (tab === 'inspector') return { ...state, tab };
  const opened = state.tab === 'inspector' && tab === state.list ? state.opened : null;
  return { ...state, tab, list: tab, opened };
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

import type { Event } from '../../schema';
import type { Wanted } from '../log/wanted';
import { EVERY, type Filter } from './events';
import type { Sort } from './functions';

export type Tab = 'functions' | 'events';

/** What is shown in place of the lists: of a log, or a capture by its key. */
export type Opened = Wanted | { capture: string; name: string };

/** How a kernel is looked at. A value: `update` gives a new one. */
export interface PanelState {
  tab: Tab;
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
  sort: 'time',
  find: '',
  filter: EVERY,
  opened: null,
  picked: null,
};

export function update(state: PanelState, action: Action): PanelState {
  switch (action.type) {
    case 'tab':
      return { ...state, tab: action.tab, opened: null };
    case 'sort':
      return { ...state, sort: action.sort };
    case 'find':
      return { ...state, find: action.find };
    case 'filter':
      return { ...state, filter: { ...state.filter, ...action.filter } };
    case 'kind':
      return { ...state, filter: { ...state.filter, kinds: toggled(state, action.kind) } };
    case 'open':
      return { ...state, opened: action.opened, picked: null };
    case 'pick':
      return { ...state, picked: action.picked, opened: null, tab: 'events' };
  }
}

function toggled({ filter }: PanelState, kind: string): ReadonlySet<string> {
  const kinds = new Set(filter.kinds);
  if (!kinds.delete(kind)) kinds.add(kind);
  return kinds;
}

/** The state of the panel: its kernel, tabs, lists, filters and open program, and how each action
 * changes it. */

import type { Event, Log, Page, Panel } from '../../schema';
import type { Kernel, LogKernel } from '../kernel-requests';
import type { Target } from './function-at-cursor';
import type { Selecting } from './notebook-selection';
import { ALL_EVENTS, type EventFilter, type FunctionSort, type Opened } from './panel-lists';

type List = 'functions' | 'events';
export type Tab = List | 'inspector';

/** The state of the panel for one kernel. It is never changed in place: `update` returns a new one. */
export interface PanelState {
  tab: Tab;
  /** The list that is shown, or that was shown before the inspector. */
  list: List;
  sort: FunctionSort;
  /** True if the order of the functions is reversed. */
  reversed: boolean;
  /** The text to filter functions by: a part of a name or place. */
  find: string;
  filter: EventFilter;
  /** The most events that are listed. */
  most: number;
  /** The log at the moment when the reader scrolled down the list of events. It is listed instead of
   * the newest log, so that rows do not move while they are read. Null while the newest log is
   * listed. */
  frozen: Log | null;
  /** The key of the row in each list that has or last had the keyboard's focus. */
  current: Readonly<Record<List, string>>;
  opened: Opened | null;
  /** The trace to compare with the next chosen one, or null. */
  picked: Event | null;
  /** The help page in place of the inspector, or null. */
  page: Page | null;
}

export type Action =
  /** `closes` is true if the tab replaces an opened program, which is then closed. */
  | { type: 'tab'; tab: Tab; closes: boolean }
  | { type: 'sort'; sort: FunctionSort; reversed: boolean }
  | { type: 'find'; find: string }
  | { type: 'filter'; filter: Partial<EventFilter> }
  /** Lists a kind of event, or no longer lists it. */
  | { type: 'kind'; kind: string }
  | { type: 'more' }
  | { type: 'hold'; log: Log | null }
  | { type: 'current'; key: string }
  | { type: 'open'; opened: Opened | null }
  | { type: 'pick'; picked: Event | null }
  | { type: 'read'; page: Page | null };

/** The number of events that are listed at first, and that are added at the end of the list. */
const EVENTS_PER_STEP = 60;

export const INITIAL_PANEL: PanelState = {
  tab: 'functions',
  list: 'functions',
  sort: 'time',
  reversed: false,
  find: '',
  filter: ALL_EVENTS,
  most: EVENTS_PER_STEP,
  frozen: null,
  current: { functions: '', events: '' },
  opened: null,
  picked: null,
  page: null,
};

export function update(state: PanelState, action: Action): PanelState {
  switch (action.type) {
    case 'tab':
      return afterTab(state, action.tab, action.closes);
    case 'sort':
      return { ...state, sort: action.sort, reversed: action.reversed };
    case 'find':
      return { ...state, find: action.find };
    case 'filter':
      return afterFilter(state, action.filter);
    case 'kind':
      return afterFilter(state, { kinds: toggledKinds(state, action.kind) });
    case 'more':
      return { ...state, most: state.most + EVENTS_PER_STEP };
    case 'hold':
      return { ...state, frozen: action.log, most: action.log ? state.most : EVENTS_PER_STEP };
    case 'current':
      return { ...state, current: { ...state.current, [state.list]: action.key } };
    case 'open':
      return { ...state, opened: action.opened, picked: null, tab: state.list };
    case 'pick':
      return { ...state, picked: action.picked, opened: null, tab: 'events', list: 'events' };
    case 'read':
      return { ...state, page: action.page, tab: action.page ? 'inspector' : state.tab };
  }
}

/** Returning from the inspector to the same list leaves the opened program open. */
function afterTab(state: PanelState, tab: Tab, closes: boolean): PanelState {
  if (tab === 'inspector') return { ...state, tab };
  const isBack = state.tab === 'inspector' && tab === state.list;
  return { ...state, tab, list: tab, opened: closes && !isBack ? null : state.opened };
}

/** A new filter lists the newest events again, from the first row. */
function afterFilter(state: PanelState, filter: Partial<EventFilter>): PanelState {
  return { ...state, filter: { ...state.filter, ...filter }, most: EVENTS_PER_STEP, frozen: null };
}

function toggledKinds({ filter }: PanelState, kind: string): ReadonlySet<string> {
  const kinds = new Set(filter.kinds);
  if (!kinds.delete(kind)) kinds.add(kind);
  return kinds;
}

/** The number of parts of the panel side by side: a list, the opened program, the inspector. */
export type Columns = 1 | 2 | 3;

/** The least width for two and for three columns, px. */
const TWO_COLUMNS = 700;
const THREE_COLUMNS = 1100;

export function columnsIn(width: number): Columns {
  if (width >= THREE_COLUMNS) return 3;
  return width >= TWO_COLUMNS ? 2 : 1;
}

export interface VisibleParts {
  list: boolean;
  opened: boolean;
  inspector: boolean;
}

export function visibleIn({ tab, opened }: PanelState, columns: Columns): VisibleParts {
  const isInspecting = tab === 'inspector';
  return {
    list: columns === 3 || (!isInspecting && (columns === 2 || opened === null)),
    opened: opened !== null && (columns > 1 || !isInspecting),
    inspector: columns === 3 || isInspecting,
  };
}

/**
 * The state of a notebook's or console's kernel.
 *
 * `none`: there is no kernel. `waiting`: it has not answered yet. `unloaded`: it has not loaded
 * jaxviz. `absent`: jaxviz is not installed there. `failed`: the request failed. `reported`: it
 * answered.
 */
export type KernelState =
  | { is: 'none' | 'waiting' | 'unloaded' }
  | { is: 'failed' | 'absent'; reason: string }
  | { is: 'reported'; panel: Panel };

/** The notebook or console that the panel follows, with its kernel. */
export interface Followed {
  /** The name on its tab. */
  title: string;
  /** The same for all tabs of one notebook or console. */
  id: string;
  kernel: KernelState;
  /** The function that the reader just asked to inspect in a cell, or null. */
  target: Target | null;
  /** The help page that the reader just asked for, or null. */
  page: Page | null;
  /** The selection in its outputs and in the panel. */
  selecting: Selecting;
  /** Gives the programs of the events in the kernel's log. */
  log: LogKernel;
  /** The kernel of the capture with that key, until the signal aborts; null if there is none. */
  capture: (key: string, signal: AbortSignal) => Kernel | null;
  /** Begins or ends watching all cells. Rejects with a sentence if it cannot. */
  watch: (on: boolean) => Promise<void>;
  /** Clears the record of traces. Rejects with a sentence if it cannot. */
  clear: () => Promise<void>;
  /** Runs a line in a new cell below the cell with that id. Returns the id of the new cell; null if
   * there is none, as in a console. */
  run: (line: string, cell: string | null) => string | null;
}

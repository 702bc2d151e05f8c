/** What the panel shows: the kernel that it follows and what is known of it; which tab, list and
 * program the reader sees, in which order and filtered how. */

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
  /** Whether the functions are listed in the opposite order. */
  reversed: boolean;
  /** What was typed to filter functions: a part of a name or of a place. */
  find: string;
  filter: EventFilter;
  /** How many events are listed at most. */
  most: number;
  /** The log at the moment the reader scrolled down the list of events. It is listed instead of the
   * newest log, so that rows do not move while they are read. Null while the newest log is listed. */
  held: Log | null;
  /** In each list, the key of the row that has the keyboard's focus, or had it last. */
  current: Readonly<Record<List, string>>;
  opened: Opened | null;
  /** The trace that the reader wants to compare with the next one they choose; else null. */
  picked: Event | null;
  /** The page of text that is read, in the inspector's place; else null. */
  page: Page | null;
}

export type Action =
  /** `closes` says that the tab takes the place of an opened program, which is then closed. */
  | { type: 'tab'; tab: Tab; closes: boolean }
  | { type: 'sort'; sort: FunctionSort; reversed: boolean }
  | { type: 'find'; find: string }
  | { type: 'filter'; filter: Partial<EventFilter> }
  /** Lists a kind of event if it was not listed, and no longer if it was. */
  | { type: 'kind'; kind: string }
  | { type: 'more' }
  | { type: 'hold'; log: Log | null }
  | { type: 'current'; key: string }
  | { type: 'open'; opened: Opened | null }
  | { type: 'pick'; picked: Event | null }
  | { type: 'read'; page: Page | null };

/** How many events are listed at first, and how many are added each time the end is reached. */
const EVENTS_PER_STEP = 60;

export const INITIAL_PANEL: PanelState = {
  tab: 'functions',
  list: 'functions',
  sort: 'time',
  reversed: false,
  find: '',
  filter: ALL_EVENTS,
  most: EVENTS_PER_STEP,
  held: null,
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
      return { ...state, held: action.log, most: action.log ? state.most : EVENTS_PER_STEP };
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

/** Coming back from the inspector to the same list leaves the opened program open. */
function afterTab(state: PanelState, tab: Tab, closes: boolean): PanelState {
  if (tab === 'inspector') return { ...state, tab };
  const isBack = state.tab === 'inspector' && tab === state.list;
  return { ...state, tab, list: tab, opened: closes && !isBack ? null : state.opened };
}

/** A new filter lists the newest events again, from the first row. */
function afterFilter(state: PanelState, filter: Partial<EventFilter>): PanelState {
  return { ...state, filter: { ...state.filter, ...filter }, most: EVENTS_PER_STEP, held: null };
}

function toggledKinds({ filter }: PanelState, kind: string): ReadonlySet<string> {
  const kinds = new Set(filter.kinds);
  if (!kinds.delete(kind)) kinds.add(kind);
  return kinds;
}

/** How many parts of the panel stand side by side: a list, the opened program, the inspector. */
export type Columns = 1 | 2 | 3;

/** The widths from which there is room for so many columns, px. */
const TWO_COLUMNS = 700;
const THREE_COLUMNS = 1100;

export function columnsIn(width: number): Columns {
  if (width >= THREE_COLUMNS) return 3;
  return width >= TWO_COLUMNS ? 2 : 1;
}

/** Which parts of the panel are visible. */
export interface VisibleParts {
  list: boolean;
  opened: boolean;
  inspector: boolean;
}

export function seenIn({ tab, opened }: PanelState, columns: Columns): VisibleParts {
  const isInspecting = tab === 'inspector';
  return {
    list: columns === 3 || (!isInspecting && (columns === 2 || opened === null)),
    opened: opened !== null && (columns > 1 || !isInspecting),
    inspector: columns === 3 || isInspecting,
  };
}

/**
 * What is known of the kernel of a notebook or console.
 *
 * `none`: there is no kernel. `asked`: it has not answered yet. `silent`: it has not loaded jaxviz.
 * `absent`: jaxviz is not installed there. `failed`: asking went wrong. `told`: it answered.
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
  known: KernelState;
  /** The function that the reader just asked to inspect, from a cell; else null. */
  target: Target | null;
  /** The page of text that the reader just asked to read; else null. */
  page: Page | null;
  /** What is selected in its outputs and in the panel. */
  selecting: Selecting;
  /** Gives the programs of the events in the kernel's log. */
  log: LogKernel;
  /** Gives the stages of the capture with that key, until the signal aborts; null if there is no
   * kernel. */
  capture: (key: string, signal: AbortSignal) => Kernel | null;
  /** Begins or ends watching all cells. Rejects with a sentence if it cannot. */
  watch: (on: boolean) => Promise<void>;
  /** Forgets what was traced so far. Rejects with a sentence if it cannot. */
  clear: () => Promise<void>;
  /** Runs a line in a new cell below the cell with that id. Returns the id of the new cell, or null
   * if there is none, as in a console. */
  run: (line: string, cell: string | null) => string | null;
}

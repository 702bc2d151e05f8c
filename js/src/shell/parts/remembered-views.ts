/** Saves the state of each view, for when the page or the view is opened again. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Differences } from '../../facts/differences';
import type { Opening, Program, Stage } from '../../schema';
import { openingOf, type Preferences } from '../../state/preferences';
import { isMemo, memoOf, startFrom, type ViewState } from '../../state/view-state';

/** The sizes of the panes of a stage's view, and which of them are visible. */
export interface Panes {
  /** The graph's share of the width (of the height, if it is above the text), percent; null until
   * the reader changes it. */
  share: number | null;
  outline: boolean;
  /** The name of the shown tab of the side pane. */
  sight: string;
  /** The height of the view, px; null until the reader changes it. */
  height: number | null;
}

const FIRST_PANES: Panes = { share: null, outline: false, sight: 'text', height: null };

/** The identity of a program: its name, and the cell or file of its code, because several may have
 * one name. */
function identityOf({ name, listings: [own] }: Program): string {
  return own ? `${name} in ${own.cell ?? own.file}` : name;
}

/** The name under which a view is saved. It contains the opening, so that other options start a new
 * view. */
function nameOf(program: Program, { kind }: Stage, opening: Opening): string {
  const { compared } = program;
  const name = identityOf(program);
  const { stage, ...others } = opening;
  const opens = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
  return compared
    ? `${name}: ${compared.before} → ${compared.after}, ${compared.marks.length}${opens}`
    : `${kind} of ${name}${opens}`;
}

/** The name under which the last tab of the side pane is saved. All stages of a program share it: a
 * reader of one table wants that of the next stage too. */
const sightOf = (program: Program): string => `sight of ${identityOf(program)}`;

/** The saved state of a stage's view, perhaps of an older capture. */
export function savedState(
  program: Program,
  stage: Stage,
  differences: Differences | null,
  chosen: Opening,
  preferred: Preferences,
): { state: ViewState; panes: Panes } {
  const found = load(nameOf(program, stage, chosen));
  const { view, panes } = Object(found) as { view?: unknown; panes?: unknown };
  const saved = isPanes(panes) ? panes : FIRST_PANES;
  const sight = load(sightOf(program));
  const opening = openingOf(chosen, preferred.opening);
  return {
    state: startFrom(stage, differences, isMemo(view) ? view : null, opening, null),
    panes: typeof sight === 'string' ? { ...saved, sight } : saved,
  };
}

function isPanes(data: unknown): data is Panes {
  const { share, outline, sight, height } = Object(data) as Partial<Record<keyof Panes, unknown>>;
  return (
    (share === null || (typeof share === 'number' && Math.abs(share - 50) <= 35)) &&
    typeof outline === 'boolean' &&
    typeof sight === 'string' &&
    (height === null || (typeof height === 'number' && height > 0 && height <= 2000))
  );
}

/** Saves the view when the view or the page goes away. */
export function useSavedState(
  program: Program,
  opening: Opening,
  state: ViewState,
  panes: Panes,
  frame: RefObject<HTMLElement>,
): void {
  const latest = useRef({ state, panes, program, opening });
  latest.current = { state, panes, program, opening };
  const { sight } = panes;
  const before = useRef(sight);
  useEffect(() => {
    if (sight !== before.current) store(sightOf(program), sight);
    before.current = sight;
  }, [sight]);
  useEffect(() => {
    const ending = new AbortController();
    const element = frame.current;
    const save = () => {
      const { state, panes, program, opening } = latest.current;
      const dragged = Number.parseFloat(element?.style.height ?? '');
      const height = Number.isNaN(dragged) ? null : dragged;
      const name = nameOf(program, state.stage, opening);
      store(name, { view: memoOf(state), panes: { ...panes, height } });
    };
    window.addEventListener('pagehide', save, { signal: ending.signal });
    return () => {
      ending.abort();
      save();
    };
  }, []);
}

const tabOf = (program: Program): string => `tab of ${identityOf(program)}`;

/** The last open tab; null if its stage is not here, because no stage is made without a request. */
export function savedTab(program: Program, all: string): string | null {
  const found = load(tabOf(program));
  const isHere = found === all || program.stages.some(({ kind }) => kind === found);
  return typeof found === 'string' && isHere ? found : null;
}

export const saveTab = (program: Program, kind: string): void => store(tabOf(program), kind);

const EXACT = 'exact text';

/** True if texts are shown as JAX and XLA print them, with nothing left out. */
export const showsExactText = (): boolean => load(EXACT) === true;

export const saveExactText = (exact: boolean): void => store(EXACT, exact);

const HINT_KEY = 'jaxviz understood';

/** True if the reader has selected something before, so that no hint is needed. */
export function needsNoHint(): boolean {
  try {
    return localStorage.getItem(HINT_KEY) !== null;
  } catch {
    return false;
  }
}

export function saveUnderstood(): void {
  try {
    localStorage.setItem(HINT_KEY, 'yes');
  } catch {
    // Not allowed: the hint is shown again.
  }
}

/** The key in the browser's `sessionStorage`, which lasts until the browser's tab is closed. Other
 * code may write there too, so all data is checked. */
const STORAGE_KEY = 'jaxviz';
/** The most saved views, and the most characters of all together. */
const MOST_ENTRIES = 40;
const LONGEST_STORE = 300_000;

/** The saved data if the page may not use that storage. */
let fallback = '';

/** The data saved under a name; null if there is none. */
function load(name: string): unknown {
  return storedEntries().find(([one]) => one === name)?.[1] ?? null;
}

/** Saves data under a name, and removes the oldest if there is too much. */
function store(name: string, memo: unknown): void {
  const others = storedEntries().filter(([one]) => one !== name);
  const all: [unknown, unknown][] = [[name, memo], ...others];
  let entries = all.slice(0, MOST_ENTRIES);
  while (entries.length > 0 && JSON.stringify(entries).length > LONGEST_STORE) {
    entries = entries.slice(0, Math.floor(entries.length / 2));
  }
  fallback = JSON.stringify(entries);
  try {
    sessionStorage.setItem(STORAGE_KEY, fallback);
  } catch {
    // Not allowed, or full: the data lasts as long as the page.
  }
}

function storedEntries(): [unknown, unknown][] {
  try {
    const data: unknown = JSON.parse(stored() || '[]');
    return Array.isArray(data)
      ? data.filter((one): one is [unknown, unknown] => Array.isArray(one))
      : [];
  } catch {
    return [];
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(STORAGE_KEY) ?? '';
  } catch {
    return fallback;
  }
}

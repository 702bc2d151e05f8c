/** Keeps how the reader left each view, for when the page or the view is opened again. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Differences } from '../../facts/differences';
import type { Opening, Program, Stage } from '../../schema';
import { openingOf, type Preferences } from '../../state/preferences';
import { isMemo, memoOf, startFrom, type ViewState } from '../../state/view-state';

/** How the panes of a stage's view are sized, and which are shown. */
export interface Panes {
  /** The share of the width (or of the height, above the text) that the graph has, percent; null where the
   * reader has not changed it. */
  share: number | null;
  outline: boolean;
  /** The name of the sight that stands beside the graph. */
  sight: string;
  /** The height of the view, px; null where the reader has not changed it. */
  height: number | null;
}

const FIRST_PANES: Panes = { share: null, outline: false, sight: 'text', height: null };

/** What a program is known by: its name, and the cell or file of its code, as others may have the same name. */
function knownAs({ name, listings: [own] }: Program): string {
  return own ? `${name} in ${own.cell ?? own.file}` : name;
}

/** The name under which a view is kept. It has the opening in it, so that with other options the
 * view starts afresh. */
function nameOf(program: Program, { kind }: Stage, opening: Opening): string {
  const { compared } = program;
  const name = knownAs(program);
  const { stage, ...others } = opening;
  const opens = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
  return compared
    ? `${name}: ${compared.before} → ${compared.after}, ${compared.marks.length}${opens}`
    : `${kind} of ${name}${opens}`;
}

/** The name under which it is kept what stands beside the graph. It is the same for all stages of a
 * program, as a reader of one table wants that of the next stage too. */
const sightOf = (program: Program): string => `sight of ${knownAs(program)}`;

/** A stage as the reader left it, perhaps in a view of an older capture. */
export function asLeft(
  program: Program,
  stage: Stage,
  differences: Differences | null,
  chosen: Opening,
  preferred: Preferences,
): { state: ViewState; panes: Panes } {
  const found = recall(nameOf(program, stage, chosen));
  const { view, panes } = Object(found) as { view?: unknown; panes?: unknown };
  const known = isPanes(panes) ? panes : FIRST_PANES;
  const sight = recall(sightOf(program));
  const opening = openingOf(chosen, preferred.opening);
  return {
    state: startFrom(stage, differences, isMemo(view) ? view : null, opening, null),
    panes: typeof sight === 'string' ? { ...known, sight } : known,
  };
}

/** Whether data that was kept is what it should be. */
function isPanes(data: unknown): data is Panes {
  const { share, outline, sight, height } = Object(data) as Partial<Record<keyof Panes, unknown>>;
  return (
    (share === null || (typeof share === 'number' && Math.abs(share - 50) <= 35)) &&
    typeof outline === 'boolean' &&
    typeof sight === 'string' &&
    (height === null || (typeof height === 'number' && height > 0 && height <= 2000))
  );
}

/** Keeps the view as it is when the view or the page goes away. */
export function useKept(
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
    if (sight !== before.current) keep(sightOf(program), sight);
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
      keep(name, { view: memoOf(state), panes: { ...panes, height } });
    };
    window.addEventListener('pagehide', save, { signal: ending.signal });
    return () => {
      ending.abort();
      save();
    };
  }, []);
}

const tabOf = (program: Program): string => `tab of ${knownAs(program)}`;

/** The tab that was open last; null where its stage is not here, as no stage is made without being
 * asked for. */
export function leftTab(program: Program, all: string): string | null {
  const found = recall(tabOf(program));
  const isHere = found === all || program.stages.some(({ kind }) => kind === found);
  return typeof found === 'string' && isHere ? found : null;
}

export const keepTab = (program: Program, kind: string): void => keep(tabOf(program), kind);

const EXACT = 'exact text';

/** Whether texts are shown as JAX and XLA print them, with nothing left out. */
export const isExact = (): boolean => recall(EXACT) === true;

export const keepExact = (exact: boolean): void => keep(EXACT, exact);

const UNDERSTOOD = 'jaxviz understood';

/** Whether the reader has selected something before, so that no help is needed to do so. */
export function isUnderstood(): boolean {
  try {
    return localStorage.getItem(UNDERSTOOD) !== null;
  } catch {
    return false;
  }
}

export function keepUnderstood(): void {
  try {
    localStorage.setItem(UNDERSTOOD, 'yes');
  } catch {
    // Refused: then the sentence comes again.
  }
}

/** The key in the browser's `sessionStorage`, which holds views until the browser's tab is closed.
 * Other code may write there too, so all that is read is checked. */
const STORAGE_KEY = 'jaxviz';
/** The most views that are kept, and the most characters that they take together. */
const MOST_KEPT = 40;
const LONGEST_KEPT = 300_000;

/** What is kept where the page may not use that storage. */
let fallback = '';

/** What is kept under a name; null where nothing is. */
function recall(name: string): unknown {
  return keptEntries().find(([one]) => one === name)?.[1] ?? null;
}

/** Keeps something under a name, and forgets what is oldest where there is too much. */
function keep(name: string, memo: unknown): void {
  const others = keptEntries().filter(([one]) => one !== name);
  const all: [unknown, unknown][] = [[name, memo], ...others];
  let kept = all.slice(0, MOST_KEPT);
  while (kept.length > 0 && JSON.stringify(kept).length > LONGEST_KEPT) {
    kept = kept.slice(0, Math.floor(kept.length / 2));
  }
  fallback = JSON.stringify(kept);
  try {
    sessionStorage.setItem(STORAGE_KEY, fallback);
  } catch {
    // Refused, or full: then it lasts as long as the page.
  }
}

function keptEntries(): [unknown, unknown][] {
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

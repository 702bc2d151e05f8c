import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Differences } from '../facts/compared/differences';
import type { Opening, Program, Stage } from '../schema';
import { openingOf } from '../state/opening';
import type { Preferences } from '../state/preferences';
import { isMemo, memoOf, startFrom } from '../state/remember';
import type { ViewState } from '../state/view-state';
import { keep, recall } from './shelf';

/** How the panes stand to one another. */
export interface Panes {
  /** Of the graph, percent. */
  share: number;
  outline: boolean;
  /** The name of what is seen beside the graph. */
  sight: string;
  /** Of the whole, px; null where the reader has not changed it. */
  height: number | null;
}

const FIRST: Panes = { share: 58, outline: false, sight: 'text', height: null };

/** Of a program that opens in another way than the one before all is seen anew. */
function nameOf({ name, compared }: Program, { kind }: Stage, opening: Opening): string {
  const { stage, ...others } = opening;
  const opens = Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : '';
  return compared
    ? `${name}: ${compared.before} → ${compared.after}, ${compared.marks.length}${opens}`
    : `${kind} of ${name}${opens}`;
}

/** Whoever reads the table of one stage wants that of the next one. */
const sightOf = ({ name }: Program): string => `sight of ${name}`;

/** A stage of a program as it was left, perhaps by a view of an older capture of it. */
export function left(
  program: Program,
  stage: Stage,
  differences: Differences | null,
  chosen: Opening,
  preferred: Preferences,
): { state: ViewState; panes: Panes } {
  const found = recall(nameOf(program, stage, chosen));
  const { view, panes } = Object(found) as { view?: unknown; panes?: unknown };
  const known = isPanes(panes) ? panes : FIRST;
  const sight = recall(sightOf(program));
  const opening = openingOf(chosen, preferred.opening);
  return {
    state: startFrom(stage, differences, isMemo(view) ? view : null, opening),
    panes: typeof sight === 'string' ? { ...known, sight } : known,
  };
}

function isPanes(data: unknown): data is Panes {
  const { share, outline, sight, height } = Object(data) as Partial<Record<keyof Panes, unknown>>;
  return (
    typeof share === 'number' &&
    Math.abs(share - 50) <= 35 &&
    typeof outline === 'boolean' &&
    typeof sight === 'string' &&
    (height === null || (typeof height === 'number' && height > 0 && height <= 2000))
  );
}

/** Keeps the view as it is when it or the page goes. */
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

const tabOf = ({ name }: Program): string => `tab of ${name}`;

/** The tab that was open last, where what it shows is here: none is made without being asked for. */
export function leftTab(program: Program, all: string): string | null {
  const found = recall(tabOf(program));
  const isHere = found === all || program.stages.some(({ kind }) => kind === found);
  return typeof found === 'string' && isHere ? found : null;
}

export const keepTab = (program: Program, kind: string): void => keep(tabOf(program), kind);

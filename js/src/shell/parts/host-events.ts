/** The DOM events between views and their host: what is selected, pointed at and asked for. Views
 * do not know their host, so that one code runs in JupyterLab, in a notebook's page and in a saved
 * file. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CapturedLine, capturedLine } from '../../facts/linked/edited-lines';
import { type Focus, type LineFocus, type Linked, linked } from '../../facts/linked/linked';
import { leadsToEqns } from '../../facts/linked/source-lines';
import type { Frame, Listing, Page, Program } from '../../schema';
import type { Announced, Later } from '../../state/panel/notebook-selection';

/** From a view: something else is selected in it, or pointed at. */
export const SELECTED = 'jaxviz:selected';

export type SelectedEvent = Announced;

/** To a view: select this. */
export const SELECT = 'jaxviz:select';

type SelectEvent = Focus;

/** To a view: have a stage made, or no longer wait for it. */
export const MAKE = 'jaxviz:make';

export interface MakeEvent {
  kind: string;
  wanted: boolean;
}

/** To a view: this line of a cell is pointed at, or none any more (null). */
export const POINT = 'jaxviz:point';

export type PointEvent = {
  cell: string;
  /** Counted from 1 in the lines that the cell has now. */
  line: number;
  lines: readonly string[];
} | null;

/** What is pointed at in the notebook: a line of a cell, and what that is linked to; or just the
 * cell, if the line was edited since it was captured. */
export type PointedLine = { focus: LineFocus; links: Linked } | { edited: Listing };

/** Selects the elements of the views that these events are of. */
export const VIEWS = '.jxv-program';

/** From a view: show a line of a cell or of a file. */
export const SOURCE = 'jaxviz:source';

/** A line of a cell or a file as it was when it was captured. It may have been edited since. */
export interface SourceEvent extends CapturedLine {
  /** Null for a line of a file. */
  cell: string | null;
  file: string;
}

/** From a view: can this file be opened? */
export const FILE = 'jaxviz:file';

export interface FileEvent {
  /** Its path, relative to the folder in which the kernel was started. */
  file: string;
  /** The host calls it if the file can be opened. */
  found: () => void;
}

/** From a view: the lines of cells that stand for what is selected in it, or pointed at. */
export const LINES = 'jaxviz:lines';

export interface LinesEvent {
  of: 'selected' | 'pointed';
  /** The lines, counted from 1 in their cells. */
  lines: { cell: string; line: number }[];
  /** The expressions in them, where they are known. */
  frames: readonly Frame[];
  /** The cells as they were when the program was captured, which may have been edited since. */
  listings: readonly Listing[];
}

/** From a view: can these lines of a cell be replaced, or replace them. */
export const EDIT = 'jaxviz:edit';

export interface EditEvent {
  /** Whether to do it; else the host only tells whether it can. */
  wanted: boolean;
  cell: string;
  /** The first of the lines, from 1. */
  first: number;
  before: readonly string[];
  lines: readonly string[];
  /** The host calls it with what became of it. */
  tell: (fate: 'possible' | 'edited') => void;
  /** The host calls it with one sentence on why it could not. */
  refuse: (why: string) => void;
}

/** From a view: is there a place of its own for this page of text, or open it there. */
export const PAGE = 'jaxviz:page';

export interface PageEvent {
  page: Page;
  /** Whether to open it; else the host only tells whether it can. */
  wanted: boolean;
  /** The host calls it if it can. */
  possible: () => void;
}

/** To a view: open its export menu. */
export const EXPORT = 'jaxviz:export';

/** Selects what opens the export menu, within a view. */
export const EXPORTS = '.jxv-menu-more';

/** Calls `asked` when the host asks for the export menu of the view around an element. The returned
 * function ends that. */
export function onExport(element: Element | null, asked: () => void): () => void {
  const view = element?.closest(VIEWS);
  view?.addEventListener(EXPORT, asked);
  return () => view?.removeEventListener(EXPORT, asked);
}

/** Tells the host what is selected in a view, anew whenever `turn` grows, and what is pointed at:
 * in the view, which the returned function is told, else `elsewhere`. */
export function useAnnounced(
  element: RefObject<HTMLElement>,
  now: { program: Program; later: Later | null; selected: Focus | null; turn: number },
  elsewhere: Focus | null,
): (focus: Focus | null) => void {
  const latest = useRef({ ...now, elsewhere, own: null as Focus | null, told: false });
  const before = useRef<{ selected: Focus | null; turn: number }>({ selected: null, turn: 0 });
  const isGone = useRef(false);
  Object.assign(latest.current, now, { elsewhere });
  const tell = () => {
    const { program, later, selected, turn, elsewhere, own, told } = latest.current;
    const pointed = own ?? elsewhere;
    latest.current.told = selected !== null || pointed !== null;
    if (isGone.current || (!told && !latest.current.told)) return;
    const again = selected === before.current.selected && turn === before.current.turn;
    before.current = { selected, turn };
    const detail: SelectedEvent = { program, later, selected, again, pointed };
    element.current?.dispatchEvent(new CustomEvent(SELECTED, { bubbles: true, detail }));
  };
  useEffect(tell, [now.program, now.later?.asked, now.selected, now.turn, elsewhere]);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  return (focus) => {
    if (focus === latest.current.own) return;
    latest.current.own = focus;
    tell();
  };
}

/** Does what events of the host ask for: selects something, or has stages made. */
export function useAsked(
  element: RefObject<HTMLElement>,
  select: (focus: Focus) => void,
  make: (told: MakeEvent) => void,
): void {
  const latest = useRef({ select, make });
  latest.current = { select, make };
  useEffect(() => {
    const { current } = element;
    const selecting = (event: Event) =>
      latest.current.select((event as CustomEvent<SelectEvent>).detail);
    const making = (event: Event) => latest.current.make((event as CustomEvent<MakeEvent>).detail);
    current?.addEventListener(SELECT, selecting);
    current?.addEventListener(MAKE, making);
    return () => {
      current?.removeEventListener(SELECT, selecting);
      current?.removeEventListener(MAKE, making);
    };
  }, []);
}

/** The line of a cell that the host says is pointed at, if it is one that the program was made
 * from. */
export function usePointedLine(
  element: RefObject<HTMLElement>,
  program: Program,
): PointedLine | null {
  const [told, setTold] = useState<PointEvent>(null);
  useEffect(() => {
    const { current } = element;
    const hear = (event: Event) => setTold((event as CustomEvent<PointEvent>).detail);
    current?.addEventListener(POINT, hear);
    return () => current?.removeEventListener(POINT, hear);
  }, []);
  return useMemo(() => told && pointedIn(program, told), [program, told]);
}

function pointedIn(
  { listings, stages }: Program,
  { cell, line, lines }: NonNullable<PointEvent>,
): PointedLine | null {
  const own = listings.filter((one) => one.cell === cell);
  const [edited] = own;
  if (!edited) return null;
  const captured = capturedLine(own, lines, line);
  if (captured === null) return { edited };
  const focus: LineFocus = { stage: 'source', line: { cell, file: edited.file, line: captured } };
  const [jaxpr] = stages;
  if (jaxpr?.kind !== 'jaxpr' || !leadsToEqns(jaxpr, focus.line)) return null;
  return { focus, links: linked(stages, focus) };
}

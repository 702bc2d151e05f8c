/** The DOM events between views and their host: selections, pointing and requests. Views do not know
 * their host, so the same code runs in JupyterLab, in a notebook's page and in a saved file. */
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type CapturedLine, capturedLine } from '../../facts/linked/edited-lines';
import { type Focus, type LineFocus, type Linked, linked } from '../../facts/linked/linked';
import { leadsToEqns } from '../../facts/linked/source-lines';
import type { Frame, Listing, Page, Program } from '../../schema';
import type { Announced, Later } from '../../state/panel/notebook-selection';

/** From a view: another item is selected or pointed at. */
export const SELECTED = 'jaxviz:selected';

export type SelectedEvent = Announced;

/** To a view: select this. */
export const SELECT = 'jaxviz:select';

type SelectEvent = Focus;

/** To a view: request a stage, or cancel the request. */
export const MAKE = 'jaxviz:make';

export interface MakeEvent {
  kind: string;
  wanted: boolean;
}

/** To a view: this line of a cell is pointed at, or no line any more (null). */
export const POINT = 'jaxviz:point';

export type PointEvent = {
  cell: string;
  /** Counted from 1 in the present lines of the cell. */
  line: number;
  lines: readonly string[];
} | null;

/** The pointed-at line of a cell with its links; or only the cell, if the line was edited after
 * capture. */
export type PointedLine = { focus: LineFocus; links: Linked } | { edited: Listing };

/** Selects the elements of views. */
export const VIEWS = '.jxv-program';

/** From a view: show a line of a cell or of a file. */
export const SOURCE = 'jaxviz:source';

/** A line of a cell or a file as it was captured. It may have been edited since. */
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
  /** Called by the host if the file can be opened. */
  found: () => void;
}

/** From a view: the lines of cells of its selected or pointed-at item. */
export const LINES = 'jaxviz:lines';

export interface LinesEvent {
  of: 'selected' | 'pointed';
  /** The lines, counted from 1 in their cells. */
  lines: { cell: string; line: number }[];
  /** The expressions in them, if they are known. */
  frames: readonly Frame[];
  /** The cells as they were captured. They may have been edited since. */
  listings: readonly Listing[];
}

/** From a view: can these lines of a cell be replaced, or: replace them. */
export const EDIT = 'jaxviz:edit';

export interface EditEvent {
  /** True to replace them; false to ask if that is possible. */
  wanted: boolean;
  cell: string;
  /** The first of the lines, from 1. */
  first: number;
  before: readonly string[];
  lines: readonly string[];
  /** Called by the host with the result. */
  report: (state: 'possible' | 'edited') => void;
  /** Called by the host with one sentence on a failure. */
  refuse: (why: string) => void;
}

/** From a view: is there a place for this help page, or: open it there. */
export const PAGE = 'jaxviz:page';

export interface PageEvent {
  page: Page;
  /** True to open it; false to ask if that is possible. */
  wanted: boolean;
  /** Called by the host if it is possible. */
  possible: () => void;
}

/** To a view: open its export menu. */
export const EXPORT = 'jaxviz:export';

/** Selects the element that opens the export menu, within a view. */
export const EXPORTS = '.jxv-menu-more';

/** Calls `asked` when the host requests the export menu of the view around an element. Returns a
 * function that ends that. */
export function onExport(element: Element | null, asked: () => void): () => void {
  const view = element?.closest(VIEWS);
  view?.addEventListener(EXPORT, asked);
  return () => view?.removeEventListener(EXPORT, asked);
}

/** Announces to the host what is selected in a view, again whenever `turn` grows, and what is
 * pointed at: the item that the returned function gets, else `elsewhere`. */
export function useAnnounced(
  element: RefObject<HTMLElement>,
  now: { program: Program; later: Later | null; selected: Focus | null; turn: number },
  elsewhere: Focus | null,
): (focus: Focus | null) => void {
  const latest = useRef({ ...now, elsewhere, own: null as Focus | null, wasAnnounced: false });
  const before = useRef<{ selected: Focus | null; turn: number }>({ selected: null, turn: 0 });
  const isGone = useRef(false);
  Object.assign(latest.current, now, { elsewhere });
  const announce = () => {
    const { program, later, selected, turn, elsewhere, own, wasAnnounced } = latest.current;
    const pointed = own ?? elsewhere;
    latest.current.wasAnnounced = selected !== null || pointed !== null;
    if (isGone.current || (!wasAnnounced && !latest.current.wasAnnounced)) return;
    const again = selected === before.current.selected && turn === before.current.turn;
    before.current = { selected, turn };
    const detail: SelectedEvent = { program, later, selected, again, pointed };
    element.current?.dispatchEvent(new CustomEvent(SELECTED, { bubbles: true, detail }));
  };
  useEffect(announce, [now.program, now.later?.asked, now.selected, now.turn, elsewhere]);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  return (focus) => {
    if (focus === latest.current.own) return;
    latest.current.own = focus;
    announce();
  };
}

/** Handles events of the host: to select an item, or to request a stage. */
export function useAsked(
  element: RefObject<HTMLElement>,
  select: (focus: Focus) => void,
  make: (request: MakeEvent) => void,
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

/** The line of a cell that the host points at, if the program contains it. */
export function usePointedLine(
  element: RefObject<HTMLElement>,
  program: Program,
): PointedLine | null {
  const [event, setEvent] = useState<PointEvent>(null);
  useEffect(() => {
    const { current } = element;
    const receive = (message: Event) => setEvent((message as CustomEvent<PointEvent>).detail);
    current?.addEventListener(POINT, receive);
    return () => current?.removeEventListener(POINT, receive);
  }, []);
  return useMemo(() => event && pointedIn(program, event), [program, event]);
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

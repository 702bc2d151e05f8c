/** DOM events with which views tell their host what is selected in them, and are told. */
import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { capturedLine } from '../model/linked/edited';
import { type Line, leadsToEqns } from '../model/linked/lines';
import { type Focus, type Linked, linked } from '../model/linked/linked';
import type { Announced } from '../model/panel/selection';
import type { Listing, Program } from '../schema';

/** From a view, whenever what is selected in it or pointed at is another. */
export const SELECTED = 'jaxviz:selected';

export type SelectedEvent = Announced;

/** To a view: select this. */
export const SELECT = 'jaxviz:select';

export type SelectEvent = Focus;

/** To a view: this line of a cell is pointed at, or no longer any. */
export const POINT = 'jaxviz:point';

export type PointEvent = {
  cell: string;
  /** From 1, in the lines that the cell has now. */
  line: number;
  lines: readonly string[];
} | null;

/** A line of a cell that is pointed at outside the view, and what it is linked to; or a cell whose
 * line there was edited since. */
export type PointedLine = { line: Line; links: Linked } | { edited: Listing };

/** The selector of the views that these events are of. */
export const VIEWS = '.jxv-program';

/** Says what is selected in a view; what is returned says what is pointed at. */
export function useAnnounced(
  element: RefObject<HTMLElement>,
  program: Program,
  later: boolean,
  selected: Focus | null,
): (focus: Focus | null) => void {
  const latest = useRef({ program, later, selected, pointed: null as Focus | null, told: false });
  const isGone = useRef(false);
  const { current: now } = latest;
  now.program = program;
  now.later = later;
  now.selected = selected;
  const tell = () => {
    const { program, later, selected, pointed, told } = now;
    now.told = selected !== null || pointed !== null;
    if (isGone.current || (!told && !now.told)) return;
    const detail: SelectedEvent = { program, later, selected, pointed };
    element.current?.dispatchEvent(new CustomEvent(SELECTED, { bubbles: true, detail }));
  };
  useEffect(tell, [program, selected]);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  return (focus) => {
    if (focus === now.pointed) return;
    now.pointed = focus;
    tell();
  };
}

/** Does what a host asks of a view. */
export function useAsked(element: RefObject<HTMLElement>, select: (focus: Focus) => void): void {
  const latest = useRef(select);
  latest.current = select;
  useEffect(() => {
    const { current } = element;
    const asked = (event: Event) => latest.current((event as CustomEvent<SelectEvent>).detail);
    current?.addEventListener(SELECT, asked);
    return () => current?.removeEventListener(SELECT, asked);
  }, []);
}

/** The line of a cell that the host says is pointed at, where it is one of a program. */
export function usePointedLine(
  element: RefObject<HTMLElement>,
  program: Program,
): PointedLine | null {
  const [pointed, setPointed] = useState<PointedLine | null>(null);
  const latest = useRef(program);
  latest.current = program;
  useEffect(() => {
    const { current } = element;
    const told = (event: Event) => {
      const { detail } = event as CustomEvent<PointEvent>;
      setPointed(detail && pointedIn(latest.current, detail));
    };
    current?.addEventListener(POINT, told);
    return () => current?.removeEventListener(POINT, told);
  }, []);
  return pointed;
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
  const found: Line = { cell, file: edited.file, line: captured };
  const [jaxpr] = stages;
  if (jaxpr?.kind !== 'jaxpr' || !leadsToEqns(jaxpr, found)) return null;
  return { line: found, links: linked(stages, { stage: 'source', line: found }) };
}

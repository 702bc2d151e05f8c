/** DOM events with which views tell their host what is selected in them, and are told. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Focus } from '../model/linked/linked';
import type { Announced } from '../model/panel/selection';
import type { Program } from '../schema';

/** From a view, whenever what is selected in it or pointed at is another. */
export const SELECTED = 'jaxviz:selected';

export type SelectedEvent = Announced;

/** To a view: select this. */
export const SELECT = 'jaxviz:select';

export type SelectEvent = Focus;

/** Says what is selected in a view; what is returned says what is pointed at. */
export function useAnnounced(
  element: RefObject<HTMLElement>,
  program: Program,
  selected: Focus | null,
): (focus: Focus | null) => void {
  const latest = useRef({ program, selected, pointed: null as Focus | null, told: false });
  const isGone = useRef(false);
  const { current: now } = latest;
  now.program = program;
  now.selected = selected;
  const tell = () => {
    const { program, selected, pointed, told } = now;
    now.told = selected !== null || pointed !== null;
    if (isGone.current || (!told && !now.told)) return;
    const detail: SelectedEvent = { program, selected, pointed };
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

/** What is selected and pointed at in the views of one notebook: the value that the inspector shows. */

import type { Focus } from '../../facts/linked/linked';
import type { Program } from '../../schema';
import type { RequestState } from '../kernel-requests';

/** What a view of a program announces: what is selected in it, and what is pointed at. */
export interface Announced {
  program: Program;
  later: Later | null;
  selected: Focus | null;
  /** Whether `selected` was announced before, and something else in here is new. */
  again: boolean;
  pointed: Focus | null;
}

/** Says that a program has later stages, or that they can be made. */
export interface Later {
  /** How making each stage goes, by its kind; null if no kernel can make any. */
  asked: ReadonlyMap<string, RequestState> | null;
}

/** Something in a program, and the view in which it was selected or pointed at. */
export interface Chosen<View = unknown> {
  program: Program;
  /** Null if the program has its jaxpr alone. */
  later: Later | null;
  focus: Focus;
  view: View;
}

/** What was last selected in the views of a notebook, and what is pointed at. It is never changed in
 * place. */
export interface Selection<View = unknown> {
  selected: Chosen<View> | null;
  pointed: Chosen<View> | null;
}

export const NOTHING_SELECTED: Selection<never> = { selected: null, pointed: null };

/**
 * The selection after a view has announced something.
 *
 * A view can only take back what it announced itself. A line of a cell that is pointed at may be in
 * several views: `isNearer` says which of two the inspector then shows.
 */
export function afterAnnouncement<View>(
  { selected, pointed }: Selection<View>,
  { program, later, again, ...now }: Announced,
  view: View,
  isNearer: (one: View, other: View) => boolean,
): Selection<View> {
  const next = (focus: Focus | null, before: Chosen<View> | null) =>
    focus ? { program, later, focus, view } : before?.view === view ? null : before;
  const isFarther = now.pointed !== null && pointed !== null && isNearer(pointed.view, view);
  const isElsewhere = again && selected?.view !== view;
  return {
    selected: isElsewhere ? selected : next(now.selected, selected),
    pointed: isFarther ? pointed : next(now.pointed, pointed),
  };
}

/** The selection after some views were removed. */
export function withoutViews<View>(
  { selected, pointed }: Selection<View>,
  isGone: (view: View) => boolean,
): Selection<View> {
  const left = (one: Chosen<View> | null) => (one && isGone(one.view) ? null : one);
  return { selected: left(selected), pointed: left(pointed) };
}

/** What the inspector shows: what is selected, or what is pointed at while nothing is selected. */
export const inspected = <View>({ selected, pointed }: Selection<View>): Chosen<View> | null =>
  selected ?? pointed;

/** The selection of a notebook as the inspector uses it. */
export interface Selecting {
  now(): Selection;
  /** Calls `changed` after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
  /** Selects something else in the inspected program, and in the view where that was selected. */
  select(focus: Focus): void;
  /** Asks that view to make a stage, or to wait for it no longer. */
  make(kind: string, wanted: boolean): void;
}

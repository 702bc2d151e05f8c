/** The selected and the pointed-at item in the views of one notebook, as the inspector shows them. */

import type { Focus } from '../../facts/linked/linked';
import type { Program } from '../../schema';
import type { RequestState } from '../kernel-requests';

/** A view's announcement: its selected and its pointed-at item. */
export interface Announced {
  program: Program;
  later: Later | null;
  selected: Focus | null;
  /** True if `selected` was announced before, and something else is new. */
  again: boolean;
  pointed: Focus | null;
}

/** Later stages of a program that exist or can be made. */
export interface Later {
  /** The state of each request for a stage, by kind; null if no kernel can make any. */
  asked: ReadonlyMap<string, RequestState> | null;
}

/** An item of a program, and the view in which it was selected or pointed at. */
export interface Chosen<View = unknown> {
  program: Program;
  /** Null if the program has its jaxpr only. */
  later: Later | null;
  focus: Focus;
  view: View;
}

/** The last selected and the pointed-at item in the views of a notebook. It is never changed in
 * place. */
export interface Selection<View = unknown> {
  selected: Chosen<View> | null;
  pointed: Chosen<View> | null;
}

export const NOTHING_SELECTED: Selection<never> = { selected: null, pointed: null };

/**
 * The selection after an announcement of a view.
 *
 * A view can only take back its own announcements. A pointed-at line of a cell may be in several
 * views: `isNearer` says which of two the inspector shows.
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

/** The inspector's item: the selected one, or the pointed-at one if nothing is selected. */
export const inspected = <View>({ selected, pointed }: Selection<View>): Chosen<View> | null =>
  selected ?? pointed;

/** The selection of a notebook, for the inspector. */
export interface Selecting {
  now(): Selection;
  /** Calls `changed` after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
  /** Selects another item of the inspected program, also in its view. */
  select(focus: Focus): void;
  /** Requests a stage from that view, or cancels the request. */
  make(kind: string, wanted: boolean): void;
}

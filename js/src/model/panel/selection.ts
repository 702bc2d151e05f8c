import type { Program } from '../../schema';
import type { Asked } from '../kernel';
import type { Focus } from '../linked/linked';

/** What a view of a program says of itself: what is selected in it, and what is pointed at. */
export interface Announced {
  program: Program;
  later: Later | null;
  selected: Focus | null;
  /** What is selected was told before: only something else is new. */
  again: boolean;
  pointed: Focus | null;
}

/** That a program has later stages, here or to be made. */
export interface Later {
  /** What has become of asking for each; null where no kernel can make them. */
  asked: ReadonlyMap<string, Asked> | null;
}

/** Something in a program, and the view that it was chosen in. */
export interface Chosen<View = unknown> {
  program: Program;
  /** Null of one that has but its jaxpr. */
  later: Later | null;
  focus: Focus;
  view: View;
}

/** What was selected last in the views of a notebook, and what is pointed at. A value. */
export interface Selection<View = unknown> {
  selected: Chosen<View> | null;
  pointed: Chosen<View> | null;
}

export const NOTHING: Selection<never> = { selected: null, pointed: null };

/**
 * After a view has said something: of its own it takes back what it no longer has.
 *
 * A line that is pointed at may be in several views: `isNearer` says which of two is told of.
 */
export function heard<View>(
  { selected, pointed }: Selection<View>,
  { program, later, again, ...now }: Announced,
  view: View,
  isNearer: (one: View, other: View) => boolean,
): Selection<View> {
  const next = (focus: Focus | null, before: Chosen<View> | null) =>
    focus ? { program, later, focus, view } : before?.view === view ? null : before;
  const isLess = now.pointed !== null && pointed !== null && isNearer(pointed.view, view);
  const isElsewhere = again && selected?.view !== view;
  return {
    selected: isElsewhere ? selected : next(now.selected, selected),
    pointed: isLess ? pointed : next(now.pointed, pointed),
  };
}

/** After views are gone. */
export function without<View>(
  { selected, pointed }: Selection<View>,
  isGone: (view: View) => boolean,
): Selection<View> {
  const left = (one: Chosen<View> | null) => (one && isGone(one.view) ? null : one);
  return { selected: left(selected), pointed: left(pointed) };
}

/** What there is to tell of: what is pointed at is told of only while nothing is selected. */
export const inspected = <View>({ selected, pointed }: Selection<View>): Chosen<View> | null =>
  selected ?? pointed;

/** The selection of a notebook, followed. */
export interface Selecting {
  now(): Selection;
  /** Calls after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
  /** Selects something else of the program that is inspected, also in the view that it was chosen in. */
  select(focus: Focus): void;
  /** Has its view make a stage, or no longer wait for it. */
  make(kind: string, wanted: boolean): void;
}

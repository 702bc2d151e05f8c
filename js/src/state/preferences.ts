/** How a program is first shown: as its author chose (the `Opening` record, read from data that may
 * be anything), else as the reader prefers, from the settings of the host. */
import type { Schema } from '../facts/wire/records';
import { type Opening, RECORDS } from '../schema';

/** The members of an `Opening` in some data. The data may come from a notebook's file, the classes
 * of a page or a host's settings: anything that is no member, or has a value that the member cannot
 * have, is left out. */
export function openingIn(data: unknown): Opening {
  const given = new Map<string, unknown>(Object.entries(Object(data)));
  const members = Object.entries<Schema>(RECORDS.Opening).filter(
    ([name, schema]) => given.get(name) != null && mayBe(given.get(name), schema),
  );
  return Object.fromEntries(members.map(([name]) => [name, given.get(name)]));
}

function mayBe(value: unknown, { anyOf, type, enum: choices, minimum = 0 }: Schema): boolean {
  if (anyOf) return anyOf.some((one) => mayBe(value, one));
  if (choices) return choices.some((one) => one === value);
  return type === 'integer' && Number.isSafeInteger(value) && (value as number) >= minimum;
}

/** How a program opens: as its author chose and, in what the author left open, as the reader
 * prefers. Where neither says, the default stands at the place of use. */
export function openingOf(chosen: Opening, preferred: Opening): Opening {
  // A depth and a number of boxes both say what is open: they come from the same hand.
  const opens = chosen.depth != null || chosen.boxes != null;
  const { depth, boxes, ...others } = preferred;
  return { ...(opens ? others : preferred), ...chosen };
}

/** The reader's preferences for all views. */
export interface Preferences {
  /** How programs open where their author did not say. */
  opening: Opening;
  /** Motion as the system is set, or none. */
  motion: 'system' | 'still';
  /** Where the details of a selection stand: in its view, or in the inspector alone. */
  details: 'view' | 'inspector';
  /** The kinds of findings that are not told. */
  ignored: readonly string[];
}

export const DEFAULT_PREFERENCES: Preferences = {
  opening: {},
  motion: 'system',
  details: 'view',
  ignored: [],
};

/** The preferences in some data, which a person may have written by hand: anything that is no
 * preference has its default. */
export function preferencesIn(data: unknown): Preferences {
  const { motion, details, ignored } = Object(data) as Record<string, unknown>;
  return {
    opening: openingIn(data),
    motion: motion === 'still' ? 'still' : 'system',
    details: details === 'inspector' ? 'inspector' : 'view',
    ignored: Array.isArray(ignored) ? ignored.filter((kind) => typeof kind === 'string') : [],
  };
}

/** Preferences that can change while a view is open. */
export interface PreferenceSource {
  /** Resolves once the preferences are known. */
  ready: Promise<void>;
  now(): Preferences;
  /** Calls `changed` after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/** For a host without settings: the defaults, which never change. */
export const FIXED_PREFERENCES: PreferenceSource = {
  ready: Promise.resolve(),
  now: () => DEFAULT_PREFERENCES,
  follow: () => undefined,
};

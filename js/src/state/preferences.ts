/** The way a program first opens: as its author chose (the `Opening` record, read from untrusted
 * data), else as the reader prefers, by the settings of the host. */
import type { Schema } from '../facts/wire/records';
import { type Opening, RECORDS } from '../schema';

/** The members of an `Opening` in some data, which may come from a notebook's file, the classes of a
 * page or a host's settings. Unknown members and members with a wrong value are left out. */
export function openingIn(data: unknown): Opening {
  const values = new Map<string, unknown>(Object.entries(Object(data)));
  const members = Object.entries<Schema>(RECORDS.Opening).filter(
    ([name, schema]) => values.get(name) != null && isAllowed(values.get(name), schema),
  );
  return Object.fromEntries(members.map(([name]) => [name, values.get(name)]));
}

function isAllowed(value: unknown, { anyOf, enum: choices, ...schema }: Schema): boolean {
  if (anyOf) return anyOf.some((one) => isAllowed(value, one));
  if (choices) return choices.some((one) => one === value);
  const { type, minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const isWhole = Number.isSafeInteger(value);
  const isOfType = isWhole || (type === 'number' && Number.isFinite(value));
  return (
    type !== 'null' && isOfType && (value as number) >= minimum && (value as number) <= maximum
  );
}

/** Combines the author's choices with the reader's preferences for the rest. If neither says, the
 * default is at the place of use. */
export function openingOf(chosen: Opening, preferred: Opening): Opening {
  // Depth and number of boxes both say what is open, so they come from the same person.
  const opens = chosen.depth != null || chosen.boxes != null;
  const { depth, boxes, ...others } = preferred;
  return { ...(opens ? others : preferred), ...chosen };
}

/** The reader's preferences for all views. */
export interface Preferences {
  /** The opening of programs whose author did not choose. */
  opening: Opening;
  /** Motion as in the system's settings, or none. */
  motion: 'system' | 'still';
  /** The place of the details: in the view, or only in the inspector. */
  details: 'view' | 'inspector';
  /** The kinds of findings that are not shown. */
  ignored: readonly string[];
}

export const DEFAULT_PREFERENCES: Preferences = {
  opening: {},
  motion: 'system',
  details: 'view',
  ignored: [],
};

/** The preferences in some data that a person may have written. Wrong values are replaced by
 * defaults. */
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
  /** Resolves once the preferences are read. */
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

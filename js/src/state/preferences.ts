/** What a reader prefers for all programs, from the settings of the host. */
import type { Opening } from '../schema';
import { openingIn } from './opening';

/** The reader's preferences for all views. */
export interface Preferences {
  /** How programs open where their author did not say. */
  opening: Opening;
  /** Motion as the system is set, or none. */
  motion: 'system' | 'still';
}

export const DEFAULT_PREFERENCES: Preferences = { opening: {}, motion: 'system' };

/** The preferences in some data, which a person may have written by hand: anything that is no
 * preference has its default. */
export function preferencesIn(data: unknown): Preferences {
  const { motion } = Object(data) as Record<string, unknown>;
  return { opening: openingIn(data), motion: motion === 'still' ? 'still' : 'system' };
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

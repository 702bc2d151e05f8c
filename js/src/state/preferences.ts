import type { Opening } from '../schema';
import { openingIn } from './opening';

/** What the reader prefers of all views. */
export interface Preferences {
  /** How programs open whose author did not say. */
  opening: Opening;
  /** As the system is set, or nothing moves. */
  motion: 'system' | 'still';
}

export const DEFAULTS: Preferences = { opening: {}, motion: 'system' };

/** What may have come from a person's hand: what is no preference is as by default. */
export function preferencesIn(data: unknown): Preferences {
  const { motion } = Object(data) as Record<string, unknown>;
  return { opening: openingIn(data), motion: motion === 'still' ? 'still' : 'system' };
}

/** Preferences that may change. */
export interface Preferring {
  /** Once they are known. */
  ready: Promise<void>;
  now(): Preferences;
  /** Calls after each change, until the signal aborts. */
  follow(changed: () => void, signal: AbortSignal): void;
}

/** Of a host that has no settings. */
export const UNCHANGED: Preferring = {
  ready: Promise.resolve(),
  now: () => DEFAULTS,
  follow: () => undefined,
};

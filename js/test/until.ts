import { vi } from 'vitest';

/** The time that a test waits for its condition, ms. Code that a view reads later comes in less than a
 * second, but not on a machine that does other work. */
const PATIENCE = 30_000;

/** Waits until something is there, or true, and returns it. */
export const until = <Found>(ready: () => Found) => vi.waitUntil(ready, PATIENCE);

/** Waits until what is expected no longer fails. */
export const untilHolds = (expectation: () => void) => vi.waitFor(expectation, PATIENCE);

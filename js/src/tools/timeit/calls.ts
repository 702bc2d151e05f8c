/** The timed calls, by size, and logarithmic scales for their times. */
import type { Sentence, Timed, Timing } from '../../schema';
import { pageSentence } from '../../words/kernel-text';

/** A timed call. */
export interface TimedCall extends Timing {
  /** Its number among all calls. */
  index: number;
  said: Sentence;
}

/** The calls, grouped by size, in the order in which they were made. */
export function bySize({ timings, said }: Timed): TimedCall[][] {
  const sizes = new Map<number | null, TimedCall[]>();
  timings.forEach((timing, index) => {
    const call = { ...timing, index, said: said[index] ?? pageSentence('') };
    sizes.set(timing.size, [...(sizes.get(timing.size) ?? []), call]);
  });
  return [...sizes.values()];
}

/** Seconds until the compiled program is ready. */
export const readyIn = ({ trace, lower, compile }: Timing): number => trace + lower + compile;

/** A logarithmic scale between whole powers of ten, or between two values. */
export interface LogScale {
  /** The powers of ten on it. */
  ticks: number[];
  /** The position of a value, from 0 to 1. */
  at: (value: number) => number;
}

/** The scale of times, between powers of ten. */
export function scaleOf(values: readonly number[]): LogScale {
  const positive = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...positive)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...positive))), low + 1);
  return scale(low, high);
}

/** The scale of sizes, from the smallest to the largest. */
export const scaleBetween = (values: readonly number[]): LogScale =>
  scale(Math.log10(Math.min(...values)), Math.log10(Math.max(...values)));

function scale(low: number, high: number): LogScale {
  const first = Math.ceil(low - 1e-9);
  const count = Math.max(0, Math.floor(high + 1e-9) - first + 1);
  return {
    ticks: Array.from({ length: count }, (_, index) => 10 ** (first + index)),
    at: (value) => (high > low ? (Math.log10(value) - low) / (high - low) : 0.5),
  };
}

/** What calls took: which of them are of one size, and where a time stands on a logarithmic scale. */
import type { Sentence, Timed, Timing } from '../../schema';
import { pageSentence } from '../../words/kernel-text';

/** A call, with what else is known of it. */
export interface TimedCall extends Timing {
  /** Its number among all calls. */
  index: number;
  said: Sentence;
}

/** The calls, those of one size together, in the order in which they were made. */
export function bySize({ timings, said }: Timed): TimedCall[][] {
  const sizes = new Map<number | null, TimedCall[]>();
  timings.forEach((timing, index) => {
    const call = { ...timing, index, said: said[index] ?? pageSentence('') };
    sizes.set(timing.size, [...(sizes.get(timing.size) ?? []), call]);
  });
  return [...sizes.values()];
}

/** Seconds until the compiled program is there. */
export const readyIn = ({ trace, lower, compile }: Timing): number => trace + lower + compile;

/** A logarithmic scale from whole powers of ten to whole powers of ten, or between two values. */
export interface LogScale {
  /** The powers of ten on it. */
  ticks: number[];
  /** Where a value stands, from 0 to 1. */
  at: (value: number) => number;
}

/** The scale of times: its ends are powers of ten. */
export function scaleOf(values: readonly number[]): LogScale {
  const known = values.filter((value) => value > 0);
  const low = Math.floor(Math.log10(Math.min(...known)));
  const high = Math.max(Math.ceil(Math.log10(Math.max(...known))), low + 1);
  return scale(low, high);
}

/** The scale of sizes: its ends are the smallest and the largest. */
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

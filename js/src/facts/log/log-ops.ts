/** Ops that JAX compiled one by one, outside of any jitted function: where they stand on the
 * timeline, and their words. */
import { __, _n } from '../../language';
import type { Log, Op } from '../../schema';
import { timeText } from '../describe';
import { type Scale, toPx } from './time-scale';

/** What was compiled op by op, what took longest first. */
export const opsOf = ({ ops }: Log): Op[] => [...ops].sort((a, b) => b.seconds - a.seconds);

/** How many compilations, and how long they took. */
export function totalOf({ ops }: Log): { compiles: number; seconds: number } {
  const sum = (of: (op: Op) => number) => ops.reduce((total, op) => total + of(op), 0);
  return { compiles: sum((op) => op.compiles), seconds: sum((op) => op.seconds) };
}

/** A part of the timeline in which an op was compiled, px from its left edge. */
export interface Stretch {
  op: Op;
  left: number;
  width: number;
}

/** The least width of a stretch, px: narrower ones could not be seen. */
const LEAST_STRETCH_WIDTH = 2;

/** The stretches that are in view. */
export function stretchesOf({ ops, start }: Log, scale: Scale): Stretch[] {
  return ops.flatMap((op) =>
    op.spans.flatMap((from, index) => {
      if (index % 2 === 1) return [];
      const left = Math.max(0, toPx(scale, from - start));
      const right = Math.min(scale.width, toPx(scale, (op.spans[index + 1] ?? from) - start));
      if (right < 0 || left > scale.width) return [];
      return [{ op, left, width: Math.max(LEAST_STRETCH_WIDTH, right - left) }];
    }),
  );
}

/** `jnp.sin, compiled twice, 12 ms`. */
export const opText = ({ name, compiles, seconds }: Op): string =>
  [name, compiledText(compiles), timeText(seconds)].join(', ');

export const compiledText = (compiles: number): string =>
  _n('%1 compilation', '%1 compilations', compiles);

/** Says why only first runs are counted. */
export const firstRunsText = (): string =>
  __('compiled when first run; later runs of the same op and types are not seen');

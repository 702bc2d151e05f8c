/** What a run told of the user's lines. */
import { thousands } from '../language';
import type { Frame } from '../schema';
import type { LineFocus } from './linked/linked';

/** A line of the user's and its eqn that is told of; -1 where none is. */
export interface ToldLine {
  frame: Frame | null;
  eqn: number;
}

/** What a line stands for in all stages and in the source: its eqn that is told of where the program
 * is whole, else all of the line; null where it is no line of the user's. */
export function focusOf({ frame, eqn }: ToldLine, isWhole: boolean): LineFocus | null {
  if (!frame) return null;
  const ofLine = { stage: 'source', line: frame } as const;
  return isWhole && eqn >= 0 ? { ...ofLine, eqns: [eqn] } : ofLine;
}

/** A number to three digits, as a magnitude is. */
export const signedText = (value: number | null): string =>
  (value ?? 0) < 0 ? `-${magnitudeText(-(value ?? 0))}` : magnitudeText(value);

/** A magnitude to three digits: `61,800`, `0.00123`, `4.65e+20`; empty where there is none. */
export function magnitudeText(largest: number | null): string {
  if (largest === null) return '';
  if (largest !== 0 && (largest >= 1e6 || largest < 1e-4)) return largest.toExponential(2);
  return thousands(Number(largest.toPrecision(3)));
}

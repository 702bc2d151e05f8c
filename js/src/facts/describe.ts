/** Short names: of an eqn, of a place in the source, and of any text that is too long. */
import { __ } from '../language';
import type { Eqn, Frame } from '../schema';

/** An eqn's label on its box: its primitive without the dialect, and the name of the function that
 * it calls. */
export function labelOf({ op, name }: Eqn): string {
  const plain = op.replace(/^(?:stablehlo|chlo|mhlo|func)\./, '');
  return name === '' ? plain : `${plain} ${name}`;
}

/** Where a frame stands, in the user's terms: `cell 3, line 4` or `train.py:12`. */
export function placeOf(frame: Pick<Frame, 'cell' | 'count' | 'file' | 'line'>): string {
  if (frame.count !== null) return __('cell %1, line %2', frame.count, frame.line);
  if (frame.cell !== null) return __('cell, line %1', frame.line);
  return `${frame.file}:${frame.line}`;
}

/** The start of a text, at most `longest` characters. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const chars = [...text];
  return chars.length <= longest ? text : `${chars.slice(0, longest - 1).join('')}…`;
}

/** The start and the end of a text, at most `longest` characters. */
export function middle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = Math.floor((longest - 1) / 2);
  return `${text.slice(0, start)}…${text.slice(text.length - (longest - 1 - start))}`;
}

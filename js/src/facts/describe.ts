import { __ } from '../language';
import type { Eqn, Frame } from '../schema';

/** What an eqn is called on its box: its primitive, without its dialect, and what it calls. */
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

export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const chars = [...text];
  return chars.length <= longest ? text : `${chars.slice(0, longest - 1).join('')}…`;
}

/** Without what is in the middle, where it is too long. */
export function middle(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const start = Math.floor((longest - 1) / 2);
  return `${text.slice(0, start)}…${text.slice(text.length - (longest - 1 - start))}`;
}

/** The expression of the user's code that a frame is: its text, and where it stands in its line. */
import type { Frame, Listing } from '../schema';

/** An expression in the first line that it takes, without the blanks at the line's ends. */
export interface Expression {
  before: string;
  /** As much of it as its first line has. */
  here: string;
  after: string;
  /** All of it on one line. */
  whole: string;
}

/** The expression of a frame, read from the code that the program was made from; null where that is not
 * known. Columns count characters, of which a text here may need two units each. */
export function expressionOf(frame: Frame, listings: readonly Listing[]): Expression | null {
  const { line, column, end_line: last, end_column: end, code } = frame;
  const listing = listings.find((one) => holds(one, frame));
  if (!listing || last < line || column < 1) return null;
  const lines = listing.text.split('\n').slice(line - listing.start, last - listing.start + 1);
  const rows = lines.map((text) => [...text]);
  const [first = []] = rows;
  if (rows.length < last - line + 1 || first.join('').trim() !== code) return null;
  const stop = last === line ? end - 1 : first.length;
  const parts = rows.map((row, at) =>
    row.slice(at === 0 ? column - 1 : 0, at === rows.length - 1 ? end - 1 : undefined).join(''),
  );
  return {
    before: first
      .slice(0, column - 1)
      .join('')
      .trimStart(),
    here: first.slice(column - 1, stop).join(''),
    after: first.slice(stop).join('').trimEnd(),
    whole: parts.map((part) => part.trim()).join(' '),
  };
}

const holds = ({ cell, file, start, text }: Listing, frame: Frame): boolean =>
  (cell === null ? frame.cell === null && file === frame.file : cell === frame.cell) &&
  start <= frame.line &&
  frame.line < start + text.split('\n').length;

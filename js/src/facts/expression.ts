/** The expression of the user's code that a frame is: its text, and where it stands in its line. */
import type { Frame, Listing } from '../schema';
import { presentLine } from './linked/edited-lines';

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
 * known. */
export function expressionOf(frame: Frame, listings: readonly Listing[]): Expression | null {
  const spans = spansOf(frame, listings);
  const [first] = spans;
  if (!first) return null;
  return {
    before: first.text.slice(0, first.from).trimStart(),
    here: first.text.slice(first.from, first.to),
    after: first.text.slice(first.to).trimEnd(),
    whole: spans.map(({ text, from, to }) => text.slice(from, to)).join(' '),
  };
}

/** The part of an expression that stands in one line. */
export interface Span {
  /** From 1. */
  line: number;
  /** From 0, in the units of a text here. */
  from: number;
  to: number;
}

/** Where the expression of a frame is in a text that may have been edited since; none where its lines
 * were edited, or are not known. */
export function presentSpans(
  frame: Frame,
  listings: readonly Listing[],
  present: readonly string[],
): Span[] {
  const captured = spansOf(frame, listings);
  const now = presentLine(listings, present, frame.line);
  if (now === null) return [];
  const moved = captured.map((span) => ({ ...span, line: span.line - frame.line + now }));
  const isSame = ({ line, text }: Written) => present[line - 1]?.trimEnd() === text.trimEnd();
  return moved.every(isSame) ? moved : [];
}

interface Written extends Span {
  /** The whole line. */
  text: string;
}

/** The parts of a frame's expression, without the blanks at their ends. Columns of a frame count
 * characters, of which a text here may need two units each. */
function spansOf(frame: Frame, listings: readonly Listing[]): Written[] {
  const { line, column, end_line: last, end_column: end, code } = frame;
  const listing = listings.find((one) => holds(one, frame));
  if (!listing || last < line || column < 1) return [];
  const rows = listing.text.split('\n').slice(line - listing.start, last - listing.start + 1);
  if (rows.length < last - line + 1 || rows[0]?.trim() !== code) return [];
  return rows.map((text, at) => ({
    line: line + at,
    text,
    from: at === 0 ? units(text, column - 1) : text.length - text.trimStart().length,
    to: at === rows.length - 1 ? units(text, end - 1) : text.trimEnd().length,
  }));
}

const units = (text: string, characters: number): number =>
  [...text].slice(0, characters).join('').length;

const holds = ({ cell, file, start, text }: Listing, frame: Frame): boolean =>
  (cell === null ? frame.cell === null && file === frame.file : cell === frame.cell) &&
  start <= frame.line &&
  frame.line < start + text.split('\n').length;

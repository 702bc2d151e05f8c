/** Lines of a cell that was edited since a program was captured from it. */
import type { Listing } from '../../schema';

/**
 * Where a line of a text is in another one, from 0: in what both begin with, or in what both end
 * with; null where that was edited. Blank lines at the end do not count.
 */
export function sameLine(
  from: readonly string[],
  to: readonly string[],
  at: number,
): number | null {
  const [before, after] = [trimmed(from), trimmed(to)];
  if (at < 0 || at >= before.length) return null;
  if (startsAlike(before, after, at + 1)) return at;
  const rest = before.length - at;
  return startsAlike(tail(before, rest), tail(after, rest), rest) ? after.length - rest : null;
}

function startsAlike(one: readonly string[], other: readonly string[], lines: number): boolean {
  if (other.length < lines) return false;
  for (let at = 0; at < lines; at++) if (!isSame(one[at]!, other[at]!)) return false;
  return true;
}

const tail = (lines: readonly string[], length: number) =>
  lines.slice(Math.max(0, lines.length - length));

/** Where a cell's text is not known, Python's is, and magics are calls there. */
function isSame(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd() || [one, other].every(isMagic);
}

const isMagic = (line: string): boolean => /^\s*(%|!|get_ipython\(\))/.test(line);

function trimmed(lines: readonly string[]): readonly string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1]?.trim() === '') length -= 1;
  return lines.slice(0, length);
}

const linesOf = ({ text }: Listing): string[] => text.split('\n');

/** The line, from 1, that a line of a cell's present text had when it was captured; null where it was
 * edited since, or was not kept. */
export function capturedLine(
  listings: readonly Listing[],
  present: readonly string[],
  line: number,
): number | null {
  for (const listing of listings) {
    const at = sameLine(present.slice(listing.start - 1), linesOf(listing), line - listing.start);
    if (at !== null) return at + listing.start;
  }
  return null;
}

/** The other way about. */
export function presentLine(
  listings: readonly Listing[],
  present: readonly string[],
  line: number,
): number | null {
  for (const listing of listings) {
    const at = sameLine(linesOf(listing), present.slice(listing.start - 1), line - listing.start);
    if (at !== null) return at + listing.start;
  }
  return null;
}

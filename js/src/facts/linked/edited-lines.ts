/** Lines of a cell that was edited since a program was captured from it. */
import type { Listing } from '../../schema';

/**
 * Where a line of a text is in another one, from 0: in what both begin with, in what both end with,
 * or between, where no other line is the same; null where it was edited. Blank lines at the end do
 * not count.
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
  if (startsAlike(tail(before, rest), tail(after, rest), rest)) return after.length - rest;
  return only(before, before[at]!) === at ? only(after, before[at]!) : null;
}

/** The only line that is the same as one; null where there are others, and of a blank one. */
function only(lines: readonly string[], line: string): number | null {
  const found = lines.flatMap((one, at) => (isSame(one, line) ? [at] : []));
  return line.trim() !== '' && found.length === 1 ? found[0]! : null;
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

/** Where a line was when it was captured. */
export interface Captured {
  /** From 1. */
  line: number;
  /** Its text, without the blanks around it; empty where that is not known. */
  code: string;
  listings: readonly Listing[];
}

/** Where that line is now, from 1; null where it is no more. Of a cell its listing tells, of a file,
 * of which that is but a part, the line's own text and those around it. */
export function presentPlace(
  { line, code, listings }: Captured,
  present: readonly string[],
): number | null {
  const own = listings.filter((one) => one.start <= line && line < one.start + linesOf(one).length);
  if (own.some(({ cell }) => cell !== null)) return presentLine(own, present, line);
  if (code === '') return line;
  const [listing] = own;
  const around = listing ? linesOf(listing) : [];
  const alike = present.flatMap((text, at) => (isLine(text, code) ? [at + 1] : []));
  const score = (found: number) => {
    const same = NEAR.filter((by) => {
      const text = around[line - (listing?.start ?? 0) + by];
      return text !== undefined && text.trimEnd() === present[found - 1 + by]?.trimEnd();
    });
    return same.length - Math.abs(found - line) / FAR;
  };
  return alike.sort((one, other) => score(other) - score(one))[0] ?? null;
}

/** Lines around one that tell it from others of the same text. */
const NEAR = [-3, -2, -1, 1, 2, 3];
/** More than there are lines. */
const FAR = 1e7;

/** Long lines are cut. */
function isLine(text: string, code: string): boolean {
  const cut = code.endsWith('…') ? code.slice(0, -1) : null;
  return text.trim() === code || (cut !== null && text.trim().startsWith(cut));
}

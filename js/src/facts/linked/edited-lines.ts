/** Follows source lines through edits: finds the line of a captured text in the present one, and the path of a
 * captured file beside the notebook. */
import type { Listing } from '../../schema';

/** The index, from 0, in one text of a line of another. A line is recognised in the common beginning or end of both
 * texts, or in between by its text, if that is unique. Null if it was edited. Blank lines at the end do not count. */
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

/** The index of the only line with this text; null for a blank line, and if there are several. */
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

/** True if two lines are the same. Any two magics count as the same: in the text that IPython makes of a cell,
 * `%time` is a call. */
function isSame(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd() || [one, other].every((line) => MAGIC.test(line));
}

const MAGIC = /^\s*(%|!|get_ipython\(\))/;

function trimmed(lines: readonly string[]): readonly string[] {
  let length = lines.length;
  while (length > 0 && lines[length - 1]?.trim() === '') length -= 1;
  return lines.slice(0, length);
}

const linesOf = ({ text }: Listing): string[] => text.split('\n');

/** The line (from 1) that line `line` of a cell had when it was captured; null if it was edited since, or is outside
 * of the captured part. */
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

/** The present line (from 1) in the cell of a captured line; null if it was edited. */
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

/** A source line as it was captured. */
export interface CapturedLine {
  /** From 1. */
  line: number;
  /** Its text without leading and trailing blanks; empty if it is not known. */
  code: string;
  listings: readonly Listing[];
}

/** The present line (from 1) of a captured line; null if it is gone. A cell was captured whole, so the lines around
 * decide. Of a file only a part was captured: the line with the same text whose neighbours match best is taken. */
export function presentPlace(
  { line, code, listings }: CapturedLine,
  present: readonly string[],
): number | null {
  const own = listings.filter((one) => one.start <= line && line < one.start + linesOf(one).length);
  if (own.some(({ cell }) => cell !== null)) return presentLine(own, present, line);
  if (code === '') return line;
  const [listing] = own;
  const around = listing ? linesOf(listing) : [];
  const alike = present.flatMap((text, at) => (isLine(text, code) ? [at + 1] : []));
  const score = (found: number) => {
    const same = NEIGHBOURS.filter((by) => {
      const text = around[line - (listing?.start ?? 0) + by];
      return text !== undefined && text.trimEnd() === present[found - 1 + by]?.trimEnd();
    });
    return same.length - Math.abs(found - line) / FARTHEST;
  };
  return alike.sort((one, other) => score(other) - score(one))[0] ?? null;
}

/** Distances of the neighbours that distinguish lines of the same text. */
const NEIGHBOURS = [-3, -2, -1, 1, 2, 3];
/** More than the lines of any file: distance only decides between lines whose neighbours match equally. */
const FARTHEST = 1e7;

/** True if a line has this code, which ends with `…` if it was cut. */
function isLine(text: string, code: string): boolean {
  const cut = code.endsWith('…') ? code.slice(0, -1) : null;
  return text.trim() === code || (cut !== null && text.trim().startsWith(cut));
}

/** The path on the server of a file given relative to a notebook; null if it is not below the folder of
 * the notebook. */
export function pathBeside(notebook: string, file: string): string | null {
  const parts = file.replaceAll('\\', '/').split('/');
  if (parts.some((part) => part === '' || part === '..' || /[:<>]/.test(part))) return null;
  const folder = /^.*[/:]/.exec(notebook)?.[0] ?? '';
  return folder + parts.join('/');
}

/** The source line of an eqn or a group, the expression in it, and the calls that led there. */
import type { Frame, Listing, Stage } from '../schema';
import { eqnAt, graphAt } from './graph';
import { enclosingEqn, type Id, parse, ROOT } from './ids';
import { presentLine } from './linked/edited-lines';

/** A source line with the calls that led to it. */
export interface Source {
  frame: Frame;
  /** The calls in the user's code that lead to it, outermost first; `frame` is the last. */
  stack: Frame[];
  /** True if JAX gave the eqn no line of its own: this is the line of an eqn around it. */
  inherited: boolean;
}

/** The source of an eqn; for a group, the innermost call that all of its eqns share. An eqn without a line of its own
 * takes that of the eqn whose body contains it at this place; other instances of a shared body may have another one. */
export function sourceOf(stage: Stage, id: Id): Source | null {
  if (id === ROOT) return null;
  const { path, step } = parse(id);
  if (step.kind === 'group') return sourceOfGroup(stage, path, step.index);
  const here = eqnAt(stage, id);
  if (!here) return null;
  const { frame, inherited } = inherit(stage, id);
  const found = stage.frames[frame ?? here.eqn.frame ?? -1];
  return found ? { frame: found, stack: stackOf(stage, found), inherited } : null;
}

function inherit(stage: Stage, id: Id): { frame: number | null; inherited: boolean } {
  for (let at: Id | null = id; at !== null; ) {
    const place = eqnAt(stage, at);
    if (!place) break;
    if (!place.eqn.inherited && place.eqn.frame !== null) {
      return { frame: place.eqn.frame, inherited: at !== id };
    }
    at = enclosingEqn(place.path);
  }
  return { frame: null, inherited: true };
}

function sourceOfGroup(stage: Stage, path: Id, index: number): Source | null {
  const graph = graphAt(stage, path);
  const group = graph?.groups[index];
  if (!graph || !group) return null;
  const frames = new Set<number>();
  for (const { frame, inherited } of graph.eqns.slice(group.start, group.stop)) {
    if (frame !== null && !inherited) frames.add(frame);
  }
  const paths = [...frames].map((frame) => pathTo(stage, frame));
  const [first, ...others] = paths;
  const apart = first?.findIndex((one, depth) =>
    others.some((path) => !isSameLine(stage, one, path[depth])),
  );
  const common = apart === -1 ? first : first?.slice(0, apart);
  const found = stage.frames[common?.at(-1) ?? -1];
  return found ? { frame: found, stack: stackOf(stage, found), inherited: false } : null;
}

/** True if two frames are on one line: calls at two columns of a line are two frames. */
function isSameLine(stage: Stage, one: number, other: number | undefined): boolean {
  const [a, b] = [stage.frames[one], stage.frames[other ?? -1]];
  return a?.line === b?.line && a?.file === b?.file && a?.function === b?.function;
}

/** The frames that lead to a frame, outermost first, and the frame itself. */
function pathTo(stage: Stage, frame: number): number[] {
  const path = [frame];
  for (let at = stage.frames[frame]?.parent ?? null; at !== null; ) {
    path.push(at);
    at = stage.frames[at]?.parent ?? null;
  }
  return path.reverse();
}

function stackOf(stage: Stage, frame: Frame): Frame[] {
  const stack = [frame];
  for (let at = stage.frames[frame.parent ?? -1]; at && stack.length < stage.frames.length; ) {
    stack.push(at);
    at = stage.frames[at.parent ?? -1];
  }
  return stack.filter((one) => one === frame || !one.library).reverse();
}

/** An expression in its first line, without the blanks at the line's ends. */
export interface Expression {
  before: string;
  /** The part of it in its first line. */
  here: string;
  after: string;
  /** All of it on one line. */
  whole: string;
}

/** The expression of a frame, read from the code that the program was made from; null if that is not known. */
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

/** The part of an expression in one line. */
export interface Span {
  /** From 1. */
  line: number;
  /** From 0, in UTF-16 code units. */
  from: number;
  to: number;
}

/** The spans of a frame's expression in a text that may have been edited since; none if its lines were edited, or are
 * not known. */
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

/** The parts of a frame's expression, without the blanks at their ends. Columns of a frame count characters; a
 * character may take two UTF-16 code units. */
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

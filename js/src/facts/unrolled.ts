/** Python loops that JAX unrolled: a row of equal groups of which each is one turn of a `for` or a
 * `while` in the user's code. JAX does not record loops, so they are read from the lines; where these leave any
 * doubt, nothing is said. */
import type { Frame, Graph, Listing, Stage } from '../schema';
import { graphAt } from './graph';
import { type Id, parse } from './ids';

export interface Unrolled {
  word: 'for' | 'while';
  /** The line that it begins on. */
  line: number;
  times: number;
}

type Loop = Omit<Unrolled, 'times'>;

/** What may call a function more than once in one turn, without a frame of its own. */
const CALLS_OFTEN =
  /\b(for|map|tree_map|tree_map_with_path|map_with_path|reduce|tree_reduce|accumulate|starmap|associative_scan|vectorize|filter)\b/;
/** What stands behind the name of a group that runs backward, or again: no turn of the loop itself. */
const DERIVED = /[⟵↻]$/u;

/** The loop that made the groups in a row; null for anything else, and where it is not certain. */
export function unrolledLoop(stage: Stage, id: Id, listings: readonly Listing[]): Unrolled | null {
  const { path, step } = parse(id);
  const graph = graphAt(stage, path);
  if (stage.kind !== 'jaxpr' || !graph || step.kind !== 'group') return null;
  const row = graph.groups[step.index];
  if (row?.kind !== 'repeat' || DERIVED.test(row.name)) return null;
  const turns = graph.groups.filter(({ parent }) => parent === step.index);
  const frames = framesOfTurn(graph, turns);
  const loop =
    frames &&
    loopOf(
      frames.map((frame) => wayTo(stage, frame)),
      listings,
    );
  return loop && { ...loop, times: turns.length };
}

/** The frames of one turn, if all turns were made by the same calls in the same order. */
function framesOfTurn(
  { eqns }: Graph,
  turns: readonly { start: number; stop: number }[],
): number[] | null {
  const [first, ...others] = turns.map(({ start, stop }) =>
    eqns.slice(start, stop).map(({ call }) => call ?? -1),
  );
  if (!first || first.includes(-1)) return null;
  return others.every((one) => one.join() === first.join()) ? [...new Set(first)] : null;
}

/** A frame after its callers. */
function wayTo({ frames }: Stage, frame: number): Frame[] {
  const way: Frame[] = [];
  for (let at = frames[frame]; at && way.length < frames.length; ) {
    way.push(at);
    at = frames[at.parent ?? -1];
  }
  return way.reverse();
}

/** The innermost loop around all calls of a turn. From where it is found on inwards, only the user's own
 * code may have made the calls, until they part: a turn goes through several places of one function,
 * and none of them again. */
function loopOf(ways: readonly (readonly Frame[])[], listings: readonly Listing[]): Loop | null {
  let found: Loop | null = null;
  for (let depth = 0; ; depth++) {
    const places = new Set(ways.map((way) => way[depth]));
    const loops = [...places].map((frame) => (frame ? loopAround(frame, listings) : 'unknown'));
    const [first] = loops;
    const known = first && first !== 'unknown' ? first : null;
    const isShared = loops.every((one) => typeof one === 'object' && one?.line === known?.line);
    if (isShared && known) found = known;
    if (loops.includes('unknown')) found = null;
    if (places.size > 1 || places.has(undefined)) return found;
  }
}

/** The loop around a place in its function; null where there is none, and `unknown` where its line may
 * hold another loop, or was not captured. */
function loopAround(frame: Frame, listings: readonly Listing[]): Loop | null | 'unknown' {
  const { line, library, cell, file, code } = frame;
  const listing = listings.find(
    (one) => one.cell === cell && (cell !== null || one.file === file) && one.start <= line,
  );
  const lines = listing?.text.split('\n').slice(0, line - listing.start + 1) ?? [];
  const own = lines.pop();
  if (library || own?.trim() !== code || CALLS_OFTEN.test(code) || !isBalanced(code)) {
    return 'unknown';
  }
  let indent = indentOf(own);
  for (let at = lines.length - 1; at >= 0; at--) {
    const text = lines[at] ?? '';
    if (/^\s*(#|$)/.test(text) || indentOf(text) >= indent) continue;
    if (!/:\s*(#.*)?$/.test(text)) return 'unknown';
    indent = indentOf(text);
    const [, word] = /^\s*(for|while|def|async|class)\b/.exec(text) ?? [];
    if (word === 'for' || word === 'while') return { word, line: listing!.start + at };
    if (word !== undefined) return null;
  }
  return null;
}

const indentOf = (text: string): number => text.length - text.trimStart().length;

/** Whether a line opens as many brackets as it closes, so that no expression goes on below it. */
const isBalanced = (code: string): boolean =>
  code.split(/[([{]/).length === code.split(/[)\]}]/).length;

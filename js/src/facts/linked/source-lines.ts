/** The source lines of a program, the eqns of the jaxpr that come from each, and the colour that a line and its eqns
 * share in the text of every stage. */
import type { Frame, Listing, Program, Stage } from '../../schema';
import { append, cached } from '../maps';
import { type Chain, eqnOf, numbersOf } from './origins';

/** A line of a cell or of a file. `cell` is null for a file. */
export interface LinePlace {
  cell: string | null;
  file: string;
  /** From 1. */
  line: number;
}

/** A line with its text, and the execution count of its cell. */
export type WrittenLine = LinePlace & Pick<Frame, 'code' | 'count'>;

/** A line with its text in the program's listings; null if they do not contain it. */
export function lineIn(listings: readonly Listing[], line: LinePlace): WrittenLine | null {
  for (const { cell, count, file, start, text } of listings) {
    const isIn = cell === null ? line.cell === null && file === line.file : cell === line.cell;
    const code = isIn ? text.split('\n')[line.line - start] : undefined;
    if (code !== undefined) return { ...line, count, code };
  }
  return null;
}

/** A key that is equal for the same line. A cell is identified by its id, since the name of its file changes with
 * each kernel. */
export const keyOf = ({ cell, file, line }: LinePlace): string =>
  cell === null ? `${line} ${file}` : `${line} cell ${cell}`;

/** The line of the innermost eqn of a chain with a line of its own, else the line inherited from an eqn around it. */
export function frameOf(jaxpr: Stage, chain: Chain): Frame | null {
  for (let at = chain.length - 1; at >= 0; at--) {
    const eqn = eqnOf(jaxpr, chain[at]!);
    if (eqn && !eqn.inherited && eqn.frame !== null) return jaxpr.frames[eqn.frame] ?? null;
  }
  const last = eqnOf(jaxpr, chain.at(-1) ?? -1);
  return jaxpr.frames[last?.frame ?? -1] ?? null;
}

/** The numbers of eqns by the key of a line. */
interface EqnsOfLines {
  /** Eqns that were written on the line. */
  own: Map<string, number[]>;
  /** Eqns without a line of their own, inside an eqn written on it. */
  inherited: Map<string, number[]>;
  /** Eqns of functions that are called from the line. */
  called: Map<string, number[]>;
}

const eqnsOfLines = cached((jaxpr: Stage): EqnsOfLines => {
  const found: EqnsOfLines = { own: new Map(), inherited: new Map(), called: new Map() };
  const around = jaxpr.frames.map((_, frame) => callersOf(jaxpr.frames, frame));
  const keys = jaxpr.frames.map(keyOf);
  let number = 0;
  for (const { eqns } of jaxpr.graphs) {
    for (const { frame, inherited } of eqns) {
      if (frame !== null) {
        append(inherited ? found.inherited : found.own, keys[frame] ?? '', number);
        if (!inherited) for (const one of around[frame] ?? []) append(found.called, one, number);
      }
      number += 1;
    }
  }
  return found;
});

/** The lines of the calls that led to a frame, without the frame's own line. */
function callersOf(frames: readonly Frame[], frame: number): ReadonlySet<string> {
  const lines = new Set<string>();
  let at = frames[frame]?.parent ?? null;
  for (let steps = 0; at !== null && steps < frames.length; steps++) {
    const caller = frames[at];
    if (!caller) break;
    lines.add(keyOf(caller));
    at = caller.parent;
  }
  lines.delete(keyOf(frames[frame] as Frame));
  return lines;
}

/** True if eqns were written on a line. */
const isOwn = (jaxpr: Stage, line: LinePlace): boolean => eqnsOfLines(jaxpr).own.has(keyOf(line));

/** True if a line has eqns of its own, or calls a function with eqns. */
export function leadsToEqns(jaxpr: Stage, line: LinePlace): boolean {
  const { own, inherited, called } = eqnsOfLines(jaxpr);
  return [own, inherited, called].some((one) => one.has(keyOf(line)));
}

/** The eqns of a line: those written on it, including their contents without a line of their own. If there are none:
 * those that inherit the line from an eqn around them, else those that the line calls. */
export function chainsOf(jaxpr: Stage, line: LinePlace): Chain[] {
  const key = keyOf(line);
  const { own, inherited, called } = eqnsOfLines(jaxpr);
  const found = own.get(key);
  if (found) return found.flatMap((number) => withInherited(jaxpr, number));
  return (
    inherited.get(key)?.map((number) => [number]) ??
    called.get(key)?.flatMap((number) => withInherited(jaxpr, number)) ??
    []
  );
}

function withInherited(jaxpr: Stage, number: number): Chain[] {
  const chains: Chain[] = [[number]];
  const seen = new Set<number>();
  const holders = [number];
  for (let holder = holders.pop(); holder !== undefined; holder = holders.pop()) {
    for (const { graph } of eqnOf(jaxpr, holder)?.bodies ?? []) {
      if (seen.has(graph)) continue;
      seen.add(graph);
      const start = numbersOf(jaxpr).starts[graph] ?? 0;
      jaxpr.graphs[graph]?.eqns.forEach(({ inherited, frame }, index) => {
        if (!inherited && frame !== null) return;
        chains.push([number, start + index]);
        holders.push(start + index);
      });
    }
  }
  return chains;
}

/** The number of colours: `--jxv-scope1-line` to `--jxv-scope8-line`. */
const TINT_COUNT = 8;

/** The number of a colour, from 1; 0 for none. */
export type Tint = number;

export interface Tints {
  /** By `keyOf` a line. */
  ofLine: ReadonlyMap<string, Tint>;
  /** The tints of the lines that an eqn of a stage comes from, by the eqn's number: its own first, then those of the
   * eqns that were fused into it. */
  ofEqn: (stage: Stage, number: number) => readonly Tint[];
}

/** The jaxpr of a program; null if it has none. */
export const jaxprOf = ({ stages }: Program): Stage | null =>
  stages.find(({ kind, error }) => kind === 'jaxpr' && error === null) ?? null;

/** Gives the lines with eqns the colours in turn, from the top; null if there is no jaxpr. */
export const tintsOf = cached((program: Program): Tints | null => {
  const jaxpr = jaxprOf(program);
  return jaxpr && tintsBy(jaxpr, program.listings);
});

function tintsBy(jaxpr: Stage, listings: readonly Listing[]): Tints {
  const ofLine = new Map<string, Tint>();
  for (const listing of listings) {
    listing.text.split('\n').forEach((_, index) => {
      const { cell, file, start } = listing;
      const line = { cell, file, line: start + index };
      const key = keyOf(line);
      if (isOwn(jaxpr, line) && !ofLine.has(key)) ofLine.set(key, (ofLine.size % TINT_COUNT) + 1);
    });
  }
  const byStage = new Map<Stage, Map<number, readonly Tint[]>>();
  const ofEqn = (stage: Stage, number: number): readonly Tint[] => {
    const ofStage = byStage.get(stage) ?? new Map<number, readonly Tint[]>();
    byStage.set(stage, ofStage);
    const found = ofStage.get(number) ?? tintsIn(jaxpr, ofLine, stage, number);
    ofStage.set(number, found);
    return found;
  };
  return { ofLine, ofEqn };
}

function tintsIn(
  jaxpr: Stage,
  ofLine: ReadonlyMap<string, Tint>,
  stage: Stage,
  number: number,
): readonly Tint[] {
  const tints = new Set<Tint>();
  const add = (one: number) => {
    const chain = stage === jaxpr ? [one] : (eqnOf(stage, one)?.origin ?? []);
    const frame = chain.length === 0 ? null : frameOf(jaxpr, chain);
    const tint = frame ? ofLine.get(keyOf(frame)) : undefined;
    if (tint !== undefined) tints.add(tint);
  };
  add(number);
  const eqn = eqnOf(stage, number);
  if (eqn?.op === 'fusion') {
    for (const { graph } of eqn.bodies) {
      const start = numbersOf(stage).starts[graph] ?? 0;
      stage.graphs[graph]?.eqns.forEach((_, index) => {
        add(start + index);
      });
    }
  }
  return [...tints];
}

/** The notes beside the lines of a cell: the share of the program's time or work of each line, the casts that it
 * makes, and the number of retraces of its function. */
import type { Eqn, Graph, Log, Program, Stage } from '../../schema';
import { castsIn } from '../colours/casts';
import { allOf, type Measure, measureOf, partOfLine } from '../colours/heat';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { shareOf } from '../text/describe';
import { keyOf } from './source-lines';

/** The note of a line of a cell. */
export interface LineNote {
  /** The line as it was captured, from 1. */
  line: number;
  /** The share of the program, by `measureOf` it; 0 if it is not known. */
  share: number;
  by: Measure;
  /** The casts between floating-point types, each once: `bf16→f32`. */
  casts: readonly string[];
  /** True if most layers of its kind make no such cast. */
  outlier: boolean;
  /** The number of retraces of the function that the line defines. */
  retraces: number;
}

const NO_NOTE = { share: 0, by: 'flops', casts: [], outlier: false, retraces: 0 } as const;

/** A line with a smaller share of the work shows none. */
const LEAST_SHARE = 0.005;

/** The notes of the lines of a cell that a program was made from. */
export function workIn({ stages }: Program, cell: string): LineNote[] {
  const [jaxpr] = stages;
  if (jaxpr?.kind !== 'jaxpr' || jaxpr.error !== null) return [];
  const lines = new Map(
    jaxpr.frames.flatMap((one) => (one.cell === cell ? [[one.line, one]] : [])),
  );
  const by = measureOf(jaxpr);
  return [...lines].flatMap(([line, frame]) => {
    const share = shareOf(partOfLine(jaxpr, keyOf(frame), by), allOf(jaxpr, by)) ?? 0;
    const casts = castsOf(jaxpr).get(keyOf(frame)) ?? { casts: [], outlier: false };
    const isShared = share >= LEAST_SHARE;
    if (!isShared && casts.casts.length === 0) return [];
    return [{ ...NO_NOTE, ...casts, line, share: isShared ? share : 0, by }];
  });
}

/** The casts between floating-point types that a line makes. */
interface CastsOfLine {
  /** Each once: `bf16→f32`. */
  casts: string[];
  outlier: boolean;
}

const IS_FLOAT = /^(?:b?float|complex)\d/;

/** The casts of each line, by its key: of arrays only, since JAX also casts the numbers of the user's code. */
const castsOf = cached((stage: Stage): ReadonlyMap<string, CastsOfLine> => {
  const found = new Map<string, CastsOfLine>();
  for (const { graph: number, eqn: index, from, to, outlier } of castsIn(stage)) {
    const graph = stage.graphs[number] as Graph;
    const { invars, outvars, frame } = graph.eqns[index] as Eqn;
    const at = stage.frames[frame ?? -1];
    const ends = [invars[0], outvars[0]].map((one) => avalOf(stage, graph, one as number));
    const isFloat = ends.every(({ dtype, shape }) => IS_FLOAT.test(dtype) && shape?.length);
    if (!at || !isFloat) continue;
    const own = found.get(keyOf(at)) ?? { casts: [], outlier: false };
    const casts = [...new Set([...own.casts, `${from}→${to}`])];
    found.set(keyOf(at), { casts, outlier: own.outlier || outlier !== null });
  }
  return found;
});

/** The number of retraces of the functions that a run of a cell defined, by the line of their definition. `count` is
 * the execution count of the run. */
export function retracedIn(
  { functions }: Pick<Log, 'functions'>,
  cell: string,
  count: number | null,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  for (const { definition, retraces } of functions) {
    if (definition?.cell !== cell || definition.count !== count || retraces === 0) continue;
    found.set(definition.line, Math.max(retraces, found.get(definition.line) ?? 0));
  }
  return found;
}

/** Both kinds of notes together, one per line, in the order of lines. */
export function notesOf(
  work: readonly LineNote[],
  retraces: ReadonlyMap<number, number>,
): LineNote[] {
  const notes = new Map(work.map((note) => [note.line, note]));
  for (const [line, times] of retraces) {
    const note = notes.get(line) ?? { ...NO_NOTE, line };
    notes.set(line, { ...note, retraces: times });
  }
  return [...notes.values()].sort((one, other) => one.line - other.line);
}

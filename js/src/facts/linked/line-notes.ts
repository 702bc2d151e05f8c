/** What stands beside the lines of a cell: the share of the program's time or work that each line has, the
 * casts that it makes, and how often JAX traced its function again. */
import type { Eqn, Frame, Graph, Log, Program, Stage } from '../../schema';
import { castsIn } from '../colours/casts';
import { allOf, type Measure, partOfLine } from '../colours/heat';
import { avalOf } from '../graph';
import { cached } from '../maps';
import { wholeOf } from '../numbers/costs';
import { shareOf } from '../text/describe';
import { keyOf } from './source-lines';

/** What is known of a line of a cell. */
export interface LineNote {
  /** As it was captured, from 1. */
  line: number;
  /** The share of the measured time, where runs were profiled; else of the program's flops, or of its
   * bytes where it has no flops; 0 where that is not known. */
  share: number;
  by: Measure;
  /** What floating-point arrays are cast from and to, each once: `bf16→f32`. */
  casts: readonly string[];
  /** Whether most layers like its own make no such cast. */
  stray: boolean;
  /** How often the function that the line defines was retraced. */
  again: number;
}

const NO_NOTE = { share: 0, by: 'flops', casts: [], stray: false, again: 0 } as const;

/** A line with a smaller share of the work bears no share. */
const LEAST_SHARE = 0.005;

/** The notes of the lines of a cell that a program was made from. */
export function workIn({ stages }: Program, cell: string): LineNote[] {
  const [jaxpr] = stages;
  if (jaxpr?.kind !== 'jaxpr' || jaxpr.error !== null) return [];
  const lines = new Map(
    jaxpr.frames.flatMap((one) => (one.cell === cell ? [[one.line, one]] : [])),
  );
  const by = jaxpr.times ? 'time' : wholeOf(jaxpr).flops ? 'flops' : 'bytes';
  return [...lines].flatMap(([line, frame]) => {
    const share = shareOf(partOfLine(jaxpr, keyOf(frame), by), allOf(jaxpr, by)) ?? 0;
    const casts = castsOf(jaxpr).get(keyOf(frame)) ?? { casts: [], stray: false };
    const isShared = share >= LEAST_SHARE;
    if (!isShared && casts.casts.length === 0) return [];
    return [{ ...NO_NOTE, ...casts, line, share: isShared ? share : 0, by }];
  });
}

/** The casts between floating-point types that a line makes. */
interface CastsOfLine {
  /** Each once: `bf16→f32`. */
  casts: string[];
  stray: boolean;
}

const IS_FLOAT = /^(?:b?float|complex)\d/;

/** The casts of each line, by its key: of arrays only, since JAX casts the numbers of one's code
 * too. */
const castsOf = cached((stage: Stage): ReadonlyMap<string, CastsOfLine> => {
  const found = new Map<string, CastsOfLine>();
  for (const { graph: number, eqn: index, from, to, stray } of castsIn(stage)) {
    const graph = stage.graphs[number] as Graph;
    const { invars, outvars, frame } = graph.eqns[index] as Eqn;
    const at = stage.frames[frame ?? -1];
    const ends = [invars[0], outvars[0]].map((one) => avalOf(stage, graph, one as number));
    const isTold = ends.every(({ dtype, shape }) => IS_FLOAT.test(dtype) && shape?.length);
    if (!at || !isTold) continue;
    const own = found.get(keyOf(at)) ?? { casts: [], stray: false };
    const casts = [...new Set([...own.casts, `${from}→${to}`])];
    found.set(keyOf(at), { casts, stray: own.stray || stray !== null });
  }
  return found;
});

/** How often functions that a cell defines were retraced, by the line of their definition. */
export function retracedIn({ functions }: Pick<Log, 'functions'>, cell: string) {
  const found = new Map<number, number>();
  for (const { definition, retraces } of functions) {
    if (definition === null || !isIn(definition, cell) || retraces === 0) continue;
    found.set(definition.line, Math.max(retraces, found.get(definition.line) ?? 0));
  }
  return found;
}

const isIn = (frame: Frame, cell: string): boolean => frame.cell === cell;

/** Both together, a note a line, in their order. */
export function notesOf(work: readonly LineNote[], again: ReadonlyMap<number, number>): LineNote[] {
  const notes = new Map(work.map((note) => [note.line, note]));
  for (const [line, times] of again) {
    const note = notes.get(line) ?? { ...NO_NOTE, line };
    notes.set(line, { ...note, again: times });
  }
  return [...notes.values()].sort((one, other) => one.line - other.line);
}

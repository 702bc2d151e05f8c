/** What stands beside the lines of a cell: the share of the program's work that each line has, the
 * casts that it makes, and how often JAX traced its function again. */
import type { Frame, Log, Program, Stage } from '../schema';
import { cached } from './cached';
import { shareOf } from './describe';
import { append } from './gather';
import { avalOf } from './graph';
import { keyOf } from './linked/source-lines';
import { lineCosts, wholeOf } from './numbers/costs';

/** What is known of a line of a cell. */
export interface LineNote {
  /** As it was captured, from 1. */
  line: number;
  /** The share of the program's flops, or of its bytes where it has no flops; 0 where that is not
   * known. */
  share: number;
  by: 'flops' | 'bytes';
  /** What floating-point arrays are cast from and to, each once: `bf16→f32`. */
  casts: readonly string[];
  /** How often the function that the line defines was traced again. */
  again: number;
}

/** A line with a smaller share of the work bears no share. */
const LEAST_SHARE = 0.005;

/** The notes of the lines of a cell that a program was made from. */
export function workIn({ stages }: Program, cell: string): LineNote[] {
  const [jaxpr] = stages;
  if (jaxpr?.kind !== 'jaxpr' || jaxpr.error !== null) return [];
  const lines = new Map(
    jaxpr.frames.flatMap((one) => (one.cell === cell ? [[one.line, one]] : [])),
  );
  const whole = wholeOf(jaxpr);
  const by = whole.flops ? 'flops' : 'bytes';
  return [...lines].flatMap(([line, frame]) => {
    const cost = lineCosts(jaxpr).get(keyOf(frame))?.[by] ?? null;
    const share = shareOf(cost, whole[by]) ?? 0;
    const casts = castsOf(jaxpr).get(keyOf(frame)) ?? [];
    const isTold = share >= LEAST_SHARE || casts.length > 0;
    return isTold ? [{ line, share: share >= LEAST_SHARE ? share : 0, by, casts, again: 0 }] : [];
  });
}

const FLOAT = /^(bfloat|float)\d/;

/** The casts between floating-point types that each line makes, by its key: of arrays only, since
 * JAX converts the numbers of one's code too. */
const castsOf = cached((stage: Stage): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const graph of stage.graphs) {
    for (const { op, invars, outvars, frame } of graph.eqns) {
      const [from, to] = [invars[0], outvars[0]].map((one) => avalOf(stage, graph, one ?? -1));
      const at = stage.frames[frame ?? -1];
      if (op !== 'convert_element_type' || !at || !from || !to) continue;
      const isCast = FLOAT.test(from.dtype) && FLOAT.test(to.dtype) && from.dtype !== to.dtype;
      const cast = `${short(from.text)}→${short(to.text)}`;
      const key = keyOf(at);
      const isNew = isCast && from.shape?.length && !found.get(key)?.includes(cast);
      if (isNew) append(found, key, cast);
    }
  }
  return found;
});

/** `bf16` of `bf16[8,64]`. */
const short = (type: string): string => type.split('[')[0] as string;

/** How often functions that a cell defines were traced again, by the line of their definition. */
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
    const note = notes.get(line) ?? { line, share: 0, by: 'flops', casts: [], again: 0 };
    notes.set(line, { ...note, again: times });
  }
  return [...notes.values()].sort((one, other) => one.line - other.line);
}

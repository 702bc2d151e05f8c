/** Finds where the text of a stage prints each eqn, and which eqn is printed at a place in the text. */
import type { Eqn, Stage } from '../../schema';
import { firstPaths, graphAt } from '../graph';
import { enclosingEqn, eqnId, graphPath, type Id, parse, ROOT } from '../ids';
import { plainKind } from '../kinds';
import { cached } from '../maps';

/** Characters `[from, to)` of a stage's text, as JavaScript counts them (UTF-16 code units). */
export interface Range {
  from: number;
  to: number;
}

/** The place where the text prints an eqn. Spans nest: `parent` is the index of the span directly around it, -1 at
 * the top. */
export interface Span extends Range {
  graph: number;
  eqn: number;
  bodies: boolean;
  parent: number;
}

/** The spans of all eqns, ordered by where they start. */
export const spansOf = cached((stage: Stage): readonly Span[] => {
  const units = unitsOf(stage.text);
  const spans: Span[] = [];
  for (const [graph, { eqns }] of stage.graphs.entries()) {
    for (let eqn = 0; eqn < eqns.length; eqn++) {
      const { span, bodies } = eqns[eqn] as Eqn;
      if (!span || span[1]! <= span[0]!) continue;
      const from = units(span[0]!);
      const to = units(span[1]!);
      spans.push({ from, to, graph, eqn, bodies: bodies.length > 0, parent: -1 });
    }
  }
  spans.sort((a, b) => a.from - b.from || b.to - a.to);
  nest(spans);
  return spans;
});

function nest(spans: Span[]): void {
  const around: number[] = [];
  spans.forEach((span, index) => {
    while (around.length > 0 && (spans[around.at(-1) as number] as Span).to <= span.from) {
      around.pop();
    }
    span.parent = around.at(-1) ?? -1;
    around.push(index);
  });
}

/** Returns a function from Python's count of characters (code points) to JavaScript's (UTF-16 code units). */
function unitsOf(text: string): (point: number) => number {
  const wide: number[] = [];
  let point = 0;
  if (/[\ud800-\udbff][\udc00-\udfff]/.test(text)) {
    for (const char of text) {
      if (char.length > 1) wide.push(point);
      point += 1;
    }
  }
  if (wide.length === 0) return (at) => at;
  return (at) => at + before(wide.length, (index) => (wide[index] as number) < at);
}

/** The number of indices below `length` that pass a test which, from some index on, always fails (binary search). */
function before(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The innermost eqn printed at a character of the text. */
export function spanAt(stage: Stage, offset: number): Span | null {
  const spans = spansOf(stage);
  let at = before(spans.length, (index) => (spans[index] as Span).from <= offset) - 1;
  while (at >= 0 && (spans[at] as Span).to <= offset) at = (spans[at] as Span).parent;
  return spans[at] ?? null;
}

/** The spans that start within `[from, to)`. */
export function spansIn(stage: Stage, { from, to }: Range): readonly Span[] {
  const spans = spansOf(stage);
  const first = before(spans.length, (index) => (spans[index] as Span).from < from);
  const last = before(spans.length, (index) => (spans[index] as Span).from < to);
  return spans.slice(first, last);
}

/** The id of an eqn. The text prints it once, but the picture may have many instances of it: the one that encloses
 * the selection or is next to it is taken, else the first. */
export function idOf(stage: Stage, { graph, eqn }: Span, selected: Id | null): Id | null {
  const wanted = stage.graphs[graph];
  for (let path: Id | null = selected === null ? null : graphPath(selected); path !== null; ) {
    if (graphAt(stage, path) === wanted) return eqnId(path, eqn);
    const outer = enclosingEqn(path);
    path = outer === null ? null : parse(outer).path;
  }
  const first = firstPaths(stage)[graph];
  return first === null || first === undefined ? null : eqnId(first, eqn);
}

/** The range in which the text prints an item; null if it does not print it in one piece. */
export function rangeOf(stage: Stage, id: Id): Range | null {
  if (id === ROOT) return null;
  const { path, step } = parse(id);
  if (step.kind === 'body') return bodyRange(stage, id) ?? rangeOf(stage, eqnId(path, step.eqn));
  const graph = graphAt(stage, path);
  if (!graph) return null;
  const number = stage.graphs.indexOf(graph);
  if (step.kind === 'eqn') return eqnRange(stage, number, step.index);
  if (step.kind !== 'group') return null;
  const group = graph.groups[step.index];
  return group ? runRange(stage, number, group.start, group.stop) : null;
}

/** The range of a body's eqns, since the place of the body itself is not known. */
function bodyRange(stage: Stage, path: Id): Range | null {
  const graph = graphAt(stage, path);
  return graph && runRange(stage, stage.graphs.indexOf(graph), 0, graph.eqns.length);
}

function runRange(stage: Stage, graph: number, start: number, stop: number): Range | null {
  const first = eqnRange(stage, graph, start);
  const last = eqnRange(stage, graph, stop - 1);
  return first && last ? { from: first.from, to: last.to } : null;
}

function eqnRange(stage: Stage, graph: number, eqn: number): Range | null {
  return rangesOf(stage)[graph]?.[eqn] ?? null;
}

/** The range of each eqn of each graph; undefined if the text does not print it. */
export const rangesOf = cached((stage: Stage): (Range | undefined)[][] => {
  const ranges: (Range | undefined)[][] = stage.graphs.map(() => []);
  for (const span of spansOf(stage)) {
    const ofGraph = ranges[span.graph];
    if (ofGraph) ofGraph[span.eqn] = span;
  }
  return ranges;
});

/** The character at which a text is first shown: the beginning of the program itself, after the functions that JAX
 * and XLA print before it. */
export const beginOf = cached((stage: Stage): number => {
  const { kind, text } = stage;
  const opening = OPENINGS.get(plainKind(kind));
  if (opening === undefined) return 0;
  const eqns = rangesOf(stage)[0] ?? [];
  const first = eqns.reduce((least, one) => Math.min(least, one?.from ?? least), text.length);
  return text.lastIndexOf(`\n${opening}`, first - 1) + 1;
});

/** The beginning of the line with which each kind of stage begins its program. */
const OPENINGS = new Map([
  ['jaxpr', '{ lambda'],
  ['hlo', 'ENTRY'],
]);

/** The id of the next eqn (`by` 1) or the previous one (-1) in the order of the text; null if there is none. */
export function besides(stage: Stage, id: Id | null, by: 1 | -1): Id | null {
  const spans = spansOf(stage);
  const range = id === null ? null : rangeOf(stage, id);
  const at = range ? before(spans.length, (one) => (spans[one] as Span).from < range.from) : -1;
  const next = spans[range === null && by < 0 ? spans.length - 1 : at + by];
  return next ? idOf(stage, next, id) : null;
}

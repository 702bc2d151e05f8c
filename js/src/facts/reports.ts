/** Reads the reports of tools: measured lines, statistics of values, the steps of a trace. */
import { thousands } from '../language';
import {
  type Bound,
  type Frame,
  type Graph,
  RECORDS,
  type Report,
  type Stage,
  type Steps,
  type TraceStep,
} from '../schema';
import { graphAt } from './graph';
import { parse } from './ids';
import type { LineFocus } from './linked/linked';
import { eqnOf, numbersOf } from './linked/origins';
import { cached } from './maps';
import type { Item } from './outline';
import { fits } from './wire/records';

/** True if the parts of a report fit together in ways that its schema does not say. */
function isWhole(report: Report): boolean {
  switch (report.tool) {
    case 'agree':
      return report.held.length > 0 || report.text !== '';
    case 'steps':
      return report.steps.every(({ frame }) => report.frames[frame] !== undefined);
    case 'timeit': {
      const { timings, said, programs } = report;
      const all = timings.length;
      return all > 0 && said.length === all && [0, all].includes(programs.length);
    }
    default:
      return true;
  }
}

/** The value as a tool's report; null if it is none, or if a list in it has more than `most` items. */
export const reportIn = (value: unknown, most?: number): Report | null =>
  fits(value, RECORDS.Display.report, most) && value !== null && isWhole(value as Report)
    ? (value as Report)
    : null;

/** A line of the user, and the eqn that was measured for it; -1 if there is none. */
export interface MeasuredLine {
  frame: Frame | null;
  eqn: number;
}

/** The focus of a line in all stages and in the source: its measured eqn if the program is whole, otherwise all of
 * the line. Null if it is no line of the user. */
export function focusOfLine({ frame, eqn }: MeasuredLine, isWhole: boolean): LineFocus | null {
  if (!frame) return null;
  const ofLine = { stage: 'source', line: frame } as const;
  return isWhole && eqn >= 0 ? { ...ofLine, eqns: [eqn] } : ofLine;
}

/** A number to three digits, as a magnitude. */
export const signedText = (value: number | null): string =>
  (value ?? 0) < 0 ? `-${magnitudeText(-(value ?? 0))}` : magnitudeText(value);

/** A magnitude to three digits: `61,800`, `0.00123`, `4.65e+20`; empty for null. */
export function magnitudeText(largest: number | null): string {
  if (largest === null) return '';
  if (largest !== 0 && (largest >= 1e6 || largest < 1e-4)) return largest.toExponential(2);
  return thousands(Number(largest.toPrecision(3)));
}

/** The largest magnitude of the finite elements (NaN if there are none), the numbers of NaN and
 * infinite elements, and the range of the elements. */
type VariableValues = readonly [largest: number, nan: number, inf: number, spread: string];

const valuesIn = cached(
  (stage: Stage): ReadonlyMap<Graph | undefined, ReadonlyMap<number, VariableValues>> => {
    const found = new Map<Graph | undefined, Map<number, VariableValues>>();
    for (const { eqn, largest, nan, inf, spread } of stage.values) {
      const graph = stage.graphs[numbersOf(stage).graphs[eqn] ?? -1];
      const of = found.get(graph) ?? new Map<number, VariableValues>();
      found.set(graph, of);
      eqnOf(stage, eqn)?.outvars.forEach((variable, at) => {
        const size = Number(largest[at] || Number.NaN);
        of.set(variable, [size, nan[at] ?? 0, inf[at] ?? 0, spread[at] ?? '']);
      });
    }
    return found;
  },
);

/** The largest known size; null if none is known. */
export const most = (sizes: readonly (number | null)[]): number | null =>
  sizes.reduce((a, b) => (b !== null && b >= (a ?? 0) ? b : a), null);

/** The largest finite magnitude of some values as text, the numbers of their elements that are not
 * finite (`3 NaN`, `1 inf`), and the range of a single value (`-3.2…4.1`). Empty if nothing is
 * measured. */
export function valuesOf(stage: Stage, graph: Graph, variables: readonly number[]) {
  const measured = variables.flatMap((one) => {
    const found = valuesIn(stage).get(graph)?.get(one);
    return found ? [found] : [];
  });
  const size = most(measured.map(([largest]) => largest));
  const flaws = (['NaN', 'inf'] as const).flatMap((name, at) => {
    const count = measured.reduce((sum, one) => sum + (one[at === 0 ? 1 : 2] ?? 0), 0);
    return count > 0 ? [`${thousands(count)} ${name}`] : [];
  });
  const [ends = ''] = measured.length === 1 ? measured.map((one) => one[3]) : [];
  const spread = ends === '' ? '' : ends.split('…').map(Number).map(signedText).join('…');
  return { size, largest: magnitudeText(size), flaws, spread };
}

/** The largest finite magnitude of an eqn's results; null if none is measured. */
export function largestOf(stage: Stage, number: number, eqn: number): number | null {
  const graph = stage.graphs[number];
  return graph ? valuesOf(stage, graph, graph.eqns[eqn]?.outvars ?? []).size : null;
}

/** A name in the current call, and whether the step set it. */
export interface BoundName extends Bound {
  isNew: boolean;
}

/** The focus of a step in all stages and in the source: its own eqns if the program is whole, else its line. */
export function focusOfStep(
  { frames, steps }: Steps,
  at: number,
  isWhole: boolean,
): LineFocus | null {
  const step = steps[at];
  const frame = step && frames[step.frame];
  if (!frame) return null;
  const ofLine = { stage: 'source', line: frame } as const;
  return isWhole ? { ...ofLine, eqns: step.eqns } : ofLine;
}

/** The eqns that JAX had recorded after a step, by number. */
export const recordedBy = ({ steps }: Steps, at: number): ReadonlySet<number> =>
  new Set(steps.slice(0, at + 1).flatMap(({ eqns }) => eqns));

/** A test for the items of a jaxpr that exist once these eqns are recorded: inputs, and items that cover one of the
 * eqns. */
export function recordedIn(stage: Stage, eqns: ReadonlySet<number>): (item: Item) => boolean {
  const { starts } = numbersOf(stage);
  return ({ id, kind, start, stop }) => {
    if (start === stop) return kind !== 'output';
    const graph = graphAt(stage, parse(id).path);
    const first = graph ? (starts[stage.graphs.indexOf(graph)] ?? 0) : 0;
    for (let eqn = first + start; eqn < first + stop; eqn++) if (eqns.has(eqn)) return true;
    return false;
  };
}

/** True if a function that a step called has added eqns. */
export function hasCalled({ steps }: Steps, at: number): boolean {
  const { depth } = steps[at] as TraceStep;
  const before = steps.slice(0, at).map((one) => one.depth > depth);
  return steps.slice(before.lastIndexOf(false) + 1, at).some(({ eqns }) => eqns.length > 0);
}

/** The names of the call that a step is in, after the step. */
export function namesAt({ steps }: Steps, at: number): BoundName[] {
  const names = new Map<string, BoundName>();
  const { depth } = steps[at] as TraceStep;
  for (let index = 0; index <= at; index++) {
    const step = steps[index] as TraceStep;
    if (step.depth < depth || (step.kind === 'enter' && step.depth === depth)) names.clear();
    if (step.depth !== depth) continue;
    for (const one of step.bound) names.set(one.name, { ...one, isNew: index === at });
  }
  return [...names.values()];
}

/** The next step outside all functions that this one enters; the last if there is none. */
export function over({ steps }: Steps, at: number): number {
  const depth = steps[at]?.depth ?? 0;
  const from = steps[at]?.kind === 'enter' ? depth - 1 : depth;
  const next = steps.findIndex((one, index) => index > at && one.depth <= from);
  return next < 0 ? steps.length - 1 : next;
}

/** The first step after the loop that a step is in; null if its line does not run again. */
export function behindLoop({ steps }: Steps, at: number): number | null {
  const now = steps[at];
  if (!now) return null;
  const returns = steps.findIndex((one, index) => index > at && one.depth < now.depth);
  const call = steps.slice(0, returns < 0 ? steps.length : returns);
  const isSame = ({ depth, kind, frame }: TraceStep) =>
    depth === now.depth && kind === now.kind && frame === now.frame;
  const last = call.map(isSame).lastIndexOf(true);
  if (last <= at) return null;
  const seen = new Set(call.slice(at, last + 1).map(({ frame }) => frame));
  const next = steps.findIndex(({ frame }, index) => index > last && !seen.has(frame));
  return next < 0 ? steps.length - 1 : next;
}

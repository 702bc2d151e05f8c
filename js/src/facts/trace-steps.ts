/** The steps of a trace: what is known at each of them, and where the reader may go from there. */
import type { Bound, Stage, Steps, TraceStep } from '../schema';
import { graphAt } from './graph';
import { parse } from './ids';
import type { LineFocus } from './linked/linked';
import { numbersOf } from './linked/origins';
import type { Item } from './outline';

/** A name that the call which runs has, and whether the step set it. */
export interface KnownName extends Bound {
  isNew: boolean;
}

/** What a step stands for in all stages and in the source: its own eqns where the program is whole,
 * else its line. */
export function focusOf({ frames, steps }: Steps, at: number, isWhole: boolean): LineFocus | null {
  const step = steps[at];
  const frame = step && frames[step.frame];
  if (!frame) return null;
  const ofLine = { stage: 'source', line: frame } as const;
  return isWhole ? { ...ofLine, eqns: step.eqns } : ofLine;
}

/** The eqns that JAX had recorded after a step, by number. */
export const recordedBy = ({ steps }: Steps, at: number): ReadonlySet<number> =>
  new Set(steps.slice(0, at + 1).flatMap(({ eqns }) => eqns));

/** A test for the items of a jaxpr that are there once these eqns are recorded: inputs, and what
 * covers one of the eqns. */
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

/** Whether a function that a step called has added eqns. */
export function hasCalled({ steps }: Steps, at: number): boolean {
  const { depth } = steps[at] as TraceStep;
  const before = steps.slice(0, at).map((one) => one.depth > depth);
  return steps.slice(before.lastIndexOf(false) + 1, at).some(({ eqns }) => eqns.length > 0);
}

/** The names of the call that a step is in, as they stand after it. */
export function namesAt({ steps }: Steps, at: number): KnownName[] {
  const names = new Map<string, KnownName>();
  const { depth } = steps[at] as TraceStep;
  for (let index = 0; index <= at; index++) {
    const step = steps[index] as TraceStep;
    if (step.depth < depth || isEntry(step, depth)) names.clear();
    if (step.depth !== depth) continue;
    for (const one of step.bound) names.set(one.name, { ...one, isNew: index === at });
  }
  return [...names.values()];
}

const isEntry = ({ kind, depth }: TraceStep, at: number): boolean =>
  kind === 'enter' && depth === at;

/** The next step that is in no function which this one enters; the last where there is none. */
export function over({ steps }: Steps, at: number): number {
  const depth = steps[at]?.depth ?? 0;
  const from = steps[at]?.kind === 'enter' ? depth - 1 : depth;
  const next = steps.findIndex((one, index) => index > at && one.depth <= from);
  return next < 0 ? steps.length - 1 : next;
}

/** The first step behind the loop that a step is in; null where its line does not run again. */
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

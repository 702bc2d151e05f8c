/** The curve of live bytes: many eqns in few columns, and which eqns and graphs an id stands for on
 * it. */
import type { Stage } from '../../schema';
import { eqnAt, graphAt } from '../graph';
import { bodyId, graphPath, type Id, parse, ROOT } from '../ids';
import { isWithin, runsOfBody } from './runs';

/** A long list of numbers drawn in few columns: the largest number of each column, and its index in
 * the list. */
export interface Curve {
  values: Float64Array;
  at: Int32Array;
}

/** The curve of a list in at most `most` columns; one column for each number where those are
 * fewer. */
export function curveOf(numbers: Float64Array, most: number): Curve {
  const columns = Math.max(0, Math.min(numbers.length, Math.floor(most)));
  const values = new Float64Array(columns);
  const at = new Int32Array(columns);
  for (let column = 0; column < columns; column++) {
    const start = Math.floor((column * numbers.length) / columns);
    const stop = Math.floor(((column + 1) * numbers.length) / columns);
    let best = start;
    for (let index = start; index < stop; index++)
      if (numbers[index]! > numbers[best]!) best = index;
    values[column] = numbers[best]!;
    at[column] = best;
  }
  return { values, at };
}

/** The eqns `[start, stop)` that an id stands for in the graph at a path: the eqn that it is or
 * lies in, or those of its group. Null where it stands for none. */
export function eqnsIn(
  stage: Stage,
  path: Id,
  id: Id | null,
): { start: number; stop: number } | null {
  if (id === null || id === ROOT || !(path === ROOT || id.startsWith(`${path}/`))) return null;
  const [first = ''] = id.slice(path === ROOT ? 0 : path.length + 1).split('/');
  const { step } = parse(first);
  if (step.kind === 'eqn') return { start: step.index, stop: step.index + 1 };
  if (step.kind === 'body') return { start: step.eqn, stop: step.eqn + 1 };
  const group = step.kind === 'group' ? graphAt(stage, path)?.groups[step.index] : undefined;
  return group ? { start: group.start, stop: group.stop } : null;
}

/** The graphs for which a curve is offered at an id: the root, those around it, outermost first,
 * and its own bodies. */
export function graphsAround(stage: Stage, id: Id | null): Id[] {
  const found: Id[] = [];
  for (let path = id === null ? ROOT : graphPath(id); path !== ROOT; path = parse(path).path) {
    found.push(path);
  }
  const held = id === null ? null : eqnAt(stage, id);
  const bodies = held?.eqn.bodies.flatMap((body, number) =>
    isWithin(held.eqn) || runsOfBody(held.eqn, body) === null
      ? []
      : [bodyId(held.path, held.index, number)],
  );
  return [ROOT, ...found.reverse(), ...(bodies ?? [])];
}

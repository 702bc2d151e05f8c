import type { Stage } from '../../schema';
import { eqnAt, graphAt } from '../graph';
import { bodyId, graphPath, type Id, parse, ROOT } from '../ids';
import { isWithin, runsOfBody } from './runs';

/** A long list of numbers in few columns: of each column the largest, and where that is. */
export interface Curve {
  values: Float64Array;
  at: Int32Array;
}

/** At most so many columns; as many as there are numbers, where those are fewer. */
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

/** The eqns `[start, stop)` of the graph at a path that an id is, lies in or holds; null where none. */
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

/** The paths of the graphs that an id lies in, the root first, and of those that it holds. */
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

import type { Aval, Graph, Stage } from '../schema';
import { labelOf } from './describe';
import { avalOf, firstPaths } from './graph';
import { binderId, eqnId, type Id } from './ids';
import { bindersOf } from './outline';

/** Ids that are found at most. */
export const MOST_FOUND = 5000;

type Matches = (names: readonly string[], avals: readonly Aval[]) => boolean;

/**
 * Everything that a query finds, in program order, `most` ids at most.
 *
 * A query is a type or a shape (`f32[8,64]`, `[*,64]`, where `*` is any dimension), or a part of a
 * primitive's name, a variable, an argument's path or a name scope. A single letter or two must be
 * the whole name of a variable or primitive. `params[0]` could be a type as well as a path: it is
 * looked for as both.
 */
export function find(stage: Stage, query: string, most = MOST_FOUND): Id[] {
  const matches = matcher(query.trim());
  const found: Id[] = [];
  if (!matches) return found;
  const paths = firstPaths(stage);
  stage.graphs.forEach((graph, number) => {
    const path = paths[number];
    if (path === null || path === undefined || found.length >= most) return;
    found.push(...inGraph(stage, graph, path, matches));
  });
  return found.slice(0, most);
}

function inGraph(stage: Stage, graph: Graph, path: Id, matches: Matches): Id[] {
  const nameOf = (variable: number): string => graph.vars[variable]?.name ?? '';
  const avalsOf = (vars: readonly number[]): Aval[] => vars.map((v) => avalOf(stage, graph, v));
  const binders = (binder: 'in' | 'out' | 'const'): Id[] => {
    const { vars, paths } = bindersOf(graph, binder);
    return vars.flatMap((variable, index) =>
      matches([nameOf(variable), paths[index] ?? ''], avalsOf([variable]))
        ? [binderId(path, binder, index)]
        : [],
    );
  };
  const eqns = graph.eqns.flatMap((eqn, index) => {
    const names = [eqn.op, labelOf(eqn), ...eqn.outvars.map(nameOf), stage.scopes[eqn.scope] ?? ''];
    return matches(names, avalsOf(eqn.outvars)) ? [eqnId(path, index)] : [];
  });
  return [...binders('const'), ...binders('in'), ...eqns, ...binders('out')];
}

function matcher(query: string): Matches | null {
  if (query === '') return null;
  const shape = /^([a-z]+[0-9a-z_]*)?\[([^\]]*)\]?$/i.exec(query);
  if (!shape) return byName(query);
  const [, dtype = '', dimensions = ''] = shape;
  const typed = byType(
    dtype,
    dimensions.split(',').map((one) => one.trim()),
  );
  if (dtype === '') return typed;
  const named = byName(query);
  return (names, avals) => typed(names, avals) || named(names, avals);
}

function byName(query: string): Matches {
  const wanted = query.toLowerCase();
  if (query.length <= 2) return (names) => names.includes(query);
  return (names) => names.some((name) => name.toLowerCase().includes(wanted));
}

function byType(dtype: string, dimensions: string[]): Matches {
  const wanted = dimensions.length === 1 && dimensions[0] === '' ? [] : dimensions;
  return (_, avals) =>
    avals.some(
      ({ shape, text }) =>
        shape !== null &&
        shape.length === wanted.length &&
        wanted.every((one, axis) => one === '*' || one === String(shape[axis])) &&
        (dtype === '' || text.slice(0, text.indexOf('[')) === dtype),
    );
}

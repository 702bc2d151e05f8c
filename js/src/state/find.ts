import { hiding, innermostGroups } from '../facts/enclosing';
import { firstPaths } from '../facts/graph';
import { binderId, eqnId, groupId, type Id, ROOT } from '../facts/ids';
import { bindersOf } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { labelsOf, type Term, termsOf } from './find-terms';

/** Ids that are found at most. */
export const MOST_FOUND = 5000;

export interface Found {
  /** In program order, the first of them where there are more than `MOST_FOUND`. */
  ids: readonly Id[];
  total: number;
}

/**
 * Everything that a query finds. Each word of it must hold (see `termsOf` for what a word can be):
 * `dot_general f32[8,64]` is the one of the other. A group whose name holds stands for what is in it
 * by that name.
 */
export function find(stage: Stage, query: string, most = MOST_FOUND): Found {
  const terms = termsOf(stage, query);
  const found = new Collector(most);
  if (terms.length === 0) return found;
  const paths = firstPaths(stage);
  stage.graphs.forEach((graph, number) => {
    const path = paths[number];
    if (path === null || path === undefined) return;
    binders(graph, path, 'const', terms, found);
    binders(graph, path, 'in', terms, found);
    eqns(stage, graph, path, terms, found);
    binders(graph, path, 'out', terms, found);
  });
  return found;
}

class Collector implements Found {
  readonly ids: Id[] = [];
  total = 0;

  constructor(readonly most: number) {}

  add(id: () => Id): void {
    this.total += 1;
    if (this.ids.length < this.most) this.ids.push(id());
  }
}

function binders(
  graph: Graph,
  path: Id,
  binder: 'in' | 'out' | 'const',
  terms: readonly Term[],
  found: Collector,
): void {
  const { vars, paths } = bindersOf(graph, binder);
  vars.forEach((variable, index) => {
    const { name = '', aval = -1 } = graph.vars[variable] ?? {};
    const own = paths[index] ?? '';
    if (terms.every((term) => term.avals[aval] || term.isVar(name) || term.isPath(own))) {
      found.add(() => binderId(path, binder, index));
    }
  });
}

/** Eqns, each behind the groups that begin with it. */
function eqns(
  stage: Stage,
  graph: Graph,
  path: Id,
  terms: readonly Term[],
  found: Collector,
): void {
  const named = graph.groups.map(({ name }) => terms.map((term) => term.isGroup(name)));
  const standing = innermostGroups(graph);
  const starting = new Map<number, number[]>();
  graph.groups.forEach(({ start }, index) => {
    starting.set(start, [...(starting.get(start) ?? []), index]);
  });
  const inNamed = graph.groups.map(() => false);
  graph.groups.forEach(({ parent }, index) => {
    const own = named[index]?.some((hit) => hit) ?? false;
    inNamed[index] = own || (inNamed[parent ?? -1] ?? false);
  });
  const labels = labelsOf(stage).ofGraph(graph);
  graph.eqns.forEach((eqn, index) => {
    for (const group of starting.get(index) ?? []) {
      if (named[group]?.every((hit) => hit)) found.add(() => groupId(path, group));
    }
    const group = inNamed[standing[index] ?? -1] ?? false;
    const label = labels[index] as number;
    for (const term of terms) {
      const hit =
        term.labels[label] === 1 ||
        (eqn.frame !== null && !eqn.inherited && term.frames[eqn.frame] === 1) ||
        (!group && term.scopes[eqn.scope] === 1) ||
        eqn.outvars.some((one) => {
          const variable = graph.vars[one];
          return variable && (term.avals[variable.aval] === 1 || term.isVar(variable.name));
        });
      if (!hit) return;
    }
    found.add(() => eqnId(path, index));
  });
}

/** The matches that lie in one group or graph, next to one another. */
export interface Section {
  /** The innermost group, or the body's eqn, or the root. */
  id: Id;
  ids: Id[];
}

/** Matches by what encloses them, in program order: a section for each change of that. */
export function sections(stage: Stage, ids: readonly Id[]): Section[] {
  const found: Section[] = [];
  for (const id of ids) {
    const around = hiding(stage, id).at(-1) ?? ROOT;
    const last = found.at(-1);
    if (last?.id === around) last.ids.push(id);
    else found.push({ id: around, ids: [id] });
  }
  return found;
}

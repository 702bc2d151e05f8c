/** What a Find query finds in a stage, and the matches in sections. */

import { hiding, innermostGroups } from '../facts/enclosing';
import { append } from '../facts/gather';
import { firstPaths } from '../facts/graph';
import { binderId, eqnId, groupId, type Id, ROOT } from '../facts/ids';
import { bindersOf } from '../facts/outline';
import type { Graph, Stage } from '../schema';
import { labelsOf, type Term, termsOf } from './find-terms';

/** The most ids that are listed. */
export const MOST_FOUND = 5000;

export interface FindResult {
  /** Ids of the matches in program order; the first `MOST_FOUND` where there are more. */
  ids: readonly Id[];
  total: number;
}

/** Finds all items that match every word of a query (`termsOf` says what a word can be):
 * `dot_general f32[8,64]` finds the dot_generals of that type. A group whose name matches stands
 * for the eqns in it that match only by that name. */
export function find(stage: Stage, query: string, most = MOST_FOUND): FindResult {
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

/** Gathers matches, and goes on counting where there are too many to list. */
class Collector implements FindResult {
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

/** Collects matching eqns, each after the matching groups that begin with it. */
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
    append(starting, start, index);
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

/** Matches that lie in the same group or graph and follow one another. */
export interface Section {
  /** The innermost group around them, else the eqn that holds their graph, else the root. */
  id: Id;
  ids: Id[];
}

/** Matches in program order, with a new section wherever what encloses them changes. */
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

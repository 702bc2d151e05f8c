/** Finds items by a query: the syntax of queries, the search in a stage, and the matches in
 * sections. */
import { hiding, innermostGroups } from '../facts/enclosing';
import { bindersOf, firstPaths } from '../facts/graph';
import { binderId, eqnId, groupId, type Id, ROOT } from '../facts/ids';
import { append, cached } from '../facts/maps';
import { primitiveOf } from '../facts/text/describe';
import type { Aval, Eqn, Graph, Stage } from '../schema';

/** A word of a query, with its matches in the stage: each label and type is tested once. */
export interface Term {
  /** 1 where the word matches, by index: into the labels of eqns (`labelsOf`), and into the stage's
   * own lists. */
  labels: Uint8Array;
  avals: Uint8Array;
  frames: Uint8Array;
  scopes: Uint8Array;
  isVar(name: string): boolean;
  isPath(path: string): boolean;
  isGroup(name: string): boolean;
}

/**
 * Splits a query into words at spaces outside of brackets. A word can be
 *
 * - a part of the name of a primitive, an argument's path, a name scope or a group; a word of one or
 *   two letters must be the whole name of a primitive;
 * - the whole name of a variable, or a dtype (`f64`, `float64`);
 * - a type or shape: `f32[8,64]`, `[*,64]`, where `*` is any dimension; of optimized HLO with its
 *   layout, `f32[8,64]{1,0}`; of StableHLO as its text has it, `tensor<8x64xf32>`;
 * - a line of the source: `:12`, `train.py:12`.
 */
function termsOf(stage: Stage, query: string): Term[] {
  const words = query.trim().match(/(?:\[[^\]]*\]?|\S)+/g) ?? [];
  return words.map((word) => termOf(stage, word));
}

function termOf(stage: Stage, word: string): Term {
  const wanted = word.toLowerCase();
  const short = word.length <= 2;
  const matches = (text: string) => (short ? text === word : text.toLowerCase().includes(wanted));
  const part = (text: string) => !short && text.toLowerCase().includes(wanted);
  const typed = typeTest(word);
  const placed = lineTest(word);
  const flags = <One>(list: readonly One[], test: (one: One) => boolean) =>
    Uint8Array.from(list, (one) => (test(one) ? 1 : 0));
  return {
    labels: flags(
      labelsOf(stage).texts,
      (text) => matches(text) || (short && text.split(' ')[0] === word),
    ),
    avals: flags(stage.avals, typed),
    frames: flags(stage.frames, ({ file, line }) => placed(file, line)),
    scopes: flags(stage.scopes, part),
    isVar: (name) => name === word,
    isPath: matches,
    isGroup: part,
  };
}

function typeTest(word: string): (aval: Aval) => boolean {
  const shape = /^([a-z]+[0-9a-z_]*)?\[([^\]]*)(?:\](\{.*)?)?$/i.exec(ofTensor(word));
  if (!shape)
    return ({ text, dtype }) => dtype === word || text.slice(0, text.indexOf('[')) === word;
  const [, dtype = '', inner = '', layout] = shape;
  const wanted = inner.trim() === '' ? [] : inner.split(',').map((one) => one.trim());
  return ({ shape: own, text, layout: laid }) =>
    own !== null &&
    (layout === undefined || (laid ?? '').startsWith(layout)) &&
    own.length === wanted.length &&
    wanted.every((one, axis) => one === '*' || one === String(own[axis])) &&
    (dtype === '' || text.slice(0, text.indexOf('[')) === dtype);
}

/** `f32[8,64]` for `tensor<8x64xf32>`; any other word as it is. */
function ofTensor(word: string): string {
  const sizes = /^tensor<(\w+)>$/.exec(word)?.[1]?.split('x');
  const dtype = sizes?.pop();
  return dtype === undefined ? word : `${dtype === 'i1' ? 'bool' : dtype}[${sizes}]`;
}

function lineTest(word: string): (file: string, line: number) => boolean {
  const place = /^(.*):(\d+)$/.exec(word);
  if (!place) return () => false;
  const [, part = '', number] = place;
  return (file, line) => line === Number(number) && file.includes(part);
}

/** The searched text of an eqn: its label, and its full name if it has a dialect: `add
 * stablehlo.add`. */
function wordsOf(eqn: Eqn): string {
  const label = primitiveOf(eqn);
  return label.startsWith(eqn.op) ? label : `${label} ${eqn.op}`;
}

/** The labels of a stage's eqns, equal ones once. */
interface StageLabels {
  texts: string[];
  /** For each eqn of a graph the index of its label. */
  ofGraph(graph: Graph): Int32Array;
}

const labelsOf = cached((stage: Stage): StageLabels => {
  const texts: string[] = [];
  const numbers = new Map<string, number>();
  const graphs = new Map<Graph, Int32Array>();
  for (const graph of stage.graphs) {
    const ofGraph = Int32Array.from(graph.eqns, (eqn) => {
      const text = wordsOf(eqn);
      const number = numbers.get(text) ?? texts.push(text) - 1;
      numbers.set(text, number);
      return number;
    });
    graphs.set(graph, ofGraph);
  }
  const labels: StageLabels = { texts, ofGraph: (graph) => graphs.get(graph) ?? new Int32Array() };
  return labels;
});

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
export function find(stage: Stage, query: string): FindResult {
  const terms = termsOf(stage, query);
  const found = new Collector();
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

/** Collects matches, and only counts them once there are too many to list. */
class Collector implements FindResult {
  readonly ids: Id[] = [];
  total = 0;

  add(id: () => Id): void {
    this.total += 1;
    if (this.ids.length < MOST_FOUND) this.ids.push(id());
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
  const innermost = innermostGroups(graph);
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
    const group = inNamed[innermost[index] ?? -1] ?? false;
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

/** Consecutive matches in the same group or graph. */
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

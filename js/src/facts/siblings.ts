/** Groups that should be alike and are not: of twelve layers the one that differs from the others,
 * and the eqns by which it does. */

import type { Graph, Group, Stage } from '../schema';
import { cached } from './cached';
import { append } from './gather';
import { avalOf } from './graph';

/** An eqn, by the number of its graph and its index there. */
export interface EqnPlace {
  graph: number;
  eqn: number;
}

/** A group that differs from most of its siblings. */
export interface UnlikeGroup {
  /** The number of its graph, and its index in the graph's groups. */
  graph: number;
  group: number;
  /** The index of a sibling that most others repeat eqn for eqn. */
  like: number;
  /** How many siblings there are that repeat one another. */
  others: number;
  /** The eqns that no sibling has, in program order. */
  own: readonly EqnPlace[];
  /** Its eqns whose first result has another dtype than in its siblings. */
  retyped: readonly (EqnPlace & { before: string; after: string })[];
}

/** The fewest siblings that repeat one another, so that another one is unlike them. */
const FEWEST_ALIKE = 2;

/** The groups of a stage that differ from most of their siblings, outermost ones alone, in program
 * order. Siblings have the same name but for numbers, the same part of the step, and lie in groups
 * of the same names. */
export const unlikeGroups = cached((stage: Stage): readonly UnlikeGroup[] =>
  stage.graphs.flatMap((graph, number) => {
    const found = new Map<number, { like: number; others: number }>();
    for (const members of families(graph)) {
      const model = mostAlike(graph, members);
      if (!model || 2 * model.others < members.length) continue;
      for (const one of members)
        if (graph.groups[one]!.alike !== model.alike) found.set(one, model);
    }
    const outermost = [...found].filter(([one]) => !around(graph, one).some((by) => found.has(by)));
    return outermost
      .sort(([one], [other]) => one - other)
      .map(([group, { like, others }]) => {
        const differing = comparedWith(stage, number, graph.groups[group]!, graph.groups[like]!);
        return { graph: number, group, like, others, ...differing };
      });
  }),
);

/** The groups of a graph by what makes them siblings. */
function families(graph: Graph): Iterable<readonly number[]> {
  const found = new Map<string, number[]>();
  graph.groups.forEach(({ kind, role, name }, index) => {
    if (isBundle(kind)) return;
    const names = around(graph, index).map((one) => graph.groups[one]!.name);
    append(found, [role, name, ...names].join('\n').replace(/\d+/g, '#'), index);
  });
  return found.values();
}

/** Whether a group was made only to gather or to cut others. */
const isBundle = (kind: string): boolean => kind === 'repeat' || kind === 'section';

/** The groups around a group, the innermost first, without those that only gather others. */
function around({ groups }: Graph, index: number): number[] {
  const found: number[] = [];
  for (let at = groups[index]?.parent ?? -1; at >= 0; at = groups[at]?.parent ?? -1) {
    if (!isBundle((groups[at] as Group).kind)) found.push(at);
  }
  return found;
}

/** The first of the siblings that most others repeat, and how many these are with it. */
function mostAlike({ groups }: Graph, members: readonly number[]) {
  const counts = new Map<number, number>();
  for (const one of members) {
    const { alike } = groups[one]!;
    if (alike >= 0) counts.set(alike, (counts.get(alike) ?? 0) + 1);
  }
  const [most] = [...counts].sort(([, one], [, other]) => other - one);
  if (!most || most[1] < FEWEST_ALIKE) return null;
  const [alike, others] = most;
  return { alike, others, like: members.find((one) => groups[one]!.alike === alike)! };
}

/** An eqn of a group, as it is compared: its op and shape, whatever its dtype. */
interface Compared extends EqnPlace {
  text: string;
  dtype: string;
  /** The number of its frame; -1 where it has none. */
  line: number;
}

function comparedWith(stage: Stage, graph: number, group: Group, like: Group) {
  const [own, others] = [group, like].map((one) => eqnsOf(stage, graph, one)) as [
    Compared[],
    Compared[],
  ];
  const match = matched(own, others);
  return {
    own: own.filter((_, at) => match[at] === -1).map(placeOf),
    retyped: own.flatMap((one, at) => {
      const before = others[match[at]!]?.dtype ?? one.dtype;
      return before === one.dtype ? [] : [{ ...placeOf(one), before, after: one.dtype }];
    }),
  };
}

const placeOf = ({ graph, eqn }: Compared): EqnPlace => ({ graph, eqn });

/** The most eqns of a group that are compared one by one. */
const MOST_COMPARED = 4000;

/** The eqns of a group in order, each followed by those of its bodies. */
function eqnsOf(stage: Stage, graph: number, { start, stop }: Group): Compared[] {
  const found: Compared[] = [];
  const waiting = [{ graph, at: start, stop }];
  for (let top = waiting.at(-1); top && found.length < MOST_COMPARED; top = waiting.at(-1)) {
    const eqn = top.at < top.stop ? stage.graphs[top.graph]?.eqns[top.at] : undefined;
    if (!eqn) {
      waiting.pop();
      continue;
    }
    found.push({ graph: top.graph, eqn: top.at, ...told(stage, top.graph, top.at) });
    top.at += 1;
    for (const body of [...eqn.bodies].reverse()) {
      const { length } = stage.graphs[body.graph]?.eqns ?? [];
      waiting.push({ graph: body.graph, at: 0, stop: length });
    }
  }
  return found;
}

function told(stage: Stage, graph: number, eqn: number): Omit<Compared, keyof EqnPlace> {
  const held = stage.graphs[graph] as Graph;
  const { op, name, outvars, frame } = held.eqns[eqn]!;
  const [first] = outvars;
  const aval = first === undefined ? null : avalOf(stage, held, first);
  const dtype = aval?.dtype ?? '';
  const cast = isCast(op) ? dtype : '';
  return { text: `${op} ${name} ${cast} ${aval?.shape?.join() ?? ''}`, dtype, line: frame ?? -1 };
}

/** Whether an op of any stage turns values into another dtype. */
export const isCast = (op: string): boolean =>
  op === 'convert_element_type' || op === 'stablehlo.convert' || op === 'convert';

/** For each eqn of one list the one of the other that it stands for, -1 for those that the other list
 * lacks: one of the same dtype on the same line first, then of the same dtype, then any. */
function matched(own: readonly Compared[], others: readonly Compared[]): Int32Array {
  const match = new Int32Array(own.length).fill(-1);
  const taken = new Set<number>();
  const ways: ((one: Compared) => string)[] = [
    ({ text, dtype, line }) => `${text} ${dtype} ${line}`,
    ({ text, dtype }) => `${text} ${dtype}`,
    ({ text }) => text,
  ];
  for (const keyOf of ways) {
    const free = new Map<string, number[]>();
    for (let at = others.length - 1; at >= 0; at--)
      if (!taken.has(at)) append(free, keyOf(others[at]!), at);
    own.forEach((one, at) => {
      const found = match[at] === -1 ? free.get(keyOf(one))?.pop() : undefined;
      if (found === undefined) return;
      match[at] = found;
      taken.add(found);
    });
  }
  return match;
}

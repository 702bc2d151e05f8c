import fc from 'fast-check';
import type { Body, Eqn, Graph, Group, Stage } from '../src/schema';
import { JAXPR, plainGroup, UNMEASURED } from './fixtures';

/** Random programs: nested bodies, nested groups, shared bodies, literals, unused results. */

const AVAL = {
  text: 'f32[8,64]',
  kind: 'array',
  shape: [8, 64],
  dtype: 'float32',
  weak_type: false,
  sharding: null,
  memory: null,
  layout: null,
  bytes: 2048,
};

const OPS = ['add', 'mul', 'dot_general', 'reduce_sum', 'a_primitive_of_a_very_long_name_indeed'];

/** Numbers to build from, taken in turn, so that a smaller list is a smaller program. */
class Choices {
  private at = 0;
  constructor(private readonly numbers: readonly number[]) {}

  below(limit: number): number {
    const number = this.numbers[this.at % this.numbers.length] ?? 0;
    this.at += 1;
    return number % limit;
  }
}

export const stages: fc.Arbitrary<Stage> = fc
  .record({
    numbers: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 200 }),
    sizes: fc.array(fc.nat(14), { minLength: 1, maxLength: 4 }),
  })
  .map(({ numbers, sizes }) => {
    const choices = new Choices(numbers);
    const graphs: Graph[] = [];
    for (let index = sizes.length - 1; index >= 0; index--) {
      graphs[index] = graphOf(choices, sizes[index] as number, index, graphs);
    }
    return {
      kind: 'jaxpr',
      graphs,
      avals: [AVAL],
      frames: [],
      scopes: [''],
      text: '',
      notes: [],
      ...UNMEASURED,
      error: null,
    };
  });

function graphOf(choices: Choices, size: number, index: number, graphs: Graph[]): Graph {
  const graph: Graph = {
    name: `f${index}`,
    vars: [],
    constvars: [],
    invars: [],
    outvars: [],
    args: [],
    results: [],
    eqns: [],
    groups: [],
    effects: [],
  };
  const variable = (literal = false): number =>
    graph.vars.push({
      name: literal ? '2.0:f32[]' : `v${graph.vars.length}`,
      aval: 0,
      literal,
    }) - 1;
  graph.constvars = Array.from({ length: choices.below(2) }, () => variable());
  graph.invars = Array.from({ length: choices.below(18) }, () => variable());
  graph.args = graph.invars.map((_, at) => (at % 3 === 0 ? `x${at}` : `params['w${at}']`));
  const known = [...graph.constvars, ...graph.invars];
  const operand = (): number => {
    const pick = choices.below(known.length + 1);
    return pick < known.length ? (known[pick] as number) : variable(true);
  };
  for (let at = 0; at < size; at++) {
    const invars = Array.from({ length: choices.below(4) }, operand);
    const outvars = Array.from({ length: 1 + choices.below(2) }, () => variable());
    graph.eqns.push(eqnOf(choices, index, graphs, invars, outvars));
    known.push(...outvars);
  }
  graph.outvars = Array.from({ length: choices.below(15) }, operand);
  graph.results = graph.outvars.map((_, at) => `result[${at}]`);
  graph.groups = groupsOf(choices, size);
  return graph;
}

function eqnOf(
  choices: Choices,
  index: number,
  graphs: Graph[],
  invars: number[],
  outvars: number[],
): Eqn {
  const later = graphs.length - index - 1;
  const held = later > 0 ? [0, 0, 0, 1, 2][choices.below(5)] : 0;
  const bodies = Array.from({ length: held ?? 0 }, (_, number): Body => {
    const graph = index + 1 + choices.below(later);
    const mapped = (count: number, outer: number) =>
      Array.from({ length: count }, () => choices.below(outer + 1) - 1);
    const { invars: inputs, outvars: outputs } = graphs[graph] as Graph;
    return {
      label: `branch ${number}`,
      graph,
      inputs: mapped(inputs.length, invars.length),
      outputs: mapped(outputs.length, outvars.length),
    };
  });
  return {
    op: bodies.length > 1 ? 'cond' : bodies.length > 0 ? 'jit' : (OPS[choices.below(5)] as string),
    name: '',
    invars,
    outvars,
    params: [],
    attributes: null,
    bodies,
    effects: [],
    frame: null,
    call: null,
    inherited: false,
    scope: 0,
    span: null,
    ...JAXPR,
  };
}

/** Runs that nest and never cross, each behind its parent. */
function groupsOf(choices: Choices, size: number): Group[] {
  const groups: Group[] = [];
  const split = [{ parent: null as number | null, start: 0, stop: size }];
  while (split.length > 0) {
    const { parent, start, stop } = split.pop()!;
    let from = start;
    while (from < stop && groups.length < 6) {
      const to = Math.min(stop, from + 1 + choices.below(6));
      const whole = from === start && to === stop;
      if (choices.below(3) === 0 && to - from > 1 && !whole) {
        groups.push({ ...plainGroup(from, to, `g${from}`), parent });
        split.push({ parent: groups.length - 1, start: from, stop: to });
      }
      from = to;
    }
  }
  return groups;
}

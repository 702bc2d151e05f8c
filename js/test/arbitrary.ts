import fc from 'fast-check';
import type { Eqn, Graph, Group, Stage } from '../src/schema';
import { JAXPR, stage } from './fixtures';
import { stages } from './programs';

/** A graph that grows eqn by eqn, so that every operand is made before it is used. */
class Growing {
  readonly graph: Graph;
  private readonly taken: () => number;

  /** `numbers` are taken in turn, so that a smaller list is a smaller program. */
  constructor(numbers: readonly number[], inputs: string[]) {
    let at = 0;
    this.taken = () => numbers[at++ % numbers.length] ?? 0;
    this.graph = {
      name: 'f',
      vars: [],
      constvars: [],
      invars: [],
      outvars: [],
      args: inputs,
      results: [],
      eqns: [],
      groups: [],
      effects: [],
    };
    this.graph.invars = inputs.map(() => this.variable());
  }

  below(limit: number): number {
    return limit <= 0 ? 0 : this.taken() % limit;
  }

  oneOf<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** Whether it happens, once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0;
  }

  variable(): number {
    return (
      this.graph.vars.push({ name: `v${this.graph.vars.length}`, aval: 0, literal: false }) - 1
    );
  }

  /** An eqn, of which the first result is returned. */
  eqn(op: string, invars: number[], results = 1, bodies: Eqn['bodies'] = []): number {
    const outvars = Array.from({ length: results }, () => this.variable());
    const plain = { name: '', params: [], effects: [], frame: null, call: null, inherited: false };
    const own = { op, invars, outvars, bodies, scope: 0, span: null };
    this.graph.eqns.push({ ...plain, ...own, ...JAXPR });
    return outvars[0] ?? -1;
  }

  /** A group over the eqns that `grow` adds; none where it adds none. Returns its index. */
  group(name: string, parent: number | null, about: Partial<Group>, grow: (own: number) => void) {
    const start = this.graph.eqns.length;
    const group = {
      name,
      kind: 'scope',
      role: '',
      parent,
      twin: null,
      alike: -1,
      start,
      stop: start,
    };
    const own = this.graph.groups.push({ ...group, ...about }) - 1;
    grow(own);
    (this.graph.groups[own] as Group).stop = this.graph.eqns.length;
    if (this.graph.eqns.length === start) this.graph.groups.splice(own);
    return own;
  }
}

interface Layer {
  parts: number[];
  /** What of the layer the backward pass does not have, or has otherwise. */
  twin: boolean;
  recompute: boolean;
  update: boolean;
  scan: boolean;
}

const layers = fc.array(
  fc.record({
    parts: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    twin: fc.boolean(),
    recompute: fc.boolean(),
    update: fc.boolean(),
    scan: fc.boolean(),
  }),
  { maxLength: 6 },
);

/** Training steps: layers with their derivatives in reverse order and the updates of their
 * parameters, and now and then something that a clear step does not have. */
export const steps: fc.Arbitrary<Stage> = fc
  .record({
    layers,
    numbers: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 120 }),
    inputs: fc.integer({ min: 1, max: 16 }),
    beside: fc.tuple(fc.nat(2), fc.nat(2), fc.nat(3)),
    wrapped: fc.boolean(),
  })
  .map(({ layers, numbers, inputs, beside, wrapped }) => {
    const names = Array.from({ length: inputs }, (_, at) => `params['layers'][${at}]['w']`);
    const grown = new Growing(numbers, [...names, 'x']);
    stepInto(grown, layers, beside);
    const body = new Growing(numbers, ['a', 'b']);
    body.graph.outvars = [body.eqn('tanh', [body.eqn('dot_general', [0, 1])])];
    body.graph.results = ['carry'];
    return wrapped ? wrap(grown.graph, body.graph) : stage([grown.graph, body.graph]);
  });

/** A step as it grows: the value that flows on, and of each layer what the backward pass needs. */
interface Growth {
  grown: Growing;
  layers: Layer[];
  flow: number;
  /** Of each layer its parts' values, its group and its parts' groups. */
  made: { values: number[][]; group: number; parts: number[] }[];
  gradients: number[];
}

function stepInto(grown: Growing, layers: Layer[], [before, between, after]: number[]): void {
  const { graph } = grown;
  const growth: Growth = { grown, layers, flow: graph.invars.at(-1)!, made: [], gradients: [] };
  loose(growth, before);
  const forward = grown.group('forward', null, { role: 'forward' }, (own) => {
    for (const [at, layer] of layers.entries()) forwardOf(growth, layer, at, own);
  });
  loose(growth, between);
  grown.group('backward', null, { role: 'backward', twin: forward }, (own) => {
    for (let at = layers.length - 1; at >= 0; at--) backwardOf(growth, at, own);
  });
  const results: number[] = [];
  grown.group('optimizer', null, { role: 'optimizer', twin: forward }, (own) => {
    for (const [at, { update }] of layers.entries()) {
      if (update) results.push(updateOf(growth, at, own));
    }
  });
  loose(growth, after);
  graph.outvars = [...results, growth.flow];
  graph.results = graph.outvars.map((_, at) => `result[${at}]`);
}

/** Eqns beside the passes. */
function loose(growth: Growth, count = 0): void {
  const { grown } = growth;
  for (let at = 0; at < count; at++) {
    growth.flow = grown.eqn('mul', [growth.flow, grown.oneOf(grown.graph.invars)]);
  }
}

const paramOf = ({ graph }: Growing, layer: number): number =>
  graph.invars[layer % (graph.invars.length - 1)]!;

const valuesOf = ({ made }: Growth): number[] => made.flatMap(({ values }) => values.flat());

function forwardOf(growth: Growth, layer: Layer, at: number, outer: number): void {
  const { grown } = growth;
  const one = { values: layer.parts.map((): number[] => []), group: -1, parts: [] as number[] };
  growth.made.push(one);
  one.group = grown.group(`layer ${at}`, outer, { role: 'forward', alike: at % 2 }, (own) => {
    layer.parts.forEach((size, part) => {
      const grow = () => {
        for (let eqn = 0; eqn < size; eqn++) {
          const skip = grown.once(4) ? [grown.oneOf([...valuesOf(growth), growth.flow])] : [];
          const operands = [growth.flow, paramOf(grown, at), ...skip];
          growth.flow = callOf(grown, layer.scan && eqn === 0, operands);
          one.values[part]!.push(growth.flow);
        }
      };
      if (layer.parts.length === 1) grow();
      else one.parts.push(grown.group(`part ${part}`, own, { role: 'forward' }, grow));
    });
  });
}

function backwardOf(growth: Growth, at: number, outer: number): void {
  const { grown, made, layers } = growth;
  const layer = layers[at]!;
  const { values, group, parts } = made[at]!;
  const twin = layer.twin ? group : null;
  grown.group(`layer ${at} ⟵`, outer, { role: 'backward', twin }, (own) => {
    if (layer.recompute) {
      grown.group('again', own, { role: 'recompute', twin }, () => {
        for (const value of values.flat()) grown.eqn('sin', [value]);
      });
    }
    for (let part = layer.parts.length - 1; part >= 0; part--) {
      const grow = () => {
        for (const value of [...values[part]!].reverse()) {
          const far = grown.once(6) ? [grown.oneOf(valuesOf(growth))] : [];
          growth.flow = grown.eqn('mul', [growth.flow, value, ...far], 1 + grown.below(2));
        }
      };
      const about = { role: 'backward', twin: layer.twin ? (parts[part] ?? null) : null };
      if (layer.parts.length === 1) grow();
      else grown.group(`part ${part} ⟵`, own, about, grow);
    }
  });
  growth.gradients[at] = growth.flow;
}

/** The new value of a layer's parameter. */
function updateOf({ grown, made, gradients }: Growth, at: number, outer: number): number {
  const twin = grown.once(5) ? null : made[at]!.group;
  let updated = -1;
  grown.group(`update ${at}`, outer, { role: 'optimizer', twin }, () => {
    const scaled = grown.eqn('mul', [gradients[at]!]);
    updated = grown.eqn('sub', [paramOf(grown, at), scaled]);
  });
  return updated;
}

/** An eqn of a forward pass, a scan over graph 1 where `scan` says so. */
function callOf(grown: Growing, scan: boolean, invars: number[]): number {
  if (!scan) return grown.eqn(grown.oneOf(['add', 'dot_general', 'max', 'exp']), invars);
  const body = { label: 'body', graph: 1, inputs: [0, 1], outputs: [0] };
  return grown.eqn('scan', invars, 1, [body]);
}

/** The step as the one body of a jit, as a jitted function has it. */
function wrap(step: Graph, body: Graph): Stage {
  const outer = new Growing([0], step.args);
  const inputs = step.invars.map((_, at) => at);
  const outputs = step.outvars.map((_, at) => at);
  const held = { label: 'body', graph: 2, inputs, outputs };
  outer.eqn('jit', [...outer.graph.invars], step.outvars.length, [held]);
  outer.graph.outvars = outer.graph.eqns[0]?.outvars ?? [];
  outer.graph.results = step.results;
  return stage([outer.graph, body, step]);
}

/** Long programs: mostly chains, with values used again from near and from far. */
export const chains: fc.Arbitrary<Stage> = fc
  .record({
    size: fc.integer({ min: 1, max: 150 }),
    numbers: fc.array(fc.nat(10_000), { minLength: 1, maxLength: 300 }),
  })
  .map(({ size, numbers }) => {
    const grown = new Growing(numbers, ['x', 'y']);
    const { graph } = grown;
    for (let at = 0; at < size; at++) {
      const known = graph.vars.length;
      const near = known - 1 - grown.below(Math.min(known, grown.once(4) ? 6 : 1));
      const far = grown.once(8) ? [grown.below(known)] : [];
      grown.eqn(grown.oneOf(['add', 'sin', 'reduce_sum']), [near, ...far], 1 + grown.below(2));
    }
    graph.outvars = [graph.vars.length - 1];
    graph.results = ['result'];
    return stage([graph]);
  });

const ROLES = ['', 'forward', 'backward', 'optimizer', 'recompute'];
const KINDS = ['scope', 'call', 'repeat', 'section'];

/** Programs whose groups say of themselves what makes no sense together. */
export const confused: fc.Arbitrary<Stage> = fc
  .tuple(stages, fc.array(fc.nat(1000), { minLength: 1, maxLength: 24 }))
  .map(([one, numbers]) => {
    let at = 0;
    const below = (limit: number) => (numbers[at++ % numbers.length] ?? 0) % limit;
    const graphs = one.graphs.map((graph) => ({
      ...graph,
      groups: graph.groups.map((group) => ({
        ...group,
        kind: KINDS[below(KINDS.length)] as string,
        role: ROLES[below(ROLES.length)] as string,
        twin: below(3) === 0 ? null : below(graph.groups.length),
        alike: below(3) - 1,
      })),
    }));
    return { ...one, graphs };
  });

/** Any program that a picture may be asked for. */
export const programs: fc.Arbitrary<Stage> = fc.oneof(
  { arbitrary: stages, weight: 2 },
  { arbitrary: steps, weight: 3 },
  { arbitrary: chains, weight: 1 },
  { arbitrary: confused, weight: 1 },
);

/** Operations of later stages, also where they make no sense. */
const LATER =
  'constant get-tuple-element tuple broadcast bitcast copy while fusion reduce all-reduce'
    .split(' ')
    .flatMap((op) => [op, `stablehlo.${op.replaceAll('-', '_')}`]);

/** The same as a later stage, with its operations in turn. */
export function asLater(stage: Stage, kind: string, turn: number): Stage {
  const param = (name: string, value: string) => ({ name, value, size: value.length });
  const graphs = stage.graphs.map((graph) => ({
    ...graph,
    eqns: graph.eqns.map((eqn, index) => ({
      ...eqn,
      op: LATER[(index * (turn + 1) + turn) % LATER.length] as string,
      params: [param('value', '1.5'), param('index', String((index + turn) % 3))],
    })),
  }));
  return { ...stage, kind, graphs };
}
